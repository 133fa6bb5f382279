import assert from "node:assert/strict";
import test from "node:test";
import { shortId } from "./page.ts";

test("ids are shortened by what they share", () => {
  const ids = ["hdd/4/1", "hdd/4/2", "hdd/4/3"];
  assert.deepEqual(ids.map((id) => shortId(id, ids)), ["hdd/4/1", "2", "3"]);
  const rungs = ["hdd/4/1", "hdd/8/1"];
  assert.deepEqual(rungs.map((id) => shortId(id, rungs)), ["hdd/4/1", "8/1"]);
});
