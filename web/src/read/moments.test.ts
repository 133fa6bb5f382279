import assert from "node:assert/strict";
import test from "node:test";
import type { TrialInfo } from "./model.ts";
import { clock, effect, faultsText, moments } from "./moments.ts";
import { happened } from "./sample.ts";

test("a fault has a name, a beginning and, if it was seen, an end", () => {
  const all = moments(happened(["kill peer 2", 10, 22.5], ["", 12], ["drain node a", 70]));
  assert.deepEqual(all.map((m) => [m.number, m.fault, m.at, m.until]), [[1, "kill peer 2", 10, 22.5], [2, "", 12, null], [3, "drain node a", 70, null]]);
  assert.equal(effect(all[0]!), "from 0:10 to 0:23, 12.5 s");
  assert.equal(effect(all[2]!), "from 1:10");
  assert.equal(effect({ ...all[2]!, repairs: true }), "repair, at 1:10");
  assert.equal(faultsText(happened(["a", 1, 2], ["b", 3])), "2 faults: a (from 0:01 to 0:02, 1.0 s), b (from 0:03)");
  assert.equal(faultsText(happened(["", 1])), "");
  assert.deepEqual(moments({} as TrialInfo), []);
});

test("the clock counts from the start", () => {
  assert.equal(clock(75), "1:15");
  assert.equal(clock(-5), "−0:05");
  assert.equal(clock(3675), "1:01:15");
});
