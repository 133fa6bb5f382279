// Time series of one trial, or of two side by side on the same axes, with one
// cursor across all panels.

import uPlot from "uplot";
import { h, svg } from "../chart/dom.ts";
import { section, select } from "./figure.ts";
import { known, number, plural } from "../read/format.ts";
import { colorOf, edgeOf, eventOpacity, frameOf, icons, strip } from "../chart/marks.ts";
import { fontFamily } from "../chart/measure.ts";
import { clock, lasted, moments, type Moment } from "../read/moments.ts";
import type { TrialInfo } from "../read/model.ts";
import type { Num, Packed, PackedTrial } from "../read/reading.ts";
import { trialAnchor, type Page } from "./page.ts";
import { dashes, deviceNames, lineColors, panels, type Panel } from "./panels.ts";
import { savedPanel } from "./panelfile.ts";

/** Drawer shows a trial's series when another section asks: alone, or next to the
 * current one. */
export interface Drawer { element: HTMLElement; draw: () => void; show: (id: string, beside?: boolean) => void; has: (id: string) => boolean }

/** series is the section; it fills itself when the data is unpacked. */
export function series(page: Page, packed: Packed): Drawer | null {
  if (packed.trials.length === 0) return null;
  const byId = new Map(packed.trials.map((t) => [t.id, t]));
  const first = telling(page, packed);
  const chosen = () => {
    const known = page.state.choices.trials.filter((id) => byId.has(id));
    return known.length ? known : [first];
  };
  const holder = h("div", { class: "panels" });
  const about = h("div", { class: "about" });
  const drawing: Drawing = { page, charts: [], hides: [], more: false };
  const pick = select("Trial", options(page, packed), first, (id) => choose(id, chosen()[1]));
  const other = select("Beside", [{ value: "", text: "no other" }, ...options(page, packed)], "", (id) => choose(chosen()[0]!, id));
  const [list, otherList] = [pick, other].map((label) => label.querySelector("select")!);
  const draw = () => {
    const shown = chosen();
    [list!.value, otherList!.value] = [shown[0]!, shown[1] ?? ""];
    about.replaceChildren(...shown.map((id) => h("div", {}, describeTrial(page, byId.get(id)!, packed))));
    about.classList.toggle("two", shown.length > 1);
    drawTrials(drawing, shown.map((id) => byId.get(id)!), holder);
  };
  const choose = (id: string, beside: string | undefined) => {
    page.state.set({ trials: beside && beside !== id ? [id, beside] : [id], anchor: "series" });
    draw();
  };
  const step = (by: number) => {
    const i = packed.trials.findIndex((t) => t.id === chosen()[0]) + by;
    choose(packed.trials[(i + packed.trials.length) % packed.trials.length]!.id, chosen()[1]);
  };
  const show = (id: string, beside = false) => {
    if (byId.has(id)) beside ? choose(chosen()[0]!, id) : choose(id, undefined);
  };
  page.onRedraw(draw);
  const fitting = new ResizeObserver(() => resize(drawing.charts));
  fitting.observe(holder);
  page.closed.addEventListener("abort", () => {
    fitting.disconnect();
    drawing.charts.forEach((c) => c.destroy());
  });
  const element = section("series", "Time series",
    h("div", { class: "controls" }, pick,
      h("button", { type: "button", onclick: () => step(-1) }, "Previous"), h("button", { type: "button", onclick: () => step(1) }, "Next"),
      packed.trials.length > 1 ? other : null),
    about, holder, left(page, packed));
  return { element, draw, show, has: (id) => byId.has(id) };
}

/** telling chooses the trial to begin with: the best variant's at the first
 * rung beyond its load line, or else at it. */
function telling(page: Page, packed: Packed): string {
  const best = page.variants[0];
  const line = best?.load_line;
  const at = (rung: number | undefined) => packed.trials.find((t) => {
    const trial = page.trials.get(t.id);
    return trial && trial.variant === best?.name && trial.rung === rung && !trial.alone && !t.problem;
  });
  return (at(line?.next) ?? at(line?.rung) ?? packed.trials.find((t) => !t.problem) ?? packed.trials[0]!).id;
}

