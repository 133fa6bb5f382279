import assert from "node:assert/strict";
import test from "node:test";
import { compare, usualNotes } from "./trust.ts";
import type { TrialInfo } from "../read/model.ts";

test("what most trials say is said once", () => {
  const trial = (present: number | undefined, audit: string, ...notes: string[]) => ({ audit, notes, present }) as unknown as TrialInfo;
  const all = [trial(24, "all 24 present", "own"), trial(9, "all 9 present"), trial(7, "all 7 present"), trial(undefined, "two are missing")];
  const usual = [...usualNotes(all, { name: "order", plural: "orders", throughput: "OPM", seconds: 60 }).values()];
  assert.deepEqual(usual.map((same) => same.map((r) => r.text)), [["all 24 present", "all 9 present", "all 7 present"]]);
  assert.equal(usual[0]![0]!.together(all.slice(0, 3)), "all 7 to 24 acknowledged orders present, all checks passed");
});

test("cells sort by what they mean", () => {
  assert.ok(compare("900 ms", "1.2 s") < 0);
  assert.ok(compare("1,000", "999") > 0);
  assert.ok(compare("–", "1") < 0);
  assert.ok(compare("hdd/2/1", "hdd/10/1") < 0);
});
