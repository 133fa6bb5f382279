import assert from "node:assert/strict";
import { test } from "node:test";

import { found, parsed } from "./searched.ts";

test("a list is searched by parts of names", () => {
  const all = ["CPU of node-0001", "CPU of node-0010", "memory of node-0010"].map((name) => ({ name }));
  assert.equal(found(all, "").length, 3);
  assert.deepEqual(found(all, " 0010 cpu").map((e) => e.name), ["CPU of node-0010"]);
});

test("comma-separated values are read back", () => {
  assert.deepEqual(parsed('a,b,c\n1,"say ""no"", or so",\n,"two\nlines",3\n'), [["a", "b", "c"], ["1", 'say "no", or so', ""], ["", "two\nlines", "3"]]);
  assert.deepEqual(parsed(""), []);
});
