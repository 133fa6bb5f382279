import assert from "node:assert/strict";
import test from "node:test";
import { stepped } from "./cursor.ts";

test("keys step through the rungs and stop at the ends", () => {
  const at = (n: number | null, key: string) => stepped([1, 2, 8], n, key);
  assert.deepEqual([at(null, "ArrowRight"), at(2, "ArrowRight"), at(8, "ArrowRight"), at(3, "ArrowLeft"), at(1, "ArrowLeft"), at(null, "End"), at(8, "Home"), at(1, "a")], [1, 8, 8, 2, 1, 8, 1, undefined]);
});
