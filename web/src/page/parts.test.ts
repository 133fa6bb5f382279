import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import test from "node:test";
import { rows } from "../figure/bottleneck.ts";
import { without } from "./card.ts";
import { between, dense } from "../chart/chart.ts";
import { joined } from "../read/alike.ts";
import { along, clearest } from "../chart/place.ts";
import { next } from "../chart/points.ts";
import { seriesTable } from "../figure/data.ts";
import { readable } from "../read/format.ts";
import { telling } from "../figure/ladder.ts";
import type { Figure, Profile, Resource, TrialInfo, Variant, Warning } from "../read/model.ts";
import type { Packed, PackedSeries } from "../read/reading.ts";
import { shortId } from "../figure/page.ts";
import { looks } from "../chart/palette.ts";
import { deviceNames, panels } from "../figure/panels.ts";
import { clock, effect, faultsText, moments, placed, rowCount, type Frame, type Moment } from "../read/moments.ts";
import { compare, group, usualNotes } from "../figure/trust.ts";
import { unpack } from "../read/unpack.ts";

const work: Profile = { workload: "dvdstore", unit: { name: "order", plural: "orders", throughput: "OPM", seconds: 60 }, operations: ["order"] };

function variant(name: string, factors: Record<string, string>, resources: Resource[][] = []): Variant {
  const interval = { value: 1, low: 1, high: 1 };
  return {
    name, label: name, factors, media: "", simulated: false, work, description: "",
    load_line: { rung: 0, count: interval, open: false, unstable: false, text: "" },
    rungs: resources.map((r, i) => ({
      instances: 2 ** i, repetitions: 1, failed: 0, trials: null, throughput: interval, rolled_back: 0, errors: 0, mean: interval, p95: interval,
      percentile: null, efficiency: 1, objectives: null, kept: true, resources: r,
    })),
  };
}

test("a variant whose trials are yet to come has not failed", () => {
  assert.equal(without(variant("later", {})), "not measured");
  const [begun] = variant("begun", {}, [[]]).rungs!;
  assert.equal(without({ ...variant("begun", {}), rungs: [begun!] }), "");
  assert.equal(without({ ...variant("failed", {}), rungs: [{ ...begun!, repetitions: 0, failed: 2 }] }), "failed");
});

test("variants of two factors share colours and forms", () => {
  const all = [["hdd", "4"], ["ssd", "4"], ["hdd", "16"], ["ssd", "16"]].map(([storage, cpu]) => variant(`${storage}-${cpu}`, { storage: storage!, "storage.cpu": cpu! }));
  const look = looks(all);
  assert.equal(look.get("hdd-4")!.color, look.get("hdd-16")!.color);
  assert.notEqual(look.get("hdd-4")!.color, look.get("ssd-4")!.color);
  assert.equal(look.get("hdd-4")!.symbol, look.get("ssd-4")!.symbol);
  assert.notEqual(look.get("hdd-4")!.dash, look.get("hdd-16")!.dash);
});

test("other variants differ in colour, dash and symbol", () => {
  const look = looks([variant("a", {}), variant("b", {}), variant("c", {})]);
  assert.equal(new Set([...look.values()].map((l) => l.color)).size, 3);
  assert.equal(new Set([...look.values()].map((l) => l.symbol)).size, 3);
});

const start = "2026-03-01T10:00:00Z";

/** happened is a trial with events at seconds, given as fault, from, to. */
function happened(...events: [string, number, number?][]): TrialInfo {
  const at = (s: number) => new Date(Date.parse(start) + s * 1000).toISOString();
  return { start, events: events.map(([fault, from, to]) => ({ at: at(from), text: fault ? "fault: " + fault : "something", ...(fault ? { fault } : {}), ...(to === undefined ? {} : { until: at(to) }) })) } as unknown as TrialInfo;
}

/** frame shows 100 seconds, 5 px each, with letters of 6 px. */
const frame: Frame = { left: 50, right: 550, x: (s) => 50 + 5 * s, width: (text) => 6 * text.length, fit: (text, width) => text.slice(0, Math.floor(width / 6)) };

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

test("marks of faults and events overlap nothing", () => {
  const all = moments(happened(["stop brick 1", 5, 40], ["kill instance 0", 14, 16], ["", 14.5], ["", 15], ["restart brick 1", 20], ["", 60], ["drain node of instance 0", 95], ["a name that is longer than the whole axis of this panel, and more than that, and then some", 50, 52]));
  const marks = placed(all, frame);
  const extent = (p: typeof marks[number]) => [Math.min(p.from, p.x), Math.max(p.to, p.x + p.width)] as const;
  marks.forEach((a, i) => marks.slice(i + 1).filter((b) => b.row === a.row).forEach((b) => {
    assert.ok(extent(a)[1] <= extent(b)[0] || extent(b)[1] <= extent(a)[0], `${a.text} and ${b.text} share row ${a.row}`);
  }));
  for (const p of marks) assert.ok(p.x >= 50 && p.x + p.width <= 550.01 && p.from >= 50 && p.to <= 550, p.text);
  assert.deepEqual(marks.filter((p) => !p.moments[0]!.fault).map((p) => [p.text, p.row]), [["3…4", rowCount(marks) - 1], ["6", rowCount(marks) - 1]]);
});

