import assert from "node:assert/strict";
import test from "node:test";
import { deviceNames, panels } from "./panels.ts";
import type { Profile, Variant } from "../read/model.ts";
import type { PackedSeries } from "../read/reading.ts";

const shop: Profile = { workload: "shop", unit: { name: "order", plural: "orders", throughput: "OPM", seconds: 60 }, operations: ["order", "login"] };
const bank: Profile = { workload: "bank", unit: { name: "transaction", plural: "transactions", throughput: "TPS", seconds: 1 }, operations: ["transaction", "select"] };

test("series are drawn in panels, unknown ones too", () => {
  const make = (kind: string, metric: string, name = "", of?: number): PackedSeries => ({ kind, metric, name, unit: "1", mean: [1, 2], ...(of ? { of } : {}) });
  const { first, more } = panels([make("operation", "count", "order"), make("cpu", "user"), make("cpu", "system"), make("new", "thing", "x"), make("instance", "cpu", "", 128), make("operation", "p95", "login")], shop);
  assert.deepEqual(first.map((p) => p.title), ["Orders a second", "CPU of the machine"]);
  assert.deepEqual(more.map((p) => p.title), ["CPU by instance", "new: thing", "95th percentile by operation"]);
  assert.equal(more[0]!.lines[0]!.label, "mean of 128 instances");
});

test("panels speak of the workload's unit", () => {
  const make = (kind: string, metric: string, name: string): PackedSeries => ({ kind, metric, name, unit: "1", mean: [1, 2] });
  const { first, more } = panels([make("operation", "count", "transaction"), make("operation", "p95", "transaction"), make("instance", "units", "db-000"), make("driver", "backlog", "d")], bank);
  assert.deepEqual(first.map((p) => p.title), ["Transactions a second", "Response time of transactions", "Transactions a second by instance"]);
  assert.deepEqual(more.map((p) => p.title), ["Open loop: transactions not yet begun"]);
});

test("panels with many lines are split by metric; silent ones are left out", () => {
  const all = ["a", "b", "c", "d"].flatMap((name) => ["read_bytes", "write_bytes"].map((metric): PackedSeries => ({ kind: "device", metric, name, unit: "B/s", mean: [metric === "read_bytes" ? 0 : 5] })));
  const { first } = panels(all, shop);
  assert.deepEqual(first.map((p) => [p.title, p.lines.length]), [["Device throughput", 4]]);
});

test("devices of the storage are told from those below them", () => {
  const variant = { rungs: [{ resources: [{ name: "disk loop3 (hdd)", kind: "device", device: "loop3" }, { name: "CPU of the machine", kind: "cpu" }] }] } as unknown as Variant;
  assert.deepEqual([...deviceNames(variant, ["vda"])], [["loop3", "loop3 (hdd)"], ["vda", "vda, disk of the machine below"]]);
  assert.deepEqual([...deviceNames(undefined, ["vda"])], []);
});
