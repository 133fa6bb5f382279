// The two figures of the first screen: response time and throughput against
// instances.

import { alsoNote } from "./also.ts";
import { drawBars, type Bar } from "../chart/bars.ts";
import { drawChart } from "../chart/chart.ts";
import type { Band, Dot, Line, Mark } from "../chart/chartdata.ts";
import { ladderScale, valueScale, type Scale } from "../chart/axes.ts";
import { compact, interval, number, plural, seconds } from "../read/format.ts";
import { Control } from "./control.ts";
import { figure, select } from "./figure.ts";
import { numbers } from "./finished.ts";
import { differences, referenceBars, referenceNote, references, referenceToggles } from "./reference.ts";
import { h } from "../chart/dom.ts";
import type { Interval, LoadLine, Point, Rung, Variant } from "../read/model.ts";
import { bounded, lineBounds, measured, rungs, statistic } from "../read/reading.ts";
import { type Page } from "./page.ts";
import { label } from "../chart/palette.ts";
import { faultsNote, rungFaults } from "../chart/rungfaults.ts";

/** height of the frames, flatter on phones. */
export function frameHeight(width: number): number {
  return Math.round(Math.min(380, Math.max(250, width * 0.56)));
}

/** counts are all measured instance counts of the variants. */
export function counts(variants: Variant[]): number[] {
  return [...new Set(variants.flatMap((v) => rungs(v).map((r) => r.instances)))].sort((a, b) => a - b);
}

/** line is a variant's line for one value of its rungs; with the name of the metric,
 * it includes the reference results. */
export function line(page: Page, variant: Variant, of: (r: Rung) => Interval, write: (v: number) => string, metric = ""): Line {
  const look = page.look(variant.name);
  const dots = rungs(variant).filter(measured).flatMap((r) => dot(page, variant, r, of(r), write, metric));
  const failed = rungs(variant).filter((r) => !measured(r)).map((r) => r.instances);
  return { key: variant.name, variant: variant.name, label: label(variant), color: look.color, dash: look.dash, symbol: look.symbol, dots, failed, references: references(page, variant, metric, write) };
}

function dot(page: Page, variant: Variant, r: Rung, i: Interval, write: (v: number) => string, metric: string): Dot[] {
  if (i.value === null || !(i.value > 0)) return [];
  const title = [
    `${label(variant)}, ${plural(r.instances, page.noun)}`,
    interval(i, (v) => write(v ?? 0)),
    r.repetitions > 1 ? `median of ${plural(r.repetitions, "trial")}` : "",
    judgement(r),
    r.faults?.length ? "faults: " + r.faults.join(", ") : "",
    ...differences(page, variant, r.instances, metric),
  ].filter(Boolean).join("\n");
  const kept = !(r.objectives ?? []).length || r.kept;
  return [{ n: r.instances, value: i.value, low: bounded(i) ? i.low : i.value, high: bounded(i) ? i.high : i.value, kept, title }];
}

function judgement(r: Rung): string {
  const broken = [...(r.objectives ?? []).filter((o) => !o.kept).map((o) => o.text), ...(r.breaks ? [r.breaks] : [])];
  if (!(r.objectives ?? []).length) return "";
  return broken.length ? "breaks " + broken.join(", ") : "keeps every objective";
}

/** faint lines give the variants that are not in focus as context. */
function faint(page: Page, of: (r: Rung) => Interval): Line[] {
  return page.variants.filter((v) => !page.focus.has(v.name)).map((v) => ({ ...line(page, v, of, number), faint: true }));
}

/** marks are the load lines of the variants. */
function marks(page: Page, variants: Variant[]): Mark[] {
  if (!page.analysis.study.objectives?.length || page.decision.by_factor) return [];
  return variants.filter((v) => rungs(v).length > 0 && !v.load_line.unmeasured).map((v) => ({ key: v.name, color: page.look(v.name).color, ...mark(v.load_line) }));
}

function mark(line: LoadLine): Omit<Mark, "key" | "color"> {
  const count = line.count.value ?? line.rung;
  const { low, high } = lineBounds(line);
  return { count, open: line.open, text: line.bracket.text + (line.unstable ? ", unstable" : ""), low: Math.min(low, count), high: Math.max(high ?? count, count) };
}

const statisticNames: Record<string, string> = {
  mean: "Mean", p50: "Median", p90: "90th percentile", p95: "95th percentile", p99: "99th percentile",
  "p99.9": "99.9th percentile", max: "Longest",
};

