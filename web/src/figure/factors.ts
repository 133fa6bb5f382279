// What the axes of the study's matrix make of throughput: against levels that
// are numbers, and two levels side by side.

import { valueScale } from "../chart/axes.ts";
import { drawChart } from "../chart/chart.ts";
import type { Dot, Line } from "../chart/chartdata.ts";
import { h } from "../chart/dom.ts";
import { Control } from "./control.ts";
import { figure, section, table } from "./figure.ts";
import { numbers } from "./finished.ts";
import { compact, interval, number, plural, significant } from "../read/format.ts";
import { counts, frameHeight, line, scaleLabel, scales } from "./ladder.ts";
import type { Factor, Interval, Level, Pair, Rung, Variant } from "../read/model.ts";
import { levelsOf, measured, rungs } from "../read/reading.ts";
import { key, type Page } from "./page.ts";
import { looks, type Look } from "../chart/palette.ts";

/** factors is the section. */
export function factors(page: Page): HTMLElement | null {
  const parts = [...numeric(page).map((f) => byLevel(page, f)), sideBySide(page)].filter((part) => part !== null);
  return parts.length === 0 ? null : section("factors", "By factor", h("div", { class: "parts" }, parts));
}

/** numeric lists the factors whose levels have values. */
function numeric(page: Page): Factor[] {
  return (page.analysis.factors ?? []).filter((f) => levelsOf(f).every((l) => (l.value ?? 0) > 0));
}

/** ofWork reports whether a factor changes the users' work: results under different
 * levels of it are not compared. */
function ofWork(page: Page, f: Factor): boolean {
  if (numeric(page).includes(f) || f.path === "storage") return false;
  const all = (page.analysis.factors ?? []).filter((o) => o.path.startsWith("workload."));
  return all.length > 0 ? all.includes(f) : f === (page.analysis.factors ?? []).find((o) => o.path !== "storage" && !numeric(page).includes(o));
}

/** levels names a variant's levels of some factors. */
export function levels(v: Variant, list: Factor[]): string {
  return list.map((f) => levelsOf(f).find((l) => l.level === v.factors?.[f.path])).filter((l) => l !== undefined).map((l) => l.label).join(", ");
}

/** Panel is one frame of a figure: variants that do the same work, counted in the same
 * unit. */
export interface Panel { title: string; unit: string; variants: Variant[]; rest: Factor[] }

/** panelsOf groups variants by their work; rest are the factors that distinguish the
 * variants of one panel. */
export function panelsOf(page: Page, variants: Variant[]): Panel[] {
  const all = page.analysis.factors ?? [];
  const work = all.filter((f) => ofWork(page, f));
  const rest = all.filter((f) => !work.includes(f));
  const out = new Map<string, Panel>();
  for (const v of variants) {
    const [title, unitName] = [levels(v, work), unitOf(page, v)];
    const panel = out.get(title + "\n" + unitName) ?? { title, unit: unitName, variants: [], rest };
    panel.variants.push(v);
    out.set(title + "\n" + unitName, panel);
  }
  return [...out.values()];
}

function unitOf(page: Page, v: Variant): string {
  return v.work?.unit.throughput || page.analysis.study.unit;
}

/** best is the rung of the highest throughput within the objectives or, where none
 * keeps them, of all. */
export function best(v: Variant): Rung | undefined {
  const passed = rungs(v).filter((r) => measured(r) && (r.throughput.value ?? 0) > 0);
  const kept = passed.filter((r) => r.kept);
  return (kept.length ? kept : passed).reduce<Rung | undefined>((most, r) => !most || r.throughput.value! > most.throughput.value! ? r : most, undefined);
}

/** bestNote says which rung a best one is. */
export function bestNote(page: Page): string {
  const judged = (page.analysis.study.objectives ?? []).length > 0;
  return judged ? "The best within the objectives (filled) or, where none keeps them, of all (hollow)." : "The best of all rungs.";
}

type Measure = "throughput" | "payload";

/** measureOf reads a rung's throughput, or its data rate in MB/s. */
function measureOf(r: Rung, measure: Measure): Interval {
  return measure === "payload" && r.payload?.value ? r.payload : r.throughput;
}

