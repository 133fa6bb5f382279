import assert from "node:assert/strict";
import { test } from "node:test";
import { matches } from "./history.ts";
import type { Listed } from "../read/listed.ts";

const run: Listed = {
  name: "20261121-101500-disks", study: "disks", profile: "laptop", started: "2026-11-21T10:15:00Z", done: 4, planned: 4, state: "finished", damaged: false, running: false,
  summary: {
    title: "Disks", plimsoll: "v1.2.0", noun: "instance", grade: "B", simulated: false, reduced: false, objectives: ["p95 ≤ 1 s"],
    verdict: [{ variant: "hdd", text: "`hdd` carries 2 instances; disk loop0 is the bottleneck" }], lines: [],
  },
};

test("a search finds what the list says of a run, in any order of words", () => {
  for (const search of ["", "disks", "LAPTOP v1.2", "loop0 bottleneck", "grade b", "2026-11-21"]) assert.ok(matches(run, search), search);
  for (const search of ["ssd", "v1.3", "disks nothing"]) assert.ok(!matches(run, search), search);
});
