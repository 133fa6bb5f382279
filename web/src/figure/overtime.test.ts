import assert from "node:assert/strict";
import test from "node:test";
import { fitting, place } from "./overtime.ts";

test("marks of a run are apart, and those of the newest runs are shown", () => {
  const lanes = 3;
  const width = 300;
  const marks = Array.from({ length: 60 }, (_, n) => ({ at: Math.floor(n / lanes), lane: n % lanes, run: Math.floor(n / lanes) }));
  const shown = fitting(marks, lanes, width);
  assert.equal(shown.at(-1)!.run, 19);
  assert.ok(shown.length < marks.length && shown[0]!.at === 0);
  const runs = shown.length / lanes;
  const apart = (place(shown[1]!, lanes) - place(shown[0]!, lanes)) * width / runs;
  assert.ok(apart >= 12, String(apart));
});
