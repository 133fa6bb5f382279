import assert from "node:assert/strict";
import test from "node:test";
import { topsOf } from "../chart/bars.ts";
import { best, frames, levels, panelsOf } from "./factors.ts";
import type { Analysis, Factor, Rung, Variant } from "../read/model.ts";
import { variant as sample } from "../read/sample.ts";
import { Page } from "./page.ts";
import { State } from "../read/state.ts";
import { shown } from "./saturation.ts";

const interval = (value: number) => ({ value, low: value, high: value });

function rung(instances: number, throughput: number, kept: boolean, more: Partial<Rung> = {}): Rung {
  return {
    instances, repetitions: 1, failed: 0, trials: null, throughput: interval(throughput), rolled_back: 0, errors: 0, mean: interval(1), p95: interval(1),
    percentile: null, efficiency: 1, objectives: null, kept, ...more,
  };
}

function variant(name: string, factors: Record<string, string>, rungs: Rung[]): Variant {
  return { ...sample(name, factors), rungs };
}

test("the best rung keeps the objectives, if any does", () => {
  assert.equal(best(variant("v", {}, [rung(1, 5, true), rung(2, 7, true), rung(4, 9, false)]))!.instances, 2);
  assert.equal(best(variant("v", {}, [rung(1, 5, false), rung(2, 7, false)]))!.instances, 2);
  assert.equal(best(variant("v", {}, [rung(1, 0, true)])), undefined);
  assert.equal(best(variant("v", {}, [])), undefined);
});

const text = (path: string, ...names: string[]): Factor => ({ path, name: path, levels: names.map((level) => ({ level, label: level })) });

function page(factors: Factor[], variants: Variant[]): Page {
  const analysis = { factors, variants, study: { unit: "MB/s" }, run: { id: "" } } as unknown as Analysis;
  return new Page({ analysis }, new Promise(() => {}), new State(""));
}

test("what does other work stands in another panel, whatever the storage", () => {
  const sizes: Factor = { path: "workload.parameters.file_size", name: "file size", unit: "B", levels: [{ level: "4KB", label: "4KB", value: 4e3 }, { level: "4MB", label: "4MB", value: 4e6 }] };
  const factors = [text("storage", "a", "b"), sizes, text("workload.parameters.operation", "write", "read")];
  const variants = ["a", "b"].flatMap((storage) => ["4KB", "4MB"].flatMap((size) => ["write", "read"].map((operation) =>
    variant([storage, size, operation].join("-"), { storage, "workload.parameters.file_size": size, "workload.parameters.operation": operation }, [rung(1, 1, true)]))));
  const all = panelsOf(page(factors, variants), variants);
  assert.deepEqual(all.map((p) => [p.title, p.unit, p.variants.length, p.rest.map((f) => f.path)]), [
    ["write", "MB/s", 4, ["storage", "workload.parameters.file_size"]], ["read", "MB/s", 4, ["storage", "workload.parameters.file_size"]]]);
  assert.equal(levels(variants[3]!, all[0]!.rest), "a, 4MB");
});

test("what counts something else stands in another panel", () => {
  const profile = (throughput: string) => ({ workload: "", unit: { name: "x", plural: "xs", throughput, seconds: 1 }, operations: null });
  const variants = [{ ...variant("a", {}, []), work: profile("MB/s") }, { ...variant("b", {}, []), work: profile("files/s") }];
  assert.deepEqual(panelsOf(page([], variants), variants).map((p) => p.unit), ["MB/s", "files/s"]);
});

test("what the machines did is drawn where it is not 0 throughout", () => {
  const at = (n: number, values: Record<string, number>) => rung(n, 1, true, { sides: [{ side: "servers", values }] });
  const variants = [variant("v", {}, [at(1, { cpu: 0.1, cores: 4, blocked: 0, load: 0 }), at(2, { cpu: 0.2, cores: 8, blocked: 0, load: 1 })])];
  assert.deepEqual(shown({ variants }, "servers").map((m) => m.of), ["cpu", "load"]);
  assert.deepEqual(shown({ variants }, "clients"), []);
});

test("bars of a group stand below its name", () => {
  const bar = (group: string) => ({ label: "", group, color: "", value: 1, low: 1, high: 1, text: "", kept: true });
  const tops = topsOf({ label: "", unit: "s", description: "", width: 100, bars: [bar("a"), bar("a"), bar("b"), bar("b")] });
  const gaps = tops.slice(1).map((y, i) => y - tops[i]!);
  assert.ok(gaps[1]! > gaps[0]! && gaps[2] === gaps[0]);
});

test("levels that share all others stand in one frame", () => {
  const pair = (from: string, to: string) => ({ factor: "f", from, to, at: 1, ratio: interval(1) });
  assert.deepEqual(frames([pair("a", "b"), pair("a", "c"), pair("d", "e")]).map((f) => f.map((p) => p.to)), [["b", "c"], ["e"]]);
});
