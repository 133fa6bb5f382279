// Values against instances: the chart that most figures are.

import * as Plot from "@observablehq/plot";
import { ladderScale, ladderTicks, logTicks, reach, spread, type Scale } from "./axes.ts";
import { chartNumbers, type Band, type Chart, type Dot, type Line, type Mark } from "./chartdata.ts";
import { h, svg } from "./dom.ts";
import { numbered } from "./export.ts";
import { compact } from "../read/format.ts";
import { referenceLine, within, type ReferenceLine } from "./referenceline.ts";
import { fit, textWidth } from "./measure.ts";
import { shapes } from "./palette.ts";
import { along, areaOf, around, clearest, type Area, type Spot } from "./place.ts";
import { drawing, type Point } from "./points.ts";
import { faultLane, faultPoints } from "./rungfaults.ts";

const fontSize = 12;
const laneHeight = 19;
const axisHeight = 34;
const topLane = 17; // of a lane above the frame
const faultsAt = 9; // the first of them

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
    marginLeft: left, marginRight: right, marginTop: topMargin(c), marginBottom: bottom,
    ariaLabel: c.label, ariaDescription: c.description,
    style: { fontSize: `${fontSize}px`, fontFamily: "inherit", overflow: "visible", background: "none" },
    x: { type: xScale, domain: xDomain(c, xScale), label: null },
    y: { type: c.scale, domain: [low, high], label: null },
    symbol: { legend: false },
    clip: false,
    marks: marksOf(c, xScale, left, right, low, high),
  });
  drawing(plot, pointsOf(c, plot as Plot.Plot, xScale));
  chartOf.set(plot, c);
  return numbered(plot, () => chartNumbers(c));
}

/** pointsOf are the rungs that can be pointed at. */
function pointsOf(c: Chart, plot: Plot.Plot, xScale: Scale): Point[] {
  const at = (name: "x" | "y", v: number) => plot.scale(name)!.apply(v) as number;
  const point = (key: string) => (d: { n: number; value: number; title: string }) => ({ x: at("x", d.n), y: at("y", d.value), n: d.n, key, title: d.title });
  const bold = c.lines.filter((line) => !line.faint);
  return [
    ...bold.flatMap((line) => line.dots.map(point(line.key))),
    ...bold.flatMap((line) => (line.references ?? []).flatMap((g) => g.dots.filter(framed(c, xScale)).map(point(g.key)))),
    ...faultPoints(c.faults ?? [], (n) => at("x", n), faultsAt),
  ];
}

/** topMargin has room for the lanes above the frame: faults, then failures. */
function topMargin(c: Chart): number {
  const lanes = (c.faults?.length ? 1 : 0) + (anyFailed(c) ? 1 : 0);
  return lanes ? 13 + lanes * topLane : 16;
}

function leftMargin(c: Chart): number {
  const [low, high] = domain(c);
  const ticks = yTicks(c, low, high);
  const lane = c.marks?.length ? textWidth("load line", fontSize) : c.faults?.length ? textWidth("faults", fontSize) : 0;
  return Math.ceil(Math.max(...ticks.map((v) => textWidth(c.format(v), fontSize)), 20, lane)) + 12;
}