/** byLevel draws the best throughput against a factor with numbers for levels. */
function byLevel(page: Page, f: Factor): HTMLElement | null {
  const has = page.variants.filter((v) => best(v) && levelsOf(f).some((l) => l.level === v.factors?.[f.path]));
  const parts = panelsOf(page, has).filter((p) => groups(p, f).some((g) => g.length > 1));
  if (parts.length === 0) return null;
  const measure = new Control<Measure>(page, "against-" + f.path, measures(page, has), "throughput");
  return h("div", {},
    h("div", { class: "controls" }, measure.element("Throughput in")),
    h("div", { class: "pair" }, parts.map((p, i) => againstFigure(page, f, p, i, () => measure.value))));
}

/** measures are the throughput and, where the work moves bytes and counts something
 * else, these. */
function measures(page: Page, variants: Variant[]): { value: Measure; text: string }[] {
  const own = { value: "throughput", text: unitOf(page, variants[0]!) } as const;
  return variants.some((v) => best(v)!.payload?.value) ? [own, { value: "payload", text: "MB/s" }] : [own];
}

/** groups are the variants of a panel that differ in the factor alone. */
function groups(p: Panel, f: Factor): Variant[][] {
  const others = p.rest.filter((o) => o !== f);
  const out = new Map<string, Variant[]>();
  for (const v of p.variants) out.set(levels(v, others), [...(out.get(levels(v, others)) ?? []), v]);
  return [...out.values()];
}

function againstFigure(page: Page, f: Factor, p: Panel, i: number, measure: () => Measure): HTMLElement {
  const id = `against-${f.name.replaceAll(" ", "-")}-${i + 1}`;
  const scale = scales(page, id, valueScale(page.variants.map((v) => best(v)?.throughput.value ?? 0)));
  const name = () => measure() === "payload" ? "MB/s" : p.unit;
  const title = `Throughput against ${f.name}` + (p.title ? `: ${p.title}` : "");
  const lines = () => linesAgainst(page, f, p, measure(), name());
  return figure(page, {
    id, title, note: bestNote(page),
    controls: [scale.element(scaleLabel)],
    draw: (width) => drawChart({
      label: `${title}, ${name()}`, description: lines().map((l) => `${l.label || "all"}: ${l.dots.map((d) => `${number(d.value)} ${name()} at ${write(f, d.n)}`).join(", ")}.`).join(" "),
      width, height: frameHeight(width) * 0.85, scale: scale.value, unit: name(), format: compact, write: number, xLabel: f.name, xScale: "log", xFormat: (v) => write(f, v),
      counts: levelsOf(f).map((l) => l.value!), lines: lines(),
    }),
    numbers: () => table(`${title}, ${name()}`, ["<", ...levelsOf(f).map((l) => l.level)], groups(p, f).map((g) => [
      levels(g[0]!, p.rest.filter((o) => o !== f)) || "all", ...levelsOf(f).map((l) => cell(at(g, f, l), measure()))])),
  });
}

function cell(v: Variant | undefined, measure: Measure): string {
  return v ? interval(measureOf(best(v)!, measure), number) : "–";
}

function at(group: Variant[], f: Factor, l: Level): Variant | undefined {
  return group.find((v) => v.factors?.[f.path] === l.level);
}

/** write writes a value of a factor as the study does. */
function write(f: Factor, v: number): string {
  return levelsOf(f).find((l) => l.value === v)?.level ?? compact(v);
}

function linesAgainst(page: Page, f: Factor, p: Panel, measure: Measure, name: string): Line[] {
  const others = p.rest.filter((o) => o !== f);
  const all = groups(p, f);
  const heads = all.map((g) => ({ ...g[0]!, name: levels(g[0]!, others), factors: Object.fromEntries(others.map((o) => [o.path, g[0]!.factors?.[o.path] ?? ""])) }));
  const look = looks(heads);
  return all.map((g, i): Line => ({
    key: heads[i]!.name, label: heads[i]!.name, ...look.get(heads[i]!.name)!,
    dots: levelsOf(f).flatMap((l) => {
      const v = at(g, f, l);
      return v ? dotOf(page, v, l, measureOf(best(v)!, measure), name) : [];
    }),
  })).filter((l) => l.dots.length > 0);
}

function dotOf(page: Page, v: Variant, l: Level, i: Interval, name: string): Dot[] {
  if (!(i.value! > 0)) return [];
  const r = best(v)!;
  return [{
    n: l.value!, value: i.value!, low: i.low ?? i.value!, high: i.high ?? i.value!, kept: r.kept || !(r.objectives ?? []).length,
    title: `${page.labelOf(v.name)}\n${number(i.value)} ${name} at ${plural(r.instances, page.noun)}`,
  }];
}

