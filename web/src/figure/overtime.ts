// The load lines of one study over its runs, in the order of their dates.

import * as Plot from "@observablehq/plot";
import { spread } from "../chart/axes.ts";
import { h, svg } from "../chart/dom.ts";
import { figure, section, select, table } from "./figure.ts";
import { thousands } from "../read/format.ts";
import { begun, reportOf, studyOf, type Listed } from "../read/listed.ts";
import { textWidth } from "../chart/measure.ts";
import { lineBounds } from "../read/reading.ts";
import type { Redraws } from "./page.ts";
import { colors } from "../chart/palette.ts";

/** Mark is a load line in one run. */
interface Mark { run: Listed; at: number; label: string; low: number; high: number; open: boolean; text: string; lane: number }

const symbols = ["circle", "triangle", "square", "diamond", "star", "wye", "times"] as const;

/** overTime is the section; show chooses the study. */
export function overTime(page: Redraws, runs: Listed[]): { element: HTMLElement; show: (study: string) => void } {
  const count = new Map<string, number>();
  runs.forEach((r) => count.set(studyOf(r), (count.get(studyOf(r)) ?? 0) + 1));
  const studies = [...count.keys()].filter((s) => s !== "").sort((a, b) => count.get(b)! - count.get(a)!);
  let study = studies[0] ?? "";
  const pick = select("Study", studies.map((s) => ({ value: s, text: `${s}, ${count.get(s)}` })), study, (s) => { study = s; page.redraw(); });
  const drawn = figure(page, {
    id: "over-time", title: "Load line over time", controls: [pick],
    note: "A bar reaches over the counts that the load line may be; an arrow means that every count measured kept the objectives. Variants of a run stand side by side; where the runs have no room, the newest are shown. A dashed line is a change of Plimsoll’s version.",
    draw: (width) => draw(marksOf(runs, study), width, study),
    numbers: () => table("Load lines", ["<Run", "<Begun", "<Plimsoll", "<Variant", "Load line"], marksOf(runs, study).map((m) =>
      [h("a", { href: reportOf(m.run) }, m.run.name), begun(m.run), m.run.summary?.plimsoll ?? "", m.label, m.text])),
  });
  return {
    element: section("time", "Over time", drawn),
    show: (chosen) => {
      study = chosen;
      pick.querySelector("select")!.value = chosen;
    },
  };
}

/** marksOf lists the load lines of a study's runs, the oldest first. */
export function marksOf(runs: Listed[], study: string): Mark[] {
  const judged = runs.filter((r) => studyOf(r) === study && r.summary?.objectives?.length && r.summary.lines?.some((l) => l.rungs > 0))
    .sort((a, b) => a.started.localeCompare(b.started));
  const lanes = [...new Set(judged.flatMap((r) => (r.summary!.lines ?? []).map((l) => l.variant)))];
  return judged.flatMap((run, at) => (run.summary!.lines ?? []).filter((l) => l.rungs > 0 && !l.load_line.unmeasured).map((l) => {
    const { low, high } = lineBounds(l.load_line);
    return { run, at, label: l.label || l.variant, low, high: high ?? low, open: high === null, text: l.load_line.bracket.text, lane: lanes.indexOf(l.variant) };
  }));
}

/** within is the share of a run's place that its marks take; the rest parts it from the
 * next. */
const within = 0.7;

/** between is how far apart two marks of a run are at least, in pixels. */
const between = 12;

/** place is the position of a mark; the marks of one run are side by side. */
export function place(m: { at: number; lane: number }, lanes: number): number {
  return m.at + (lanes > 1 ? (m.lane / (lanes - 1) - 0.5) * within : 0);
}

/** fitting are the marks of the newest runs, as many as have room in a width in pixels. */
export function fitting<M extends { at: number }>(marks: M[], lanes: number, width: number): M[] {
  const most = Math.max(2, Math.floor(width * within / (between * Math.max(1, lanes - 1))));
  const from = Math.max(0, Math.max(...marks.map((m) => m.at)) + 1 - most);
  return marks.filter((m) => m.at >= from).map((m) => ({ ...m, at: m.at - from }));
}

