import assert from "node:assert/strict";
import test from "node:test";
import { along, clearest } from "./place.ts";

test("a label goes where it covers least", () => {
  const line = along([{ x: 0, y: 0 }, { x: 100, y: 0 }]);
  assert.ok(line.length > 10);
  const [on, below] = [{ left: 40, right: 60, top: -6, bottom: 6 }, { left: 40, right: 60, top: 8, bottom: 20 }];
  assert.equal(clearest([on, below], line), 1);
  assert.equal(clearest([on, below], []), 0);
  assert.equal(clearest([on], line), 0);
});