test("numbers that are joined leave room for their neighbours", () => {
  const all = moments(happened(...[18, 21, 22, 80].map((s): [string, number] => ["", s])));
  const marks = placed(all, frame);
  marks.slice(1).forEach((p, i) => assert.ok(p.x >= marks[i]!.x + marks[i]!.width + 6, `${marks[i]!.text} ${p.text}`));
  assert.deepEqual(marks.map((p) => p.text), ["1…3", "4"]);
});

test("marks follow the part of the axis that is seen", () => {
  const all: Moment[] = moments(happened(["before", 1, 3], ["through", 2, 90], ["", 4], ["after", 95]));
  const part = { ...frame, x: (s: number) => 50 + 50 * (s - 10) }; // 10 to 20 s
  assert.deepEqual(placed(all, part).map((p) => [p.text, p.from, p.to]), [["through", 50, 550]]);
  assert.deepEqual(placed([], frame), []);
  assert.equal(rowCount([]), 0);
});

test("many devices become one row, the busiest of them", () => {
  const device = (name: string, utilisation: number): Resource => ({ name, kind: "device", utilisation, demand: 0 });
  const cpu: Resource = { name: "CPU of the machine", kind: "cpu", utilisation: 0.2, demand: 0 };
  const v = variant("v", {}, [[device("a", 0.1), cpu], [1, 2, 3, 4, 5].map((i) => device("d" + i, i / 10))]);
  const all = rows(v, { device: { noun: "disk", plural: "disks" } });
  assert.deepEqual(all.map((r) => r.name), ["busiest of 6 disks", "CPU of the machine"]);
  assert.equal(all[0]!.at.get(2)!.name, "d5");
});

test("a load line is read off a line in logarithms", () => {
  const dots = [{ n: 1, value: 1 }, { n: 4, value: 16 }];
  assert.equal(between(dots, 2)!.toFixed(6), "4.000000");
  assert.equal(between(dots, 4), 16);
  assert.equal(between(dots, 8), null);
  assert.equal(between(dots, 2, "linear"), 6);
});

test("a curve of two points stays straight", () => {
  const points = dense([{ n: 1, value: 10 }, { n: 200, value: 2000 }]);
  assert.equal(points.length, 17);
  for (const p of points) assert.ok(Math.abs(p.value - 10 * p.n) < 1e-6);
});

test("packed data comes back", async () => {
  const head = { tables: { rungs: "a,b\n" }, buckets: 200, left: [], notices: "" };
  const trial = { id: "a/1/1", begin: 0, step: 1000, series: [] };
  const text = gzipSync([head, trial].map((line) => JSON.stringify(line)).join("\n") + "\n").toString("base64");
  const packed = await unpack(text);
  assert.equal(packed.tables["rungs"], "a,b\n");
  assert.deepEqual(packed.trials, [trial]);
});

test("time series as CSV", () => {
  const packed: Packed = { tables: {}, buckets: 200, left: [], notices: "", trials: [{ id: 'a,"b', begin: 500, step: 1000, series: [{ kind: "cpu", metric: "user", unit: "1", mean: [0.5, null, 0.25], min: [0.4, null, 0.2], max: [0.6, null, 0.3] }] }] };
  assert.deepEqual(seriesTable(packed).trim().split("\n").slice(1), ['"a,""b",cpu,,1,user,1,0.5,0.5,0.4,0.6', '"a,""b",cpu,,1,user,1,2.5,0.25,0.2,0.3']);
});

test("time series as CSV hold no formulas", () => {
  const packed: Packed = { tables: {}, buckets: 200, left: [], notices: "", trials: [{ id: "=1+1", begin: 0, step: 1000, series: [{ kind: "cpu", metric: "user", name: "@x", unit: "1", mean: [-0.5] }] }] };
  assert.equal(seriesTable(packed).trim().split("\n")[1], "'=1+1,cpu,'@x,1,user,1,0,-0.5,-0.5,-0.5");
});

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

test("equal warnings are joined, the serious first", () => {
  const warning = (severity: string, text: string, trial: string): Warning => ({ severity, text, trial, kind: "k", form: text });
  const groups = group([warning("note", "n", "a"), warning("serious", "s", "a"), warning("note", "n", "b")]);
  assert.deepEqual(groups.map((g) => [g.warning.text, g.trials]), [["s", ["a"]], ["n", ["a", "b"]]]);
});

