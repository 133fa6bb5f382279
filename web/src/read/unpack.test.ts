import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import test from "node:test";
import { unpack } from "./unpack.ts";

test("packed data comes back", async () => {
  const head = { tables: { rungs: "a,b\n" }, buckets: 200, left: [], notices: "" };
  const trial = { id: "a/1/1", begin: 0, step: 1000, series: [] };
  const text = gzipSync([head, trial].map((line) => JSON.stringify(line)).join("\n") + "\n").toString("base64");
  const packed = await unpack(text);
  assert.equal(packed.tables["rungs"], "a,b\n");
  assert.deepEqual(packed.trials, [trial]);
});
