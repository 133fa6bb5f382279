import assert from "node:assert/strict";
import test from "node:test";
import { compare, group, usualNotes } from "./trust.ts";
import type { TrialInfo, Warning } from "../read/model.ts";
import { said } from "../read/sample.ts";

test("equal warnings are joined, the serious first", () => {
  const warning = (severity: Warning["severity"], text: string, trial: string): Warning => ({ severity, text, trial, kind: "k", form: text });
  const groups = group([warning("note", "n", "a"), warning("serious", "s", "a"), warning("note", "n", "b")]);
  assert.deepEqual(groups.map((g) => [g.warning.text, g.trials]), [["s", ["a"]], ["n", ["a", "b"]]]);
});

test("warnings that differ in one figure are one", () => {
  const groups = group(Array.from({ length: 16 }, (_, i): Warning => ({ trial: `t${i}`, kind: "late", severity: "caution", form: "f", ...said(`late by {${3 + i} %}`, 3 + i) })));
  assert.deepEqual(groups.map((g) => [g.text, g.trials.length]), [["late by 3 to 18 %", 16]]);
});

test("warnings are joined by what they are, not by their words", () => {
  const busy = (form: string, ...names: string[]): Warning => ({ trial: form + names, kind: "device", severity: "caution", text: "it was busy", form, names });
  const groups = group([busy("f", "disk loop1"), busy("f", "disk loop2"), busy("g", "disk loop1"), busy("f", "disk loop1")]);
  assert.deepEqual(groups.map((g) => g.trials), [["fdisk loop1"], ["fdisk loop2"], ["gdisk loop1"]]);
});

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
