import assert from "node:assert/strict";
import test from "node:test";
import { ladderScale, ladderTicks, logTicks, reach, spread, valueScale } from "./axes.ts";

test("a ladder that multiplies is logarithmic, one that adds is not", () => {
  assert.equal(ladderScale([1, 2, 8, 32, 96, 128]), "log");
  assert.equal(ladderScale([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]), "linear");
  assert.equal(ladderScale([1, 2, 4]), "linear");
  assert.equal(ladderScale([1]), "linear");
  assert.equal(ladderScale([0, 10, 100]), "linear");
});

test("response times over more than a decade are logarithmic", () => {
  assert.equal(valueScale([0.019, 0.823]), "log");
  assert.equal(valueScale([0.02, 0.1]), "linear");
  assert.equal(valueScale([0, 0]), "linear");
});

test("ticks keep the ends and their distance", () => {
  assert.deepEqual(ladderTicks([1, 2, 8, 32, 96, 128], "log", 400), [1, 2, 8, 32, 128]);
  assert.deepEqual(ladderTicks([7], "linear", 400), [7]);
  assert.deepEqual(logTicks(0.02, 1), [0.02, 0.05, 0.1, 0.2, 0.5, 1]);
});

test("an absurd interval leaves the values their room", () => {
  assert.deepEqual(reach([10, 20], [9, 25]), [9, 25]);
  assert.deepEqual(reach([10, 20], [0.001, 1e24]), [5, 40]);
  assert.deepEqual(reach([10, 20], [-3, 25]), [25, 25]);
  assert.deepEqual(reach([], [9, 25]), []);
  assert.deepEqual(reach([10], []), []);
});

test("labels are moved apart and keep their order", () => {
  assert.deepEqual(spread([10, 12, 100], 15, 0, 200), [10, 25, 100]);
  assert.deepEqual(spread([199, 198], 15, 0, 200), [200, 185]);
  assert.deepEqual(spread([], 15, 0, 200), []);
});