function draw(all: Mark[], width: number, study: string): Element {
  if (all.length === 0) return h("p", { class: "note" }, `No run of ${study || "any study"} has found a load line yet.`);
  const lanes = 1 + Math.max(...all.map((m) => m.lane));
  const marks = fitting(all, lanes, width * 0.8);
  const byLane = [...new Set(marks.map((m) => m.lane))].map((lane) => marks.filter((m) => m.lane === lane));
  const runs = [...new Map(marks.map((m) => [m.at, m.run])).entries()];
  const most = Math.max(...marks.map((m) => m.high), 1);
  const right = Math.min(width * 0.3, Math.max(...byLane.map((l) => textWidth(l.at(-1)!.label, 12.5, 600)))) + 16;
  const x = (m: Mark) => place(m, lanes);
  const color = (m: Mark) => `var(--c${m.lane % colors})`;
  const plot = Plot.plot({
    width, height: Math.round(Math.min(380, Math.max(240, width * 0.34))), marginLeft: 46, marginRight: right, marginTop: 30, marginBottom: 44,
    ariaLabel: `Load lines of ${study} over its runs`,
    ariaDescription: marks.map((m) => `${begun(m.run)}, ${m.label}: ${m.text}.`).join(" "),
    style: { fontSize: "12px", fontFamily: "inherit", overflow: "visible", background: "none" },
    x: { label: null, domain: [-0.5, Math.max(0.5, runs.at(-1)![0] + 0.5)] }, y: { label: null, domain: [0, most * 1.15] },
    marks: [
      Plot.rect(runs.map(([at]) => at).filter((at) => at % 2 === 1), { x1: (at: number) => at - 0.5, x2: (at: number) => at + 0.5, y1: 0, y2: most * 1.15, fill: "var(--rule)", fillOpacity: 0.35 }),
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 5 }),
      Plot.axisY({ ticks: 5, tickFormat: (v: number) => thousands(v), tickSize: 0, fill: "var(--muted)" }),
      Plot.axisX(dates(runs, width - right), { tickFormat: (at: number) => begun(runs.find(([n]) => n === at)![1]).replace(" ", "\n"), tickSize: 4, fill: "var(--muted)" }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
      ...versions(runs, (width - right - 46) / (runs.length || 1)).flatMap((v) => [
        Plot.ruleX([v], { x: "at", stroke: "var(--muted)", strokeDasharray: "4 4" }),
        Plot.text([v], { x: "at", text: "text", frameAnchor: "top", dy: -18, dx: v.first ? 2 : 0, textAnchor: v.first ? "start" : "middle", fill: "var(--muted)" }),
      ]),
      ...byLane.flatMap((list) => [
        Plot.line(list, { x, y: "low", stroke: color(list[0]!), strokeOpacity: 0.45 }),
        Plot.ruleX(list, { x, y1: "low", y2: "high", stroke: color, strokeWidth: 5, strokeLinecap: "round", strokeOpacity: 0.4 }),
        Plot.dot(list, { x, y: "low", symbol: symbols[list[0]!.lane % symbols.length]!, r: 4.5, fill: color, stroke: color, href: (m: Mark) => reportOf(m.run), ariaLabel: (m: Mark) => `${m.run.name}, ${m.label}: ${m.text}` }),
        Plot.text(list.filter((m) => m.open), { x, y: "low", text: () => "↑", dy: -13, fill: color, fontWeight: 700 }),
      ]),
      names(byLane.map((list) => list.at(-1)!), most * 1.15),
    ],
  });
  plot.setAttribute("role", "group");
  plot.querySelectorAll("g[aria-label]").forEach((g) => g.removeAttribute("aria-label")); // a mark's kind says nothing
  return plot;
}

/** names writes the variants at the right edge, at the height of their last marks and
 * without overlap. */
function names(last: Mark[], top: number): Plot.Markish {
  return (_index, scales, _channels, dimensions) => {
    const y = (v: number) => Number((scales["y"] as (v: number) => number)(v));
    const at = spread(last.map((m) => y(m.low)), 16, y(top), y(0) - 2);
    return svg("g", {}, last.map((m, i) => svg("text", { x: dimensions.width - dimensions.marginRight + 8, y: at[i]!, dy: "0.32em", "text-anchor": "start", class: "line-label", fill: `var(--c${m.lane % colors})` }, m.label)));
  };
}

/** dates are the runs whose dates there is room for. */
function dates(runs: [number, Listed][], width: number): number[] {
  const step = Math.max(1, Math.ceil(runs.length / Math.max(1, Math.floor(width / 90))));
  return runs.filter((_, i) => i % step === 0).map(([at]) => at);
}

/** versions are the places where Plimsoll's version changes, named if there is room.
 * Room is the width available for a run, in pixels. */
function versions(runs: [number, Listed][], room: number): { at: number; text: string; first: boolean }[] {
  const all = runs.map(([at, run]) => ({ at: at - 0.5, text: run.summary!.plimsoll || "unknown version", first: at === 0 }));
  return all.filter((v, i) => i === 0 || v.text !== all[i - 1]!.text).map((v) => ({ ...v, text: v.text.replace(/^devel\+/, "") }))
    .map((v, i, list) => ({ ...v, text: i > 0 && (v.at - list[i - 1]!.at) * room < (textWidth(v.text, 12) + textWidth(list[i - 1]!.text, 12)) / (i === 1 ? 1.3 : 2) + 10 ? "" : v.text }));
}