function options(page: Page, packed: Packed): { value: string; text: string; group: string }[] {
  const list = packed.trials.map((t) => {
    const trial = page.trials.get(t.id);
    const text = trial ? `${plural(trial.rung, page.noun)}${trial.alone ? " alone" : ""}, run ${trial.repetition}: ${trial.status === "failed" ? "failed" : known(trial.throughput) + " " + page.analysis.study.unit}` : t.id;
    return { value: t.id, text, group: trial ? page.labelOf(trial.variant) : "" };
  });
  const trialOf = (value: string) => page.trials.get(value);
  return list.sort((a, b) => a.group.localeCompare(b.group) || (trialOf(a.value)?.rung ?? 0) - (trialOf(b.value)?.rung ?? 0) || (trialOf(a.value)?.repetition ?? 0) - (trialOf(b.value)?.repetition ?? 0));
}

/** describeTrial says which trial this is and what happened in it. */
function describeTrial(page: Page, packedTrial: PackedTrial, packed: Packed): Element[] {
  const trial = page.trials.get(packedTrial.id);
  const events = moments(trial);
  return [
    h("p", { class: "note" }, "Trial ", h("a", { href: "#" + trialAnchor(packedTrial.id) }, packedTrial.id),
      packedTrial.step > 0 ? `: ${stepText(packedTrial, packed)}. The warm-up is shaded and counts in no number.` : "."),
    ...(trial?.cause ? [h("p", { class: "failure" }, h("b", {}, "Failed: "), trial.cause)] : []),
    ...(packedTrial.problem ? [h("p", { class: "failure" }, packedTrial.problem)] : []),
    ...(events.length ? [h("ol", { class: "events" }, events.map(listed))] : []),
  ];
}

