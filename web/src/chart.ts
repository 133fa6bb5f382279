// Values against instances: the chart that most figures are.

import * as Plot from "@observablehq/plot";
import { ladderScale, ladderTicks, logTicks, spread, type Scale } from "./axes.ts";
import { h, svg } from "./dom.ts";
import { chartNumbers, numbered } from "./export.ts";
import { compact } from "./format.ts";
import { fit, textWidth } from "./measure.ts";
import type { Symbol } from "./palette.ts";

/** Dot is one measured rung. */
export interface Dot { n: number; value: number; low: number; high: number; kept: boolean; title: string }

/** Band is one point of a model's curve with its band. */
export interface Band { n: number; value: number; low: number; high: number }

/** Line is one line of the chart. */
export interface Line {
  key: string; label: string; color: string; dash: string; symbol: Symbol;
  variant?: string; // whose trials the dots are of
  dots: Dot[];
  failed?: number[]; // rungs without a value
  model?: Band[];
  extra?: { label: string; dash: string; points: { n: number; value: number }[] }[]; // other curves
  faint?: boolean; // context only: no label, no dots
}

/** Mark is a load line: where it lies and how sure that is. */
export interface Mark {
  key: string; color: string; count: number; low: number; high: number; open: boolean; text: string;
}

/** Chart says what to draw. */
export interface Chart {
  label: string; description: string; // for screen readers
  width: number; height: number;
  scale: Scale; // of the values
  zero?: boolean;
  top?: number; // the largest value that must be seen
  unit: string; // of the values, for those who take them away
  format: (v: number) => string; // ticks
  write?: (v: number) => string; // a value by itself, unless as the ticks
  lines: Line[];
  marks?: Mark[];
  limit?: { value: number; text: string };
  linear?: { perInstance: number; text: string };
  peak?: { n: number; value: number; text: string };
  counts: number[]; // the rungs
  bands?: number; // opacity of the bands
  xLabel: string;
  xScale?: Scale; // what suits the counts, unless told
  xFormat?: (n: number) => string; // ticks
}

const fontSize = 12;
const laneHeight = 19;
const axisHeight = 34;

/** chartOf knows what was drawn in a drawing. */
export const chartOf = new WeakMap<Element, Chart>();

/** drawChart draws it as SVG, or says that there is nothing to draw. */
export function drawChart(c: Chart): Element {
  if (c.lines.every((line) => line.dots.length === 0)) {
    const failed = c.lines.some((line) => line.failed?.length);
    return h("p", { class: "note" }, failed ? "Nothing to draw: every trial failed." : "Nothing to draw: no value was measured.");
  }
  const xScale = c.xScale ?? ladderScale(c.counts);
  const left = leftMargin(c);
  const right = rightMargin(c);
  const lanes = c.marks?.length ?? 0;
  const bottom = axisHeight + (lanes ? 6 + lanes * laneHeight : 0);
  const [low, high] = domain(c);
  const plot = Plot.plot({
    width: c.width, height: c.height + (lanes ? 6 + lanes * laneHeight : 0),
    marginLeft: left, marginRight: right, marginTop: anyFailed(c) ? 30 : 16, marginBottom: bottom,
    ariaLabel: c.label, ariaDescription: c.description,
    style: { fontSize: `${fontSize}px`, fontFamily: "inherit", overflow: "visible", background: "none" },
    x: { type: xScale, domain: xDomain(c, xScale), label: null },
    y: { type: c.scale, domain: [low, high], label: null },
    symbol: { legend: false },
    clip: false,
    marks: marksOf(c, xScale, left, right, low, high),
  });
  plot.setAttribute("role", "img");
  chartOf.set(plot, c);
  return numbered(plot, () => chartNumbers(c));
}

function leftMargin(c: Chart): number {
  const [low, high] = domain(c);
  const ticks = yTicks(c, low, high);
  const lane = c.marks?.length ? textWidth("load line", fontSize) : 0;
  return Math.ceil(Math.max(...ticks.map((v) => textWidth(c.format(v), fontSize)), 20, lane)) + 12;
}

