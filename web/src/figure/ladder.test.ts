import assert from "node:assert/strict";
import test from "node:test";
import { telling } from "./ladder.ts";

test("a band that says nothing is not drawn", () => {
  const point = (low: number, high: number) => ({ n: 1, value: 10, low, high });
  assert.ok(telling([point(9, 11), point(9, 11), point(1, 90)]));
  assert.ok(!telling([point(1, 40), point(0, 60), point(9, 11)]));
});