/** listed is an event in the list of a trial's. */
function listed(m: Moment): Element {
  const when = h("span", { class: "when" }, clock(m.at));
  if (!m.fault) return h("li", {}, when, " ", m.text, m.until === null ? "" : `, which took ${lasted(m)}`);
  const icon = svg("svg", { class: "icon", width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" }, svg("path", { d: icons[m.repairs ? "repair" : "fault"], fill: "currentColor" }));
  return h("li", {}, when, " ", h("b", { class: m.repairs ? "repair" : "fault", title: m.text }, icon, m.fault), m.until === null ? "" : `, over after ${lasted(m)}`);
}

function stepText(t: PackedTrial, packed: Packed): string {
  const points = Math.max(0, ...(t.series ?? []).map((s) => s.mean.length));
  const step = t.step >= 1000 ? `${number(t.step / 1000)} s` : `${t.step} ms`;
  return `${points} points (at most ${packed.buckets}) of ${step} each, their mean with a band from the smallest to the largest sample`;
}

/** left says which trials are not drawn and how to draw them. */
function left(page: Page, packed: Packed): HTMLElement | null {
  if (packed.left.length === 0) return null;
  return h("details", { class: "left" },
    h("summary", {}, `${plural(packed.left.length, "trial")} without time series here`),
    h("p", {}, "To keep this file small it carries the median trial of every variant and rung and the trials that failed. The others are in the run directory; draw one with ",
      h("code", {}, `plimsoll show ${page.analysis.run.id} ${packed.left[0]}`), "."),
    h("p", { class: "ids" }, packed.left.join(", ")));
}

/** Drawing is the current drawing. hides hide the parts named in the state; more says
 * whether the less common panels are open. */
interface Drawing { page: Page; charts: uPlot[]; hides: (() => void)[]; more: boolean }

/** Row is a panel of each trial on show, null where a trial has not got it. */
export interface Row { title: string; panels: (Panel | null)[] }

/** rowsOf puts panels with the same title side by side. */
export function rowsOf(lists: Panel[][]): Row[] {
  const titles = [...new Set(lists.flatMap((list) => list.map((p) => p.title)))];
  return titles.map((title) => ({ title, panels: lists.map((list) => list.find((p) => p.title === title) ?? null) }));
}

function devicesOf(page: Page, t: PackedTrial): Map<string, string> {
  return deviceNames(page.variant(page.trials.get(t.id)?.variant ?? ""), (page.analysis.machine?.disks ?? []).map((disk) => disk.name));
}

/** drawTrials draws the panels into a holder; those less often asked for when
 * they are opened. */
function drawTrials(d: Drawing, shown: PackedTrial[], holder: HTMLElement): void {
  d.charts.splice(0).forEach((c) => c.destroy());
  d.hides.length = 0;
  resolved.clear();
  const all = shown.map((t) => panels(t.series ?? [], d.page.profile, devicesOf(d.page, t)));
  const [first, more] = [rowsOf(all.map((p) => p.first)), rowsOf(all.map((p) => p.more))];
  const sync = uPlot.sync("trial-" + shown.map((t) => t.id).join(" "));
  const grid = h("div", { class: "grid" });
  const extra = h("div", { class: "grid" });
  let filled = false;
  const details = more.length ? h("details", {
    open: d.more,
    ontoggle: () => {
      d.more = details!.open;
      if (filled || !details!.open) return;
      filled = true;
      more.forEach((row) => drawRow(d, shown, row, extra, sync));
    },
  }, h("summary", {}, `${plural(more.length, "more panel")}: ${more.slice(0, 4).map((row) => row.title.toLowerCase()).join(", ")}${more.length > 4 ? ", …" : ""}`), extra) : null;
  holder.replaceChildren(grid, ...(details ? [details] : []));
  first.forEach((row) => drawRow(d, shown, row, grid, sync));
}

/** drawRow draws a panel of each trial, on the same axes. */
function drawRow(d: Drawing, shown: PackedTrial[], row: Row, into: HTMLElement, sync: uPlot.SyncPubSub): void {
  const times = shown.map((t, i) => timesOf(t, row.panels[i] ?? null));
  const ends = times.flat();
  const frame: Frame = {
    from: Math.min(...ends), to: Math.max(...ends),
    top: () => Math.max(...row.panels.map((p) => p ? most(p, hiddenIn(d.page)) : 0)),
    together: shown.length > 1,
  };
  shown.forEach((t, i) => {
    const panel = row.panels[i];
    if (panel) drawPanel(d, t, panel, times[i]!, into, sync, frame);
    else into.append(h("div", { class: "panel" }, h("h4", {}, row.title), h("p", { class: "note" }, "Not recorded in this trial.")));
  });
}

function timesOf(t: PackedTrial, p: Panel | null): number[] {
  return (p?.lines[0]?.series.mean ?? []).map((_, i) => (t.begin + i * t.step) / 1000);
}

/** Frame is what panels side by side share: seconds, and the largest value. */
interface Frame { from: number; to: number; top: () => number; together: boolean }

/** most is the largest value of the lines of a panel that are drawn. */
function most(p: Panel, hidden: Set<string>): number {
  return Math.max(0, ...p.lines.filter((l) => !hidden.has(lineName(p, l.label))).flatMap((l) => [...(banded(p) ? l.series.max ?? [] : []), ...l.series.mean]).map((v) => v ?? 0));
}

function banded(p: Panel): boolean {
  return p.lines.length <= 4;
}

/** lineName is what the state calls a line. */
function lineName(p: Panel, label: string): string {
  return `${p.title}: ${label}`;
}

function hiddenIn(page: Page): Set<string> {
  return new Set(page.state.choices.hidden);
}

const panelHeight = 165;

/** drawPanel draws one panel into a grid. */
function drawPanel(d: Drawing, t: PackedTrial, p: Panel, times: number[], into: HTMLElement, sync: uPlot.SyncPubSub, frame: Frame): void {
  const { page } = d;
  const trial = page.trials.get(t.id);
  const bands = banded(p);
  const values = p.lines.map(() => h("b", {}));
  const holder = h("div", { class: "plot" });
  const buttons = p.lines.map((l, i) => h("button", { type: "button", class: "line", title: "Show or hide", onclick: () => toggle(d, p, l.label) }, swatch(i), l.label, " ", values[i]));
  const happened = moments(trial);
  const above = h("div", { class: "strips" });
  const name = `${p.title}: ${p.lines.map((l) => `${l.label} ${p.write(measuredMean(l.series.mean, times, trial))} on average`).join(", ")}`;
  into.append(h("div", { class: "panel", role: "group", "aria-label": name },
    h("div", { class: "top" }, h("h4", {}, p.title), savedPanel(page, t, p, times, (label) => hiddenIn(page).has(lineName(p, label)))), h("p", { class: "legend" }, buttons), happened.length ? above : null, holder));
  const write = (index: number | null | undefined) => p.lines.forEach((l, i) => {
    values[i]!.textContent = p.write(index === null || index === undefined ? measuredMean(l.series.mean, times, trial) : l.series.mean[index] ?? null);
  });
  write(null);
  const top = (high: number) => p.share ? Math.max(1, high || 0) : high > 0 ? high * 1.08 : 1;
  const options: uPlot.Options = {
    width: Math.max(holder.clientWidth, 200), height: panelHeight, legend: { show: false }, padding: [happened.length ? 7 : null, null, null, null],
    cursor: { sync: { key: sync.key, setSeries: false }, drag: { x: true, y: false }, points: { size: 6 } },
    scales: { x: { time: false, range: (_u, low, high) => frame.together && low === times[0] && high === times.at(-1) ? [frame.from, frame.to] : [low, high] }, y: { range: (_u, _low, high) => [0, top(frame.together ? frame.top() : high)] } },
    axes: [axis((v) => clock(v), 24), axis((v) => p.write(v), undefined, p)],
    series: [{}, ...p.lines.flatMap((_, i) => lineSeries(i, bands))],
    bands: bands ? p.lines.map((_, i) => ({ series: [3 * i + 2, 3 * i + 3] as [number, number], fill: alpha(lineColors[i % lineColors.length]!, 0.16) })) : [],
    hooks: { drawClear: [(u) => shade(u, trial), (u) => shadeFaults(u, happened)], draw: [(u) => markMoments(u, happened), markAbove(above, happened)], setCursor: [(u) => write(u.cursor.idx)] },
  };
  const chart = new uPlot(options, columns(times, p, bands), holder);
  d.charts.push(chart);
  const hide = () => {
    const hidden = hiddenIn(page);
    p.lines.forEach((l, i) => {
      const show = !hidden.has(lineName(p, l.label));
      buttons[i]!.setAttribute("aria-pressed", String(show));
      for (const k of bands ? [3 * i + 1, 3 * i + 2, 3 * i + 3] : [i + 1]) if (chart.series[k]!.show !== show) chart.setSeries(k, { show });
    });
  };
  d.hides.push(hide);
  hide();
}

/** toggle shows a line in all panels of its title, or hides it. */
function toggle(d: Drawing, p: Panel, label: string): void {
  const hidden = hiddenIn(d.page);
  const name = lineName(p, label);
  if (!hidden.delete(name)) hidden.add(name);
  d.page.state.set({ hidden: [...hidden], anchor: "series" });
  d.hides.forEach((hide) => hide());
}

function columns(times: number[], p: Panel, bands: boolean): uPlot.AlignedData {
  return [times, ...p.lines.flatMap(({ series: s }) => bands ? [s.mean, s.max ?? s.mean, s.min ?? s.mean] : [s.mean])];
}

function lineSeries(i: number, bands: boolean): uPlot.Series[] {
  const color = resolve(lineColors[i % lineColors.length]!);
  const mean: uPlot.Series = { stroke: color, width: 1.5, dash: dashes[i % dashes.length]!, points: { show: false }, spanGaps: false };
  const edge: uPlot.Series = { stroke: "transparent", width: 0, points: { show: false } };
  return bands ? [mean, edge, edge] : [mean];
}

function axis(write: (v: number) => string, space?: number, p?: Panel): uPlot.Axis {
  return {
    stroke: resolve("--muted"), font: `11px ${fontFamily()}`, grid: { stroke: resolve("--rule"), width: 1 }, ticks: { show: false },
    size: p ? (_u, values) => 12 + Math.max(30, ...(values ?? []).map((v) => (v?.length ?? 0) * 6.2)) : space, gap: 5,
    values: (_u, splits) => splits.map((v) => (v === null ? "" : write(v))), space: p ? 32 : 70,
    incrs: p ? undefined : [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400],
  };
}

/** measuredMean is the mean of the measured phase. */
function measuredMean(values: Num[], times: number[], trial: TrialInfo | undefined): Num {
  const from = trial?.warmup_end ?? -Infinity;
  const to = trial?.end || Infinity;
  let sum = 0;
  let n = 0;
  values.forEach((v, i) => {
    if (v !== null && times[i]! >= from && times[i]! <= to) {
      sum += v;
      n++;
    }
  });
  return n ? sum / n : null;
}

/** shade greys out the time outside the measured phase: the warm-up, and after it. */
function shade(u: uPlot, trial: TrialInfo | undefined): void {
  if (!trial) return;
  const { left, top, width, height } = u.bbox;
  const x = (s: number) => Math.min(Math.max(u.valToPos(s, "x", true), left), left + width);
  u.ctx.save();
  u.ctx.fillStyle = alpha("--muted", 0.13);
  if (trial.warmup_end) u.ctx.fillRect(left, top, x(trial.warmup_end) - left, height);
  if (trial.end) u.ctx.fillRect(x(trial.end), top, left + width - x(trial.end), height);
  u.ctx.restore();
}

/** shadeFaults tints the time during which a fault had an effect. */
function shadeFaults(u: uPlot, all: Moment[]): void {
  const { left, top, width, height } = u.bbox;
  const x = (s: number) => Math.min(Math.max(u.valToPos(s, "x", true), left), left + width);
  u.ctx.save();
  for (const m of all.filter((m) => m.fault && m.until !== null)) {
    u.ctx.fillStyle = alpha(colorOf(m), 0.1);
    u.ctx.fillRect(x(m.at), top, x(m.until!) - x(m.at), height);
  }
  u.ctx.restore();
}

/** mostEvents is how many events have a line. */
const mostEvents = 40;

/** markMoments draws a line at every event, and at both ends of a fault. */
function markMoments(u: uPlot, all: Moment[]): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.lineWidth = devicePixelRatio;
  for (const m of [...all.filter((m) => m.fault), ...all.filter((m) => !m.fault).slice(0, mostEvents)]) {
    u.ctx.strokeStyle = m.fault ? resolve(colorOf(m)) : alpha(colorOf(m), eventOpacity);
    u.ctx.setLineDash(m.fault ? edgeOf(m, all).map((d) => d * devicePixelRatio) : []);
    for (const s of m.until === null ? [m.at] : [m.at, m.until]) {
      const x = u.valToPos(s, "x", true);
      if (!(x >= left && x <= left + width)) continue;
      u.ctx.beginPath();
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + height);
      u.ctx.stroke();
    }
  }
  u.ctx.restore();
}