function rightMargin(c: Chart): number {
  const labels = c.lines.filter((line) => !line.faint && line.label).map((line) => textWidth(line.label, fontSize, 600));
  const marks = (c.marks ?? []).filter((m) => m.open).map((m) => textWidth(m.text, fontSize) + 6);
  const extra = c.lines.flatMap((line) => (line.extra ?? []).map((e) => textWidth(e.label, fontSize)));
  return Math.ceil(Math.min(Math.max(8, ...labels, ...marks, ...extra), c.width * (c.width < 420 ? 0.36 : 0.3))) + 18;
}

/** xDomain spans the rungs and, a little further, the model. */
function xDomain(c: Chart, scale: Scale): [number, number] {
  const all = [...c.counts, ...c.lines.flatMap((line) => (line.model ?? []).map((p) => p.n))].filter((n) => scale === "linear" || n > 0);
  const low = Math.min(...c.counts);
  const high = Math.min(Math.max(...all), Math.max(...c.counts) * (scale === "log" ? 1.35 : 1.15));
  if (low === high) return [low * 0.5, high * 1.5];
  return scale === "log" ? [low / 1.08, high * 1.04] : [low - (high - low) * 0.05, high + (high - low) * 0.02];
}

/** domain spans the values: from zero where asked, with some room above. */
function domain(c: Chart): [number, number] {
  const values = c.lines.flatMap((line) => line.dots.flatMap((d) => [d.value, d.low, d.high])).filter((v) => v > 0);
  if (c.limit) values.push(c.limit.value);
  if (c.top) values.push(c.top);
  if (values.length === 0) return [c.scale === "log" ? 0.1 : 0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (c.scale === "log") return [low / 1.25, high * 1.35];
  return [c.zero === false ? low * 0.95 : 0, high * 1.08];
}

function yTicks(c: Chart, low: number, high: number): number[] {
  if (c.scale === "log") return logTicks(low, high);
  const wanted = Math.max(3, Math.round(c.height / 60));
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? rough;
  const ticks: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high * 1.0001; v += step) ticks.push(Number(v.toPrecision(10)));
  return ticks;
}

function marksOf(c: Chart, xScale: Scale, left: number, right: number, low: number, high: number): Plot.Markish[] {
  const ticks = yTicks(c, low, high);
  const clamp = (v: number) => Math.min(Math.max(v, low), high);
  const bold = c.lines.filter((line) => !line.faint);
  return [
    Plot.gridY(ticks, { stroke: "var(--rule)", strokeOpacity: 1 }),
    Plot.axisY(ticks, { text: (v: number) => c.format(v), tickSize: 0, tickPadding: 6, fill: "var(--muted)" }),
    Plot.axisX(ladderTicks(c.counts, xScale, c.width - left - right, tickGap(c)), { text: c.xFormat ?? compact, tickSize: 4, fill: "var(--muted)", stroke: "var(--muted)" }),
    Plot.ruleY([low], { stroke: "var(--muted)" }),
    c.limit && Plot.rectY([c.limit.value], { y1: c.limit.value, y2: high, x1: xDomain(c, xScale)[0], x2: xDomain(c, xScale)[1], fill: "var(--bad)", fillOpacity: 0.06 }),
    c.limit && Plot.ruleY([c.limit.value], { stroke: "var(--bad)", strokeWidth: 1.25, strokeDasharray: "none" }),
    c.linear && Plot.line(linearPoints(c, high), { x: "n", y: "value", stroke: "var(--muted)", strokeWidth: 1, strokeDasharray: "1 4", strokeLinecap: "round" }),
    c.lines.map((line) => [
      line.model && c.bands !== 0 && Plot.areaY(line.model.filter(inside(c)), { x: "n", y1: (p: Band) => clamp(p.low), y2: (p: Band) => clamp(p.high), fill: line.color, fillOpacity: c.bands ?? 0.13 }),
      line.model && Plot.line(line.model.filter((p) => inside(c)(p) && p.value <= high), { x: "n", y: "value", stroke: line.color, strokeOpacity: 0.55, strokeWidth: 1 }),
      (line.extra ?? []).map((e) => Plot.line(dense(e.points, c).filter((p) => p.value <= high), { x: "n", y: "value", stroke: "var(--muted)", strokeWidth: 1.25, strokeDasharray: e.dash })),
      Plot.line(line.dots, { x: "n", y: "value", stroke: line.faint ? "var(--faint)" : line.color, strokeWidth: line.faint ? 1 : 2, strokeDasharray: line.faint ? "" : line.dash }),
    ]),
    bold.map((line) => [
      Plot.ruleX(line.dots.filter((d) => d.high > d.low), { x: "n", y1: "low", y2: "high", stroke: line.color, strokeWidth: 1.5 }),
      symbols(line, true),
      symbols(line, false),
    ]),
    overlay((box) => overlays(c, box)),
    Plot.tip(bold.flatMap((line) => line.dots), Plot.pointer({ x: "n", y: "value", title: "title", fill: "var(--surface)", stroke: "var(--rule)", fontSize, lineHeight: 1.35, maxRadius: 50 })),
  ].flat(3).filter(Boolean) as Plot.Markish[];
}