test("cells sort by what they mean", () => {
  assert.ok(compare("900 ms", "1.2 s") < 0);
  assert.ok(compare("1,000", "999") > 0);
  assert.ok(compare("–", "1") < 0);
  assert.ok(compare("hdd/2/1", "hdd/10/1") < 0);
});

test("ids are shortened by what they share", () => {
  const ids = ["hdd/4/1", "hdd/4/2", "hdd/4/3"];
  assert.deepEqual(ids.map((id) => shortId(id, ids)), ["hdd/4/1", "2", "3"]);
  const rungs = ["hdd/4/1", "hdd/8/1"];
  assert.deepEqual(rungs.map((id) => shortId(id, rungs)), ["hdd/4/1", "8/1"]);
});

test("the clock counts from the start", () => {
  assert.equal(clock(75), "1:15");
  assert.equal(clock(-5), "−0:05");
  assert.equal(clock(3675), "1:01:15");
});

test("arrows lead from point to point", () => {
  const points = [{ n: 1, key: "a", y: 50 }, { n: 2, key: "a", y: 40 }, { n: 1, key: "b", y: 20 }, { n: 2, key: "b", y: 60 }];
  assert.equal(next(points, 0, "ArrowRight"), 1);
  assert.equal(next(points, 1, "ArrowRight"), -1);
  assert.equal(next(points, 0, "ArrowUp"), 2);
  assert.equal(next(points, 1, "ArrowDown"), 3);
  assert.equal(next(points, 3, "Home"), 2);
  assert.equal(next(points, 0, "End"), 1);
  assert.equal(next(points, 0, "a"), -1);
  assert.equal(next(points, -1, "ArrowRight"), -1);
});

test("a label goes where it covers least", () => {
  const line = along([{ x: 0, y: 0 }, { x: 100, y: 0 }]);
  assert.ok(line.length > 10);
  const [on, below] = [{ left: 40, right: 60, top: -6, bottom: 6 }, { left: 40, right: 60, top: 8, bottom: 20 }];
  assert.equal(clearest([on, below], line), 1);
  assert.equal(clearest([on, below], []), 0);
  assert.equal(clearest([on], line), 0);
});

/** said marks the figures of a text: "late by {3| %}" with a value for each. */
function said(marked: string, ...values: number[]): { text: string; figures: Figure[] } {
  const figures: Figure[] = [];
  let text = "";
  for (const part of marked.split(/(\{[^}]*\})/)) {
    const plain = part.replace(/[{}]/g, "");
    if (plain !== part) figures.push({ at: [...text].length, length: [...plain].length, value: values[figures.length]! });
    text += plain;
  }
  return { text, figures };
}

test("texts that differ in figures only are said once", () => {
  const texts = [said("users woke {180 µs} late, {3 %} of an order's time", 180e-6, 0.03), said("users woke {1.2 ms} late, {12 %} of an order's time", 1.2e-3, 0.12), said("users woke {900 µs} late, {7.5 %} of an order's time", 900e-6, 0.075)];
  assert.equal(joined(texts), "users woke 180 µs to 1.2 ms late, 3 to 12 % of an order's time");
  assert.equal(joined([said("😀 {1,024} of p95 in peer1", 1024), said("😀 {24} of p95 in peer1", 24)]), "😀 24 to 1,024 of p95 in peer1");
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
  const usual = [...usualNotes(all, shop.unit).values()];
  assert.deepEqual(usual.map((same) => same.map((r) => r.text)), [["all 24 present", "all 9 present", "all 7 present"]]);
  assert.equal(usual[0]![0]!.together(all.slice(0, 3)), "all 7 to 24 acknowledged orders present, all checks passed");
});

test("devices of the storage are told from those below them", () => {
  const variant = { rungs: [{ resources: [{ name: "disk loop3 (hdd)", kind: "device", device: "loop3" }, { name: "CPU of the machine", kind: "cpu" }] }] } as unknown as Variant;
  assert.deepEqual([...deviceNames(variant, ["vda"])], [["loop3", "loop3 (hdd)"], ["vda", "vda, disk of the machine below"]]);
  assert.deepEqual([...deviceNames(undefined, ["vda"])], []);
});

test("limits are written one way", () => {
  assert.equal(readable("text", "p95 <= 200ms, errors <= 0.1%"), "p95 ≤ 200 ms, errors ≤ 0.1 %");
  assert.equal(readable("fragment", "p95 <= 200ms"), "p95 <= 200ms");
  assert.equal(readable("text", "rate >= 99%"), "rate ≥ 99 %");
  assert.equal(readable("n", 5), 5);
});

test("a band that says nothing is not drawn", () => {
  const point = (low: number, high: number) => ({ n: 1, value: 10, low, high });
  assert.ok(telling([point(9, 11), point(9, 11), point(1, 90)]));
  assert.ok(!telling([point(1, 40), point(0, 60), point(9, 11)]));
});
