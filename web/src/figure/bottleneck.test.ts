import assert from "node:assert/strict";
import test from "node:test";
import { rows } from "./bottleneck.ts";
import type { Resource } from "../read/model.ts";
import { variant } from "../read/sample.ts";

test("many devices become one row, the busiest of them", () => {
  const device = (name: string, utilisation: number): Resource => ({ name, kind: "device", utilisation, demand: 0 });
  const cpu: Resource = { name: "CPU of the machine", kind: "cpu", utilisation: 0.2, demand: 0 };
  const v = variant("v", {}, [[device("a", 0.1), cpu], [1, 2, 3, 4, 5].map((i) => device("d" + i, i / 10))]);
  const all = rows(v, { device: { noun: "disk", plural: "disks" } });
  assert.deepEqual(all.map((r) => r.name), ["busiest of 6 disks", "CPU of the machine"]);
  assert.equal(all[0]!.at.get(2)!.name, "d5");
});
