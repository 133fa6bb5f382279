// Values compared as bars: a single rung, with nothing to plot against instances, and the
// best of each variant.

import { svg } from "./dom.ts";
import { numbered, type Numbers } from "./export.ts";
import { fit, textWidth } from "./measure.ts";
import { flash } from "./rungfaults.ts";

/** Bar is one variant's value with its interval, marked where its trials had faults; bars of one group stand together,
 * below its name. Reference lines are what others measured in its place. */
export interface Bar {
  label: string; group?: string; color: string; value: number; low: number; high: number; text: string; kept: boolean; faults?: boolean;
  references?: { value: number; dash: string; title: string }[];
}

/** Bars says what to draw; own gives each group a scale of its own. */
export interface Bars { label: string; unit: string; description: string; width: number; bars: Bar[]; own?: boolean; limit?: { value: number; text: string } }

const rowHeight = 30;

/** drawBars draws horizontal bars from zero. */
export function drawBars(b: Bars): Element {
  const left = Math.min(b.width * 0.42, Math.max(...b.bars.map((bar) => textWidth(bar.label, 12.5, 600)))) + 10;
  const right = Math.max(...b.bars.map((bar) => textWidth(bar.text, 12) + (bar.faults ? 16 : 0))) + 12;
  const scale = (bars: Bar[]) => {
    const most = Math.max(...bars.map((bar) => Math.max(bar.value, bar.high, ...(bar.references ?? []).map((g) => g.value))), b.limit?.value ?? 0);
    return (v: number) => left + (v / most) * (b.width - left - right);
  };
  const x = scale(b.bars);
  const own = new Map(b.own ? b.bars.map((bar) => [bar.group, scale(b.bars.filter((other) => other.group === bar.group))]) : []);
  const tops = topsOf(b);
  const height = tops.at(-1)! + rowHeight + 4;
  return numbered(svg("svg", { width: b.width, height, viewBox: `0 0 ${b.width} ${height}`, role: "img", "aria-label": b.label, class: "bars" },
    svg("desc", {}, b.description),
    axis(b, tops, left, height),
    b.bars.map((bar, i) => [heading(b, i, tops[i]!), row(bar, tops[i]!, left, own.get(bar.group) ?? x)]),
    b.limit ? svg("line", { x1: x(b.limit.value), x2: x(b.limit.value), y1: 16, y2: height, stroke: "var(--bad)", "stroke-width": 1.25 }) : null,
    b.limit ? svg("text", { x: x(b.limit.value), y: 11, "text-anchor": x(b.limit.value) > b.width * 0.7 ? "end" : "middle", class: "limit-label" }, b.limit.text) : null), () => barNumbers(b));
}

function barNumbers(b: Bars): Numbers {
  return { heads: ["group", "name", "value", "low", "high", "unit", "objectives kept"], rows: b.bars.map((bar) => [bar.group, bar.label, bar.value, bar.low, bar.high, b.unit, bar.kept ? "yes" : "no"]) };
}

const headHeight = 22;

/** begins says that a bar is the first of a named group. */
function begins(b: Bars, i: number): boolean {
  return !!b.bars[i]!.group && b.bars[i]!.group !== b.bars[i - 1]?.group;
}

/** topsOf places the bars, with room above each group for its name. */
export function topsOf(b: Bars): number[] {
  let y = (b.limit ? 20 : 4) - rowHeight;
  return b.bars.map((_, i) => y += rowHeight + (begins(b, i) ? headHeight : 0));
}

/** axis is where bars begin: a line that is broken where the name of a group stands. */
function axis(b: Bars, tops: number[], x: number, height: number): SVGElement[] {
  const starts = tops.flatMap((_, i) => i === 0 || begins(b, i) ? [i] : []);
  return starts.map((start, i) => svg("line", {
    x1: x, x2: x, y1: begins(b, start) ? tops[start]! - 2 : b.limit ? 16 : 0,
    y2: i + 1 < starts.length ? tops[starts[i + 1]!]! - headHeight : height, stroke: "var(--muted)",
  }));
}

function heading(b: Bars, i: number, y: number): SVGElement | null {
  return begins(b, i) ? svg("text", { x: 0, y: y - 6, class: "axis-label halo" }, fit(b.bars[i]!.group!, b.width, 12)) : null;
}

function row(bar: Bar, y: number, left: number, x: (v: number) => number): SVGElement {
  const middle = y + rowHeight / 2 - 3;
  const end = Math.max(x(bar.value), bar.high > bar.low ? x(bar.high) : 0);
  return svg("g", {},
    svg("text", { x: left - 8, y: middle + 4, "text-anchor": "end", class: "line-label", fill: bar.color }, fit(bar.label, left - 10, 12.5, 600)),
    svg("rect", { x: left, y, width: Math.max(x(bar.value) - left, 1), height: rowHeight - 8, fill: bar.color, "fill-opacity": bar.kept ? 0.75 : 0.25, stroke: bar.color }),
    bar.high > bar.low ? svg("line", { x1: x(bar.low), x2: x(bar.high), y1: middle, y2: middle, stroke: "var(--ink)", "stroke-width": 1.5 }) : null,
    (bar.references ?? []).map((g) => svg("g", { class: "reference" }, svg("title", {}, g.title),
      svg("line", { x1: x(g.value), x2: x(g.value), y1: y - 3, y2: y + rowHeight - 5, stroke: "var(--ink)", "stroke-width": 1.25, "stroke-dasharray": g.dash }))),
    svg("text", { x: end + 6, y: middle + 4, class: "bar-text" }, bar.text),
    bar.faults ? flash(end + 6 + textWidth(bar.text, 12) + 10, middle) : null);
}
