import assert from "node:assert/strict";
import test from "node:test";
import { between, dense } from "./chart.ts";

test("a load line is read off a line in logarithms", () => {
  const dots = [{ n: 1, value: 1 }, { n: 4, value: 16 }];
  assert.equal(between(dots, 2)!.toFixed(6), "4.000000");
  assert.equal(between(dots, 4), 16);
  assert.equal(between(dots, 8), null);
  assert.equal(between(dots, 2, "linear"), 6);
});

test("a curve of two points stays straight", () => {
  const points = dense([{ n: 1, value: 10 }, { n: 200, value: 2000 }]);
  assert.equal(points.length, 17);
  for (const p of points) assert.ok(Math.abs(p.value - 10 * p.n) < 1e-6);
});