/** markAbove draws names and numbers above the panel, again when its axis has
 * changed. */
function markAbove(above: HTMLElement, all: Moment[]): (u: uPlot) => void {
  let drawn = "";
  return (u) => {
    const left = u.bbox.left / devicePixelRatio;
    const right = left + u.bbox.width / devicePixelRatio;
    const now = [u.scales["x"]!.min, u.scales["x"]!.max, left, right].join(" ");
    if (all.length === 0 || now === drawn) return;
    drawn = now;
    above.replaceChildren(strip(all, frameOf(left, right, (s) => left + u.valToPos(s, "x")), u.width));
  };
}

function swatch(i: number): Element {
  return svg("svg", { width: 18, height: 8, "aria-hidden": "true" }, svg("line", {
    x1: 0, x2: 18, y1: 4, y2: 4, stroke: `var(${lineColors[i % lineColors.length]})`, "stroke-width": 2, "stroke-dasharray": (dashes[i % dashes.length] ?? []).join(" "),
  }));
}

/** resize fits the charts to their holders. */
function resize(charts: uPlot[]): void {
  for (const chart of charts) {
    const width = chart.root.parentElement?.clientWidth ?? 0;
    if (width > 0 && width !== chart.width) chart.setSize({ width, height: panelHeight });
  }
}

/** resolved are the colours of the page as they are now. */
const resolved = new Map<string, string>();

/** resolve reads a colour of the page for the canvas. */
function resolve(variable: string): string {
  const before = resolved.get(variable);
  if (before) return before;
  const probe = h("span", { style: `color:var(${variable})` });
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  resolved.set(variable, color);
  return color;
}

function alpha(variable: string, share: number): string {
  const [r, g, b] = resolve(variable).match(/[\d.]+/g) ?? ["128", "128", "128"];
  return `rgba(${r},${g},${b},${share})`;
}
