// A panel of time series as a figure to take away: on the page it is drawn on a
// canvas for speed, here as SVG.

import * as Plot from "@observablehq/plot";
import { numbered, saveMenu, type Numbers } from "../chart/export.ts";
import type { PackedTrial } from "../read/reading.ts";
import type { Page } from "./page.ts";
import { dashes, lineColors, type Panel } from "./panels.ts";
import { colorOf, drawMarks, edgeOf, eventOpacity, frameOf, heightOf, placed } from "../chart/marks.ts";
import { clock, moments, type Moment } from "../read/moments.ts";

/** savedPanel is the menu that saves a panel of a trial; lines that are hidden
 * are left out. */
export function savedPanel(page: Page, t: PackedTrial, p: Panel, times: number[], hidden: (label: string) => boolean): HTMLElement {
  const shown = () => p.lines.map((line, i) => ({ ...line, color: `var(${lineColors[i % lineColors.length]})`, dash: (dashes[i % dashes.length] ?? []).join(" ") })).filter((l) => !hidden(l.label));
  return saveMenu({
    file: `${page.name}-${t.id}-${p.title}`, title: p.title, source: `${page.source} · trial ${t.id}`,
    drawing: () => numbered(draw(page, t, p, times, shown()), () => numbers(t, { ...p, lines: shown() }, times)),
    keys: shown,
  });
}

type Shown = Panel["lines"][number] & { color: string; dash: string };

const [width, left, right] = [640, 80, 624];

function draw(page: Page, t: PackedTrial, p: Panel, times: number[], lines: Shown[]): SVGSVGElement {
  const trial = page.trials.get(t.id);
  const points = (l: Shown) => times.map((x, i) => ({ x, mean: l.series.mean[i] ?? NaN, low: l.series.min?.[i] ?? NaN, high: l.series.max?.[i] ?? NaN }));
  const values = lines.flatMap((l) => [...l.series.mean, ...(l.series.max ?? [])]).map((v) => v ?? 0);
  const most = Math.max(...values, p.share ? 1 : 0) * (p.share ? 1 : 1.08) || 1;
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 1];
  const outside = [[from, trial?.warmup_end ?? from], [trial?.end || to, to]].filter(([a, b]) => b! > a!);
  const all = moments(trial);
  const marks = placed(all, frameOf(left, right, (s) => left + ((s - from) / (to - from)) * (right - left)));
  const seen = marks.flatMap((m) => m.moments);
  const above = heightOf(marks);
  const plot = Plot.plot({
    width, height: 300 + above, marginLeft: left, marginRight: width - right, marginTop: 12 + above, marginBottom: 30, ariaLabel: p.title,
    style: { fontSize: "12px", fontFamily: "inherit", background: "none", overflow: "visible" },
    x: { domain: [from, to], label: null }, y: { domain: [0, most], label: null },
    marks: [
      Plot.rect(outside, { x1: "0", x2: "1", y1: 0, y2: most, fill: "var(--muted)", fillOpacity: 0.13 }),
      Plot.rect(seen.filter((m) => m.fault && m.until !== null), { x1: (m: Moment) => Math.max(m.at, from), x2: (m: Moment) => Math.min(m.until!, to), y1: 0, y2: most, fill: (m: Moment) => `var(${colorOf(m)})`, fillOpacity: 0.1 }),
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 5 }),
      Plot.axisY({ ticks: 5, tickFormat: (v: number) => p.write(v), tickSize: 0, fill: "var(--muted)" }),
      Plot.axisX({ tickFormat: (v: number) => clock(v), tickSize: 4, fill: "var(--muted)" }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
      ...lines.map((l) => Plot.areaY(points(l), { x: "x", y1: "low", y2: "high", fill: l.color, fillOpacity: 0.16 })),
      ...lines.map((l) => Plot.line(points(l), { x: "x", y: "mean", stroke: l.color, strokeWidth: 1.5, strokeDasharray: l.dash })),
      ...seen.map((m) => Plot.ruleX(m.until === null ? [m.at] : [m.at, m.until], { filter: (s: number) => s >= from && s <= to, stroke: `var(${colorOf(m)})`, strokeOpacity: m.fault ? 1 : eventOpacity, strokeDasharray: m.fault ? edgeOf(m, all).join(" ") : "" })),
    ],
  });
  plot.append(drawMarks(marks, all));
  return plot as SVGSVGElement;
}

function numbers(t: PackedTrial, p: Panel, times: number[]): Numbers {
  return {
    heads: ["trial", "line", "seconds", "mean", "min", "max", "unit"],
    rows: p.lines.flatMap((l) => times.map((s, i) => [t.id, l.label, s, l.series.mean[i], l.series.min?.[i] ?? l.series.mean[i], l.series.max?.[i] ?? l.series.mean[i], l.series.unit])),
  };
}