/** fewLevels is how many levels of a factor can still be told apart side by side; those
 * with numbers are drawn against these. */
const fewLevels = 4;

/** sideBySide draws the levels of a factor as lines, a frame for each combination
 * of the others. */
function sideBySide(page: Page): HTMLElement | null {
  const pairs = page.analysis.pairs ?? [];
  const able = (page.analysis.factors ?? []).filter((f) => levelsOf(f).length <= fewLevels && !numeric(page).includes(f) && pairs.some((p) => p.factor === f.path));
  if (able.length === 0 || counts(page.variants).length < 2) return null;
  const [heading, keys, place] = [h("h3", { class: "side" }), h("div", { class: "keys" }), h("div", {})];
  const first = able.find((f) => !ofWork(page, f)) ?? able[0]!;
  const by = new Control(page, "compare-by", able.map((f) => ({ value: f.path, text: f.name })), first.path);
  let shown: Factor | undefined;
  const show = () => {
    const f = able.find((f) => f.path === by.value)!;
    if (f === shown) return;
    shown = f;
    const list = frames(pairs.filter((p) => p.factor === f.path));
    heading.textContent = against(f);
    keys.replaceChildren(...levelsOf(f).map((l, i) => h("span", { class: "named" }, key(lookOf(i, colorOf(page, f, l))), l.label)));
    place.replaceChildren(h("div", { class: list.length > 2 ? "multiples wide" : "pair" }, list.map((frame, i) => frameFigure(page, f, frame, i))));
  };
  page.onRedraw(show);
  show();
  return h("div", {}, heading, h("div", { class: "controls" }, by.element("Compare by")), keys, place);
}

/** frames joins the pairs that share all other levels: they have the first one in common. */
export function frames(pairs: Pair[]): Pair[][] {
  const out = new Map<string, Pair[]>();
  for (const p of pairs) out.set(p.from, [...(out.get(p.from) ?? []), p]);
  return [...out.values()];
}

function against(f: Factor): string {
  const [first, ...others] = levelsOf(f).map((l) => l.label);
  return `${others.join(", ")} against ${first}`;
}

/** colorOf is the color of a level, if it has one. */
function colorOf(page: Page, f: Factor, l: Level): string {
  const of = new Set(page.variants.filter((v) => v.factors?.[f.path] === l.level).map((v) => page.look(v.name).color));
  return of.size === 1 ? [...of][0]! : "var(--ink)";
}

/** lookOf is the look of a level in a frame of a color. */
function lookOf(i: number, color: string): Look {
  return { color, dash: ["", "7 3", "2 3", "10 3 2 3"][i % 4]!, symbol: (["circle", "triangle", "square", "diamond"] as const)[i % 4]!, index: i };
}

function frameFigure(page: Page, f: Factor, frame: Pair[], i: number): HTMLElement {
  const names = [frame[0]!.from, ...frame.map((p) => p.to)];
  const variants = names.map((name) => page.variant(name)!);
  const unitName = unitOf(page, variants[0]!);
  const title = frame[0]!.shared || against(f);
  const label = (v: Variant) => levels(v, [f]);
  const ratios = frame.map((p) => `${label(page.variant(p.to)!)} does ${interval(p.ratio, times)} times ${label(variants[0]!)} at ${plural(p.at, page.noun)}.`);
  return figure(page, {
    id: `pair-${f.name.replaceAll(" ", "-")}-${i + 1}`, title, note: `${unitName}. ${frame.length === 1 ? ratios[0]! : `Ratios to ${label(variants[0]!)}.`}`,
    draw: (width) => drawChart({
      label: `${against(f)}, ${title}`, description: ratios.join(" "),
      width, height: frameHeight(width) * 0.85, scale: "linear", unit: unitName, format: compact, write: number, xLabel: page.noun + "s", counts: counts(variants),
      lines: variants.map((v, n): Line => ({
        ...line(page, v, (r) => r.throughput, (x) => `${number(x)} ${unitName}`), ...lookOf(levelsOf(f).findIndex((l) => l.level === v.factors?.[f.path]), page.look(v.name).color),
        label: n === 0 ? "" : `${significant(frame[n - 1]!.ratio.value, 2)}×`,
      })),
    }),
    numbers: () => numbers(page, `factor ${f.path}`),
  });
}

const times = (v: number | null) => significant(v, 3);
