import assert from "node:assert/strict";
import test from "node:test";
import { next } from "./points.ts";

test("arrows lead from point to point", () => {
  const points = [{ n: 1, key: "a", y: 50 }, { n: 2, key: "a", y: 40 }, { n: 1, key: "b", y: 20 }, { n: 2, key: "b", y: 60 }];
  assert.equal(next(points, 0, "ArrowRight"), 1);
  assert.equal(next(points, 1, "ArrowRight"), -1);
  assert.equal(next(points, 0, "ArrowUp"), 2);
  assert.equal(next(points, 1, "ArrowDown"), 3);
  assert.equal(next(points, 3, "Home"), 2);
  assert.equal(next(points, 0, "End"), 1);
  assert.equal(next(points, 0, "a"), -1);
  assert.equal(next(points, -1, "ArrowRight"), -1);
});