/** tickGap is what the widest tick needs. */
function tickGap(c: Chart): number {
  return c.xFormat ? Math.max(...c.counts.map((n) => textWidth(c.xFormat!(n), fontSize))) + 8 : 26;
}

/** dense reads a curve of few points at many, straight between them, so that
 * a straight line stays one on a logarithmic axis. */
export function dense(points: { n: number; value: number }[], c: Chart): { n: number; value: number }[] {
  const [from, to] = [Math.min(...c.counts), Math.max(...c.counts)];
  const out: { n: number; value: number }[] = [];
  for (let i = 0; i <= 80 && to > from; i++) {
    const n = from * (to / from) ** (i / 80);
    const after = points.findIndex((p) => p.n >= n * 0.999999);
    if (after < 0 || (after === 0 && points[0]!.n > n * 1.000001)) continue;
    const [a, b] = [points[Math.max(after - 1, 0)]!, points[after]!];
    out.push({ n, value: b.n === a.n ? b.value : a.value + ((b.value - a.value) * (n - a.n)) / (b.n - a.n) });
  }
  return out;
}

/** symbols are filled where every objective was kept, hollow where not. */
function symbols(line: Line, kept: boolean): Plot.Markish {
  return Plot.dot(line.dots.filter((d) => d.kept === kept), {
    x: "n", y: "value", symbol: line.symbol, r: 4, stroke: line.color, strokeWidth: 1.75, fill: kept ? line.color : "var(--surface)",
  });
}

function inside(c: Chart): (p: { n: number }) => boolean {
  const most = Math.max(...c.counts) * 1.35;
  const least = Math.min(...c.counts) * 0.999;
  return (p) => p.n <= most && p.n >= least;
}

/** linearPoints is a line of so much per instance, cut at the top. */
function linearPoints(c: Chart, high: number): { n: number; value: number }[] {
  const [first, last] = [Math.min(...c.counts), Math.max(...c.counts)];
  const points = [];
  for (let i = 0; i <= 60; i++) {
    const n = first * (last / first) ** (i / 60);
    const value = n * c.linear!.perInstance;
    if (value > high) {
      points.push({ n: high / c.linear!.perInstance, value: high });
      break;
    }
    points.push({ n, value });
  }
  return points;
}

/** Box is the frame in pixels with the scales. */
interface Box { x: (n: number) => number; y: (v: number) => number; left: number; right: number; top: number; bottom: number; width: number }

/** overlay is a mark that draws by itself, in pixels. */
function overlay(draw: (box: Box) => SVGElement): Plot.Markish {
  const render: Plot.RenderFunction = (_index, scales, _values, d) => draw({
    x: scales.x as Box["x"], y: scales.y as Box["y"], left: d.marginLeft, right: d.width - d.marginRight,
    top: d.marginTop, bottom: d.height - d.marginBottom, width: d.width,
  });
  return render as unknown as Plot.Markish;
}