function rightMargin(c: Chart): number {
  const labels = c.lines.filter((line) => !line.faint && line.label).map((line) => textWidth(line.label, fontSize, 600));
  const marks = (c.marks ?? []).filter((m) => m.open).map((m) => textWidth(m.text, fontSize) + 6);
  const extra = c.lines.flatMap((line) => [...line.extra ?? [], ...line.references ?? []].map((e) => textWidth(e.label, fontSize)));
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
  const values = c.lines.flatMap((line) => line.dots.map((d) => d.value)).filter((v) => v > 0);
  values.push(...reach(values, c.lines.flatMap((line) => line.dots.flatMap((d) => [d.low, d.high]))));
  values.push(...reach(values, c.lines.flatMap((line) => (line.references ?? []).flatMap((g) => g.dots.filter(inside(c)).flatMap((d) => [d.value, d.low, d.high])))));
  if (c.limit) values.push(c.limit.value);
  if (c.top) values.push(c.top);
  if (values.length === 0) return [c.scale === "log" ? 0.1 : 0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (c.scale === "log") return [low / 1.25, high * 1.35];
  return [c.zero === false ? low * 0.95 : 0, high * 1.08];
}

/** framed says that a point lies within the frame. */
function framed(c: Chart, xScale: Scale): (p: { n: number; value: number }) => boolean {
  const [[first, last], [low, high]] = [xDomain(c, xScale), domain(c)];
  return (p) => p.n >= first && p.n <= last && p.value >= low && p.value <= high;
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
    overlay((box) => referenceLines(c, box, xScale)),
    c.lines.map((line) => [
      line.model && c.bands !== 0 && Plot.areaY(straight(line.model.filter(inside(c)), c, xScale), { x: "n", y1: (p: Band) => clamp(p.low), y2: (p: Band) => clamp(p.high), fill: line.color, fillOpacity: c.bands ?? 0.13 }),
      line.model && Plot.line(straight(line.model.filter(inside(c)), c, xScale).filter((p) => p.value <= high), { x: "n", y: "value", stroke: line.color, strokeOpacity: 0.55, strokeWidth: 1 }),
      (line.extra ?? []).map((e) => Plot.line(dense(e.points).filter((p) => inside(c)(p) && p.value <= high), { x: "n", y: "value", stroke: "var(--muted)", strokeWidth: 1.25, strokeDasharray: e.dash })),
      Plot.line(straight(line.dots, c, xScale), { x: "n", y: "value", stroke: line.faint ? "var(--faint)" : line.color, strokeWidth: line.faint ? 1 : 2, strokeDasharray: line.faint ? "" : line.dash }),
    ]),
    bold.map((line) => [
      Plot.ruleX(line.dots.filter((d) => d.high > d.low), { x: "n", y1: (d: Dot) => clamp(d.low), y2: (d: Dot) => clamp(d.high), stroke: line.color, strokeWidth: 1.5 }),
      cuts(line, line.dots.filter((d) => d.high > high), high, 0),
      low > 0 && cuts(line, line.dots.filter((d) => d.low < low), low, 180),
      symbols(line, true),
      symbols(line, false),
    ]),
    overlay((box) => overlays(c, box, xScale)),
  ].flat(3).filter(Boolean) as Plot.Markish[];
}

/** cuts are arrow heads where intervals go on beyond the frame. */
function cuts(line: Line, dots: Dot[], at: number, rotate: number): Plot.Markish {
  return Plot.dot(dots, { x: "n", y: at, symbol: "triangle", rotate, r: 3.5, fill: line.color, stroke: "var(--surface)" });
}

/** tickGap is what the widest tick needs. */
function tickGap(c: Chart): number {
  return c.xFormat ? Math.max(...c.counts.map((n) => textWidth(c.xFormat!(n), fontSize))) + 8 : 26;
}

/** straight interpolates linearly in the count where the axes would bend the line:
 * with a logarithmic axis of counts and a linear axis of values, a straight segment
 * would look like more than proportional growth. */
function straight<P extends { n: number; value: number }>(points: P[], c: Chart, xScale: Scale): P[] {
  return xScale === "log" && c.scale === "linear" ? dense(points) : points;
}

/** dense reads a curve of few points at many, in proportion to the count
 * between them. */
export function dense<P extends { n: number }>(points: P[]): P[] {
  const steps = 16;
  return points.flatMap((a, i) => {
    const b = points[i + 1];
    if (!b || !(a.n > 0)) return [a];
    return Array.from({ length: steps }, (_, k) => midway(a, b, a.n * (b.n / a.n) ** (k / steps)));
  });
}

