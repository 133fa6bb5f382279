import assert from "node:assert/strict";
import { test } from "node:test";
import { chartNumbers, type Chart } from "../chart/chartdata.ts";
import { csv } from "../chart/export.ts";
import { changeText, differences, referenceNote, references } from "./reference.ts";
import { within } from "../chart/referenceline.ts";
import type { ReferenceResult, Analysis, ReferenceFigure, Interval } from "../read/model.ts";
import { variant } from "../read/sample.ts";
import { Page } from "./page.ts";
import { State } from "../read/state.ts";

const exactly = (value: number): Interval => ({ value, low: value, high: value });
const sure = (value: number, low: number, high: number): Interval => ({ value, low, high, confidence: 0.95 });

function page(against: ReferenceResult[] | undefined, hash = ""): Page {
  const analysis = { variants: [variant("hdd", {}), variant("ssd", {})], against, study: { unit: "OPM" }, run: { id: "" } } as unknown as Analysis;
  return new Page({ analysis }, new Promise(() => {}), new State(hash));
}

function other(more: Partial<ReferenceResult>, rungs: [number, ReferenceFigure][], base?: number): ReferenceResult {
  return {
    name: "runs/before", called: "earlier", label: "run of 2026-02-01", in_shape: false, verdict: "", text: "",
    ghosts: [{ variant: "hdd", other: "hdd", base, rungs: rungs.map(([instances, held]) => ({ instances, metrics: { throughput: held } })) }], ...more,
  };
}

const earlier = other({}, [[1, { theirs: sure(100, 90, 110), change: sure(0.11, 0.05, 0.17), verdict: "better" }], [3, { theirs: exactly(200) }]]);
const published = other({ name: "reference/x", called: "published", label: "published", in_shape: true }, [[1, { theirs: exactly(100) }], [8, { theirs: exactly(700), change: exactly(-0.2), verdict: "compared in shape" }]], 1);
const write = (v: number) => `${v} OPM`;

test("only the matching variant has references, and without another run there are none", () => {
  const p = page([earlier]);
  const [g] = references(p, p.variant("hdd")!, "throughput", write);
  assert.deepEqual(g!.dots.map((d) => [d.n, d.value, d.low, d.high]), [[1, 100, 90, 110], [3, 200, 200, 200]]);
  assert.equal(g!.dots[0]!.title, "hdd, 1 instance: run of 2026-02-01\n100 OPM (90–110 OPM)\nthis run: +11 % (+5 % to +17 %), better");
  assert.deepEqual(references(p, p.variant("ssd")!, "throughput", write), []);
  assert.deepEqual(references(p, p.variant("hdd")!, "p99", write), []);
  const none = page(undefined);
  assert.deepEqual([references(none, none.variant("hdd")!, "throughput", write), differences(none, none.variant("hdd")!, 1, "throughput"), referenceNote(none, "throughput")], [[], [], ""]);
});

test("figures of other hardware are told as shapes", () => {
  const p = page([published]);
  const [g] = references(p, p.variant("hdd")!, "throughput", write);
  assert.equal(g!.label, "published, scaled");
  assert.equal(g!.dots[1]!.title, "hdd, 8 instances: published\n7 times its own at 1 instance\nthis run: −20 %, compared in shape");
  assert.ok(!g!.dots.some((d) => d.title.includes("OPM")));
  assert.equal(referenceNote(p, "throughput"), " Published: scaled to be equal at 1 instance; only the shape compares.");
  assert.equal(referenceNote(p, "p95", ["throughput"]), " Published: throughput only.");
});

test("a scaled ladder says how many it were there", () => {
  const scaled = other({ label: "published", in_shape: true }, [[4, { theirs: exactly(100) }], [8, { theirs: exactly(190), change: exactly(-0.2), verdict: "compared in shape" }]], 4);
  for (const r of scaled.ghosts![0]!.rungs!) r.theirs = 25 * r.instances;
  const p = page([scaled]);
  const [g] = references(p, p.variant("hdd")!, "throughput", write);
  assert.deepEqual(g!.dots.map((d) => d.n), [4, 8]);
  assert.equal(g!.dots[1]!.title, "hdd, 200 instances: published\n1.9 times its own at 100 instances\nthis run: −20 %, compared in shape");
  assert.equal(referenceNote(p, "throughput"), " Published: scaled to be equal at 4 instances, which its 100 instances stand for; only the shape compares.");
});

test("our point says how it compares with theirs", () => {
  const p = page([earlier, published]);
  assert.deepEqual(differences(p, p.variant("hdd")!, 1, "throughput"), ["against run of 2026-02-01: +11 % (+5 % to +17 %), better"]);
  assert.deepEqual(differences(p, p.variant("hdd")!, 8, "throughput"), ["against published: −20 %, compared in shape"]);
  assert.equal(changeText({ theirs: exactly(1) }), "–");
});

test("the address hides one of the others", () => {
  const p = page([earlier, published], "#?hide=against:+runs/before");
  assert.deepEqual(references(p, p.variant("hdd")!, "throughput", write).map((g) => g.label), ["published, scaled"]);
});

test("a way is cut where it leaves the frame", () => {
  const frame = { left: 0, right: 100, top: 0, bottom: 100 };
  const pieces = within([{ x: 0, y: 50 }, { x: 50, y: 150 }, { x: 150, y: -50 }], frame);
  assert.equal(pieces.length, 2);
  assert.ok(pieces.flat().every((p) => p.x >= -0.5 && p.x <= 100.5 && p.y >= -0.5 && p.y <= 100.5));
  assert.ok(Math.abs(pieces[1]!.at(-1)!.x - 100) < 2);
  assert.deepEqual(within([], frame), []);
  assert.deepEqual(within([{ x: 5, y: 5 }], frame), [[{ x: 5, y: 5 }]]);
});

test("the numbers of a chart have the references with their differences", () => {
  const p = page([earlier]);
  const line = { key: "hdd", label: "", color: "", dash: "", symbol: "circle" as const, dots: [{ n: 1, value: 111, low: 111, high: 111, kept: true, title: "" }], references: references(p, p.variant("hdd")!, "throughput", write) };
  assert.equal(csv(chartNumbers({ lines: [line], unit: "OPM", xLabel: "instances" } as unknown as Chart)), [
    "series,kind,instances,value,low,high,unit,objectives kept,this run over it less 1,change low,change high,verdict",
    "hdd,measured,1,111,111,111,OPM,yes,,,,",
    "hdd,run of 2026-02-01,1,100,90,110,OPM,,0.11,0.05,0.17,better",
    "hdd,run of 2026-02-01,3,200,200,200,OPM,,,,,", "",
  ].join("\n"));
});