function overlays(c: Chart, box: Box): SVGElement {
  return svg("g", { "aria-hidden": "true", "text-anchor": "start" },
    c.limit ? limitLabel(c.limit, box) : null,
    c.linear ? linearLabel(c, box) : null,
    c.peak ? peakMark(c.peak, box) : null,
    failures(c, box),
    lineLabels(c, box),
    svg("text", { x: box.left, y: box.bottom + 31, class: "axis-label" }, c.xLabel),
    c.marks?.length ? svg("text", { x: box.left - 12, y: box.bottom + axisHeight + 12, "text-anchor": "end", class: "axis-label" }, "load line") : null,
    (c.marks ?? []).map((mark, i) => lane(c, mark, box, box.bottom + axisHeight + 8 + i * laneHeight)),
  );
}

function limitLabel(limit: { value: number; text: string }, box: Box): SVGElement {
  return svg("text", { x: box.left + 4, y: box.y(limit.value) - 5, class: "limit-label halo" }, limit.text);
}

function linearLabel(c: Chart, box: Box): SVGElement | null {
  const points = linearPoints(c, Infinity).filter((p) => box.y(p.value) > box.top + 14);
  const at = points[Math.floor(points.length * 0.82)];
  if (!at) return null;
  return svg("text", { x: box.x(at.n) - 6, y: box.y(at.value) - 2, "text-anchor": "end", class: "note-label halo" }, c.linear!.text);
}

function peakMark(peak: { n: number; value: number; text: string }, box: Box): SVGElement | null {
  const x = box.x(peak.n);
  if (!(x <= box.right)) return null;
  const near = x - box.left < textWidth(peak.text, 11.5) + 8;
  return svg("g", {},
    svg("line", { x1: x, x2: x, y1: Math.max(box.y(peak.value), box.top) + 4, y2: box.bottom, stroke: "var(--muted)", "stroke-dasharray": "2 3" }),
    svg("text", { x: near ? x + 5 : x - 5, y: box.bottom - 6, "text-anchor": near ? "start" : "end", class: "note-label halo" }, peak.text));
}

/** failures marks rungs where every trial failed, in a lane above the frame. */
function failures(c: Chart, box: Box): SVGElement[] {
  const taken = new Map<number, number>();
  const marks = c.lines.filter((line) => !line.faint).flatMap((line) => (line.failed ?? []).map((n) => {
    const before = taken.get(n) ?? 0;
    taken.set(n, before + 1);
    return svg("path", { d: "M-3.5,-3.5 l7,7 M-3.5,3.5 l7,-7", transform: `translate(${box.x(n) - before * 11} 9)`, stroke: line.color, "stroke-width": 2 });
  }));
  return marks.length === 0 ? [] : [
    svg("text", { x: box.left - 12, y: 13, "text-anchor": "end", class: "axis-label" }, "failed"), ...marks,
  ];
}

function anyFailed(c: Chart): boolean {
  return c.lines.some((line) => !line.faint && line.failed?.length);
}

/** End is where a line stops, with what to call it. */
interface End { n: number; value: number; text: string; color: string; strong: boolean }

/** ends lists the ends of all lines that are named. */
function ends(c: Chart, box: Box): End[] {
  const last = <P extends { n: number; value: number }>(points: P[]) =>
    points.filter((p) => inside(c)(p) && box.y(p.value) >= box.top - 1).at(-1);
  return c.lines.filter((line) => !line.faint).flatMap((line) => {
    const end = line.label ? line.dots.at(-1) : undefined;
    const own: End[] = end ? [{ ...end, text: line.label, color: line.color, strong: true }] : [];
    return own.concat((line.extra ?? []).flatMap((e) => {
      const at = last(dense(e.points, c));
      return at ? [{ ...at, text: e.label, color: "var(--muted)", strong: false }] : [];
    }));
  });
}