/** statisticName is a statistic of response times in words. */
export function statisticName(name: string): string {
  return statisticNames[name] ?? name;
}

/** available lists the statistics that any rung has. */
export function available(page: Page): string[] {
  return Object.keys(statisticNames).filter((name) =>
    page.variants.some((v) => rungs(v).some((r) => statistic(r, name).value !== null)));
}

/** firstStatistic is the statistic of the answer, or of the first objective on the unit of work. */
export function firstStatistic(page: Page, names = available(page)): string {
  const answers = page.analysis.answer?.metric;
  if (answers && names.includes(answers)) return answers;
  const objective = (page.analysis.study.objectives ?? []).find((o) => names.includes(o.metric) && (!o.operation || o.operation === page.whole));
  return objective?.metric ?? (names.includes("mean") ? "mean" : names[0] ?? "mean");
}

/** responseFigure draws response time against instances. */
export function responseFigure(page: Page): HTMLElement | null {
  const names = available(page);
  if (names.length === 0) return null;
  const statistics = new Control(page, "response-statistic", names.map((value) => ({ value, text: value })), firstStatistic(page, names));
  const scale = scales(page, "response", valueScale(page.variants.flatMap((v) => rungs(v).map((r) => statistic(r, statistics.value).value ?? 0))));
  const note = h("span", {}, responseNote(page, statistics.value));
  return figure(page, {
    id: "response", title: "Response time", note,
    controls: [
      statistics.element("Statistic", (...of) => select(...of, true)),
      several(page) ? scale.element(scaleLabel) : null,
      ...referenceToggles(page, () => statistics.value),
    ],
    draw: (width) => {
      const name = statistics.value;
      note.textContent = responseNote(page, name);
      const variants = page.focused();
      const objective = (page.analysis.study.objectives ?? []).find((o) => o.metric === name && (!o.operation));
      const of = (r: Rung) => statistic(r, name);
      const limit = objective?.limit ? { value: objective.limit, text: `objective ${objective.metric} ≤ ${seconds(objective.limit)}` } : undefined;
      if (!several(page)) return barsOf(page, "Response time", "s", of, seconds, width, name, limit);
      const foretold = (v: Variant) => name === "mean" ? curve(v.scalability?.response) : undefined;
      return drawChart({
        label: `${statisticName(name)} response time against ${page.noun}s`, xLabel: page.noun + "s", description: describe(page, variants, of, seconds),
        width, height: frameHeight(width), scale: scale.value, unit: "s", format: seconds, counts: counts(page.variants),
        lines: unnamed([...faint(page, of), ...variants.map((v) => ({ ...line(page, v, of, seconds, name), model: foretold(v) }))]),
        marks: marks(page, variants), faults: rungFaults(variants, page.noun), limit,
      });
    },
    numbers: () => h("div", {}, numbers(page, "rungs"), numbers(page, "response")),
  });
}

function responseNote(page: Page, name: string): string {
  const broken = page.variants.some((v) => rungs(v).some((r) => measured(r) && (r.objectives ?? []).length && !r.kept));
  const model = name === "mean" && page.variants.some((v) => v.scalability?.response?.length) ? " Thin line: predicted from measured demands." : "";
  return statisticName(name) + "." + (broken ? " Hollow symbols miss an objective." : "") + model + faultsNote(page.variants) + referenceNote(page, name, available(page));
}

/** several says that there is more than one rung to draw against. */
export function several(page: Page): boolean {
  return counts(page.variants).length > 1;
}

/** scales are the scales of a figure's value axis. */
export function scales(page: Page, figure: string, first: Scale): Control<Scale> {
  return new Control<Scale>(page, figure + "-scale", [{ value: "linear", text: "linear" }, { value: "log", text: "log" }], first);
}

export const scaleLabel = "Scale of the axis";

/** describe says a figure in words. */
export function describe(page: Page, variants: Variant[], of: (r: Rung) => Interval, write: (v: number) => string): string {
  return variants.map((v) => {
    const dots = line(page, v, of, write).dots;
    const [first, last] = [dots[0], dots.at(-1)];
    if (!first || !last) return `${label(v)}: no values.`;
    return `${label(v)}: ${write(first.value)} at ${plural(first.n, page.noun)}, ${write(last.value)} at ${last.n}.`;
  }).join(" ");
}