/** midway gives every number of two points its value at n. */
function midway<P extends { n: number }>(a: P, b: P, n: number): P {
  const share = (n - a.n) / (b.n - a.n);
  const numbers = Object.entries(a).filter(([, v]) => typeof v === "number").map(([name, v]) => [name, v + ((b as Record<string, number>)[name]! - v) * share]);
  return { ...a, ...Object.fromEntries(numbers), n };
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

/** referenceLines are drawn behind the lines. */
function referenceLines(c: Chart, box: Box, xScale: Scale): SVGElement {
  return svg("g", { class: "references" }, c.lines.map((line) => (line.references ?? []).map((g) =>
    referenceLine(g, line.color, referenceWay(c, g, box, xScale), g.dots.filter(framed(c, xScale)).map((d) => ({ x: box.x(d.n), y: box.y(d.value), low: box.y(d.low), high: box.y(d.high) })), box))));
}

/** referenceWay is a reference line in pixels, as far as the frame shows it. */
function referenceWay(c: Chart, g: ReferenceLine, box: Box, xScale: Scale): { x: number; y: number }[][] {
  return within(straight(g.dots, c, xScale).map((d) => ({ x: box.x(d.n), y: box.y(d.value) })), box);
}

function overlays(c: Chart, box: Box, xScale: Scale): SVGElement {
  return svg("g", { "text-anchor": "start" },
    notes(c, box, xScale),
    c.faults?.length ? faultLane(c.faults, box.x, box.left, faultsAt) : null,
    failures(c, box, c.faults?.length ? faultsAt + topLane : faultsAt),
    lineLabels(c, box, xScale),
    svg("text", { x: box.left, y: box.bottom + 31, class: "axis-label" }, c.xLabel),
    c.marks?.length ? svg("text", { x: box.left - 12, y: box.bottom + 31, "text-anchor": "end", class: "axis-label" }, "load line") : null,
    (c.marks ?? []).map((mark, i) => lane(c, mark, box, box.bottom + axisHeight + 8 + i * laneHeight)),
  );
}

/** notes name what the frame shows besides the lines, each where it covers
 * least of them. */
function notes(c: Chart, box: Box, xScale: Scale): (SVGElement | null)[] {
  const taken = obstacles(c, box, xScale);
  const put = (text: string, name: string, size: number, spots: Spot[]): SVGElement | null => {
    if (!text || spots.length === 0) return null;
    const areas = spots.map((spot) => areaOf(text, spot, size));
    const best = clearest(areas, taken);
    taken.push(areas[best]!);
    const { x, y, anchor } = spots[best]!;
    return svg("text", { x, y, "text-anchor": anchor, class: name }, text);
  };
  return [
    c.limit ? put(c.limit.text, "limit-label", 12, limitSpots(c.limit, box)) : null,
    c.peak && box.x(c.peak.n) <= box.right ? peakLine(c.peak, box) : null,
    c.peak ? put(c.peak.text, "note-label", 11.5, peakSpots(c.peak.n, box)) : null,
    c.linear ? put(c.linear.text, "note-label", 11.5, linearSpots(c, box)) : null,
  ];
}

/** obstacles are the points, their intervals and the lines. */
function obstacles(c: Chart, box: Box, xScale: Scale): Area[] {
  const at = (p: { n: number; value: number }) => ({ x: box.x(p.n), y: box.y(p.value) });
  return c.lines.flatMap((line) => [
    ...line.dots.map((d) => ({ ...around(box.x(d.n), 0, 7), top: box.y(Math.max(d.high, d.value)) - 7, bottom: box.y(Math.min(d.low, d.value)) + 7 })),
    ...along(straight(line.dots, c, xScale).map(at)),
    ...along(straight((line.model ?? []).filter(inside(c)), c, xScale).map(at), 1),
    ...(line.extra ?? []).flatMap((e) => along(dense(e.points).filter(inside(c)).map(at), 1)),
    ...(line.references ?? []).flatMap((g) => referenceWay(c, g, box, xScale).flatMap((piece) => along(piece, 1))),
  ]).concat(c.linear ? along(linearPoints(c, Infinity).map(at), 1) : []);
}

/** limitSpots lie on the limit or below it, from the left to the right, within
 * the frame where one has room. */
function limitSpots({ value, text }: { value: number; text: string }, box: Box): Spot[] {
  const y = box.y(value);
  const spots = [0, 0.25, 0.5, 0.75, 1].flatMap((share): Spot[] => {
    const x = box.left + 4 + share * (box.right - box.left - 8);
    const anchor = share > 0.5 ? "end" : "start";
    return [{ x, y: y - 5, anchor }, { x, y: y + 14, anchor }];
  });
  return withinFrame(text, spots, 12, box);
}

/** withinFrame leaves out spots where a text would stand beyond the frame's sides, if
 * there are others. */
function withinFrame(text: string, spots: Spot[], size: number, box: Box): Spot[] {
  const inside = spots.filter((spot) => {
    const { left, right } = areaOf(text, spot, size);
    return left >= box.left && right <= box.right;
  });
  return inside.length ? inside : spots;
}

/** linearSpots lie along the line, above or below it. */
function linearSpots(c: Chart, box: Box): Spot[] {
  const points = linearPoints(c, Infinity).filter((p) => box.y(p.value) > box.top + 12 && box.x(p.n) > box.left + 36);
  return withinFrame(c.linear!.text, points.reverse().flatMap((p): Spot[] => [
    { x: box.x(p.n) - 7, y: box.y(p.value) - 3, anchor: "end" }, { x: box.x(p.n) + 8, y: box.y(p.value) + 11, anchor: "start" },
    { x: box.x(p.n) - 14, y: box.y(p.value) - 16, anchor: "end" },
  ]), 11.5, box);
}

function peakLine(peak: { n: number; value: number }, box: Box): SVGElement {
  const x = box.x(peak.n);
  return svg("line", { x1: x, x2: x, y1: Math.max(box.y(peak.value), box.top) + 4, y2: box.bottom, stroke: "var(--muted)", "stroke-dasharray": "2 3" });
}

function peakSpots(n: number, box: Box): Spot[] {
  const x = box.x(n);
  if (!(x <= box.right)) return [];
  return [6, 24, 42, 60, 80, 100].flatMap((up): Spot[] => [{ x: x - 5, y: box.bottom - up, anchor: "end" }, { x: x + 5, y: box.bottom - up, anchor: "start" }])
    .filter((spot) => spot.anchor === "start" || spot.x - box.left > 70);
}

/** failures marks rungs where every trial failed, in a lane above the frame. */
function failures(c: Chart, box: Box, y: number): SVGElement[] {
  const taken = new Map<number, number>();
  const marks = c.lines.filter((line) => !line.faint).flatMap((line) => (line.failed ?? []).map((n) => {
    const before = taken.get(n) ?? 0;
    taken.set(n, before + 1);
    return svg("path", { d: "M-3.5,-3.5 l7,7 M-3.5,3.5 l7,-7", transform: `translate(${box.x(n) - before * 11} ${y})`, stroke: line.color, "stroke-width": 2 });
  }));
  return marks.length === 0 ? [] : [
    svg("text", { x: box.left - 12, y: y + 4, "text-anchor": "end", class: "axis-label" }, "failed"), ...marks,
  ];
}

function anyFailed(c: Chart): boolean {
  return c.lines.some((line) => !line.faint && line.failed?.length);
}

/** End is where a line stops, with what to call it. */
interface End { x: number; y: number; text: string; color: string; name: "line-label" | "note-label" | "reference-label" }

/** ends lists the ends of all lines that are named. */
function ends(c: Chart, box: Box, xScale: Scale): End[] {
  const last = <P extends { n: number; value: number }>(points: P[]) =>
    points.filter((p) => inside(c)(p) && box.y(p.value) >= box.top - 1).at(-1);
  return c.lines.filter((line) => !line.faint).flatMap((line) => {
    const end = line.label ? line.dots.at(-1) : undefined;
    const own: End[] = end ? [{ x: box.x(end.n), y: box.y(end.value), text: line.label, color: line.color, name: "line-label" }] : [];
    return own.concat((line.extra ?? []).flatMap((e): End[] => {
      const at = last(dense(e.points));
      return at ? [{ x: box.x(at.n), y: box.y(at.value), text: e.label, color: "var(--muted)", name: "note-label" }] : [];
    }), (line.references ?? []).flatMap((g): End[] => {
      const at = referenceWay(c, g, box, xScale).at(-1)?.at(-1);
      return at && g.label ? [{ ...at, text: g.label, color: line.color, name: "reference-label" }] : [];
    }));
  });
}

/** readable is the colour for a text of what has another: the steps of what has
 * an order are too light for letters. */
function readable(color: string): string {
  return color.startsWith("var(--p") ? "var(--ink)" : color;
}

/** lineLabels writes each line's name at its end, moved apart. */
function lineLabels(c: Chart, box: Box, xScale: Scale): SVGElement[] {
  const all = ends(c, box, xScale);
  const wanted = all.map((end) => end.y);
  const placed = spread(wanted, 15, box.top + 2, box.bottom - 4);
  const x = box.right + 12;
  return all.flatMap((end, i) => [
    svg("path", { d: `M${end.x + 6},${wanted[i]} L${x - 3},${placed[i]}`, stroke: end.color, "stroke-opacity": 0.6, fill: "none", "stroke-width": 1 }),
    svg("text", { x, y: placed[i]! + 4, fill: readable(end.color), class: end.name },
      end.name === "line-label" ? fit(end.text, box.width - x, fontSize + 0.5, 600) : fit(end.text, box.width - x, 11.5)),
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
    line ? svg("path", { d: shapes[line.symbol], transform: `translate(${box.left - 19} ${y})`, fill: line.color, stroke: line.color }) : null,
    !mark.open && mark.count > 0 ? guide(c, mark, line, box, x) : null,
    mark.high > mark.low ? svg("line", { x1: at(mark.low), x2: at(mark.high), y1: y, y2: y, stroke: mark.color, "stroke-width": 6, "stroke-opacity": 0.3, "stroke-linecap": "butt" }) : null,
    plimsoll(x, y, mark.color),
    mark.open ? svg("path", { d: `M${x + 9},${y - 3.5} l4,3.5 l-4,3.5`, stroke: mark.color, fill: "none", "stroke-width": 1.5 }) : null,
    svg("text", {
      x: textLeft ? before : mark.open ? after + 4 : after, y: y + 4,
      "text-anchor": textLeft ? "end" : "start", class: "halo", fill: mark.color,
    }, mark.text),
  );
}

/** guide leads from the axis above the mark up to the line. It leaves out the
 * labels between the axis and the mark. */
function guide(c: Chart, mark: Mark, line: Line | undefined, box: Box, x: number): SVGElement | null {
  if (!line || line.faint) return null;
  const value = between(line.dots, mark.count, c.scale);
  if (value === null) return null;
  const top = Math.max(box.y(value), box.top) + 6;
  return svg("g", { class: "guide", stroke: mark.color, "stroke-opacity": 0.7 },
    svg("line", { x1: x, x2: x, y1: box.bottom, y2: Math.min(top, box.bottom), "stroke-dasharray": "2 3" }),
    svg("path", { d: shapes[line.symbol], transform: `translate(${x} ${box.bottom}) scale(0.7)`, fill: mark.color }));
}

/** between reads a line at n: straight in logarithms, or, where the values are
 * on a linear axis, in proportion to the count. */
export function between(dots: { n: number; value: number }[], n: number, scale: Scale = "log"): number | null {
  for (let i = 0; i < dots.length; i++) {
    const [a, b] = [dots[i]!, dots[i + 1]];
    if (a.n === n) return a.value;
    if (b && a.n < n && n < b.n && a.value > 0 && b.value > 0) {
      if (scale === "linear") return a.value + ((b.value - a.value) * (n - a.n)) / (b.n - a.n);
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