/** lineLabels writes each line's name at its end, moved apart. */
function lineLabels(c: Chart, box: Box): SVGElement[] {
  const all = ends(c, box);
  const wanted = all.map((end) => box.y(end.value));
  const placed = spread(wanted, 15, box.top + 2, box.bottom - 4);
  const x = box.right + 12;
  return all.flatMap((end, i) => [
    svg("path", { d: `M${box.x(end.n) + 6},${wanted[i]} L${x - 3},${placed[i]}`, stroke: end.color, "stroke-opacity": 0.6, fill: "none", "stroke-width": 1 }),
    svg("text", { x, y: placed[i]! + 4, fill: end.color, class: end.strong ? "line-label" : "note-label" },
      fit(end.text, box.width - x, end.strong ? fontSize + 0.5 : 11.5, end.strong ? 600 : 400)),
  ]);
}

/** lane draws a load line below the axis: the mark, its interval, its text. */
function lane(c: Chart, mark: Mark, box: Box, y: number): SVGElement {
  const x = Math.max(box.left, box.x(Math.max(mark.count, Math.min(...c.counts) * 0.93)));
  const at = (v: number) => Math.min(Math.max(box.x(Math.max(v, 0.5)), box.left), box.right);
  const width = textWidth(mark.text, fontSize) + 16;
  const after = Math.max(x + 13, mark.high > mark.low ? at(mark.high) + 7 : 0);
  const textLeft = !mark.open && after + width - 10 > box.width;
  const before = Math.min(x - 13, mark.high > mark.low ? at(mark.low) - 7 : Infinity);
  const line = c.lines.find((l) => l.key === mark.key);
  return svg("g", { class: "load-line" },
    svg("line", { x1: box.left, x2: box.right, y1: y, y2: y, stroke: "var(--rule)", "stroke-dasharray": "1 3" }),
    !mark.open && mark.count > 0 ? guide(mark, line, box, x, y) : null,
    mark.high > mark.low ? svg("line", { x1: at(mark.low), x2: at(mark.high), y1: y, y2: y, stroke: mark.color, "stroke-width": 6, "stroke-opacity": 0.3, "stroke-linecap": "butt" }) : null,
    plimsoll(x, y, mark.color),
    mark.open ? svg("path", { d: `M${x + 9},${y - 3.5} l4,3.5 l-4,3.5`, stroke: mark.color, fill: "none", "stroke-width": 1.5 }) : null,
    svg("text", {
      x: textLeft ? before : mark.open ? after + 4 : after, y: y + 4,
      "text-anchor": textLeft ? "end" : "start", class: "halo", fill: mark.color,
    }, mark.text),
  );
}

/** guide leads from the mark up to the line. */
function guide(mark: Mark, line: Line | undefined, box: Box, x: number, y: number): SVGElement | null {
  if (!line || line.faint) return null;
  const value = between(line.dots, mark.count);
  if (value === null) return null;
  return svg("line", { x1: x, x2: x, y1: y - 6, y2: Math.max(box.y(value), box.top) + 6, stroke: mark.color, "stroke-opacity": 0.7, "stroke-dasharray": "2 3" });
}

/** between reads a line at n, straight in logarithms. */
export function between(dots: { n: number; value: number }[], n: number): number | null {
  for (let i = 0; i < dots.length; i++) {
    const [a, b] = [dots[i]!, dots[i + 1]];
    if (a.n === n) return a.value;
    if (b && a.n < n && n < b.n && a.value > 0 && b.value > 0) {
      const share = Math.log(n / a.n) / Math.log(b.n / a.n);
      return a.value * (b.value / a.value) ** share;
    }
  }
  return null;
}

/** plimsoll is the load-line mark: a ring with a line through it. */
export function plimsoll(x: number, y: number, color: string, r = 5): SVGElement {
  return svg("g", { stroke: color, "stroke-width": 1.75, fill: "var(--surface)" },
    svg("circle", { cx: x, cy: y, r }),
    svg("line", { x1: x - r - 4, x2: x + r + 4, y1: y, y2: y }));
}
