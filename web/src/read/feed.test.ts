import assert from "node:assert/strict";
import { test } from "node:test";
import { merge, type Known, type Update } from "./feed.ts";

const update = (number: number, more: Partial<Update> = {}): Update => ({
  number, state: "running", now: { event: "live", at: "", trial: "a/1/1" }, left: 0, figures: { number: 0, trials: 0 }, ...more,
});
const ended = (number: number) => ({ number, event: "finished", at: "" });
const point = (number: number, trial = "a/1/1") => ({ number, trial, at: number, phase: "measure", throughput: 1, p99: 1 });
const numbers = (known: Known) => known.trials.map((t) => t.number);

test("an update that comes twice changes nothing", () => {
  const first = merge(null, update(3, { whole: true, trials: [ended(2), ended(3)] }));
  const second = update(5, { trials: [ended(5)] });
  const once = merge(first, second);
  assert.deepEqual(numbers(once), [2, 3, 5]);
  assert.deepEqual(merge(once, second), once);
});

test("a whole update replaces what was known", () => {
  const first = merge(null, update(9, { whole: true, trials: [ended(8), ended(9)] }));
  assert.deepEqual(numbers(merge(first, update(2, { whole: true, trials: [ended(1)] }))), [1]);
});

test("points belong to the running trial", () => {
  const first = merge(null, update(2, { whole: true, points: [point(1), point(2)] }));
  const next = merge(first, update(4, { now: { event: "live", at: "", trial: "a/2/1" }, points: [point(4, "a/2/1")] }));
  assert.deepEqual(next.points.map((p) => p.number), [4]);
});