/** throughputFigure draws throughput against instances. */
export function throughputFigure(page: Page): HTMLElement {
  const unit = page.analysis.study.unit;
  const scale = scales(page, "throughput", ladderScale(counts(page.variants))); // so that growth in proportion is a straight line
  return figure(page, {
    id: "throughput", title: `Throughput, ${unit}`,
    note: (page.published ? "As published." : "Committed work only.") + alsoNote(page) +
      (page.variants.some((v) => band(v)) && several(page) ? " Thin line: the fitted scalability law." : "") + faultsNote(page.variants) + referenceNote(page, "throughput"),
    controls: [several(page) ? scale.element(scaleLabel) : null, ...referenceToggles(page, () => "throughput")],
    draw: (width) => {
      const variants = page.focused();
      const of = (r: Rung) => r.throughput;
      const single = Math.max(0, ...variants.map((v) => perInstance(v)));
      if (!several(page)) return barsOf(page, "Throughput", unit, of, (v) => `${number(v)} ${unit}`, width, "throughput");
      return drawChart({
        label: `Throughput in ${unit} against ${page.noun}s`, xLabel: page.noun + "s", bands: variants.length > 2 ? 0 : 0.13, description: describe(page, variants, of, (v) => `${number(v)} ${unit}`),
        width, height: frameHeight(width), scale: scale.value, unit, format: compact, write: number, counts: counts(page.variants),
        lines: unnamed([...faint(page, of), ...variants.map((v) => ({ ...line(page, v, of, (x) => `${number(x)} ${unit}`, "throughput"), model: band(v) }))]),
        marks: marks(page, variants), faults: rungFaults(variants, page.noun),
        linear: single > 0 ? { perInstance: single, text: "linear" } : undefined,
      });
    },
    numbers: () => h("div", {}, numbers(page, "rungs"), numbers(page, "throughput")),
  });
}

/** perInstance is the throughput of one instance at the smallest rung. */
function perInstance(v: Variant): number {
  const first = rungs(v).find((r) => measured(r) && (r.throughput.value ?? 0) > 0);
  return first ? first.throughput.value! / first.instances : 0;
}

/** unnamed takes the label off a line that stands alone: the verdict names it. */
export function unnamed(lines: Line[]): Line[] {
  return lines.length === 1 && !lines[0]!.references?.length ? [{ ...lines[0]!, label: "" }] : lines;
}

/** barsOf compares variants where only one rung was measured. */
function barsOf(page: Page, what: string, unit: string, of: (r: Rung) => Interval, write: (v: number) => string, width: number, metric: string, limit?: { value: number; text: string }): Element {
  const variants = page.focused();
  const bars = variants.flatMap((v): Bar[] => line(page, v, of, write).dots.map((d) => ({
    label: label(v), color: page.look(v.name).color, value: d.value, low: d.low, high: d.high, text: write(d.value), kept: d.kept,
    faults: rungs(v).some((r) => r.faults?.length), references: referenceBars(page, v, d.n, metric),
  })));
  const description = describe(page, variants, of, write);
  return bars.length ? drawBars({ label: what, unit, description, width, bars, limit }) : h("p", { class: "note" }, "Nothing to draw: not measured for the variants in focus.");
}

/** curve is a model's curve without points that could not be computed. */
export function curve(points: Point[] | null | undefined): Band[] | undefined {
  const known = (points ?? []).filter((p) => p.n !== null && p.value !== null).map((p) => ({ n: p.n!, value: p.value!, low: p.low ?? p.value!, high: p.high ?? p.value! }));
  return known.length > 1 ? known : undefined;
}

/** band is the model of a variant, unless its band is too wide to say anything. */
export function band(v: Variant): Band[] | undefined {
  const model = curve(v.scalability?.model);
  return model && telling(model) ? model : undefined;
}

/** telling says that a model's band is narrow enough to say something: half of
 * its points lie within a quarter of the value to either side. */
export function telling(model: Band[]): boolean {
  const widths = model.map((p) => (p.high - p.low) / p.value).sort((a, b) => a - b);
  return widths[Math.floor(widths.length / 2)]! <= 0.5;
}

/** verdictOf says whether a rung kept its objectives. */
export function verdictOf(r: Rung): Element | string {
  if (!(r.objectives ?? []).length) return "";
  return r.kept ? h("span", { class: "kept" }, "kept") : h("span", { class: "broken", title: r.breaks }, "broken");
}
