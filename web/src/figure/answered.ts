// What answers a question about levels of a factor, or about shares of a rating: its figures
// in a table, in place of load lines.

import { h, type Child } from "../chart/dom.ts";
import { table } from "./figure.ts";
import { capital, interval, number, percent, plural, seconds, significant, thousands } from "../read/format.ts";
import type { Interval, Reply, ReplyCell, ReplyGroup, ReplyStep } from "../read/model.ts";
import { measured, rungs, type Num } from "../read/reading.ts";
import { named, type Page } from "./page.ts";

/** shown is how many rows are read without a click. */
const shown = 12;

/** byFactor says that figures by factor, per drive or of a rating answer the question. */
export function byFactor(page: Page): boolean {
  const { answer } = page.analysis;
  return ["comparison", "effect", "fraction"].includes(answer?.kind ?? "") && (answer?.groups ?? []).length > 0;
}

/** answered is the table of a question for which byFactor holds. */
export function answered(page: Page): HTMLElement {
  const answer = page.analysis.answer!;
  const [caption, heads, rows] = answer.kind === "fraction" ? fractions(page, answer) : answer.kind === "effect" ? effects(page, answer) : comparisons(page, answer);
  const rest = rows.slice(shown);
  return h("div", { class: "answered" },
    table(caption, heads, rows.slice(0, shown)),
    rest.length ? h("details", {}, h("summary", {}, plural(rest.length, "more row")), table(caption + ", the rest", heads, rest, true)) : null);
}

type Table = [caption: string, heads: string[], rows: Child[][]];

const cells = (g: ReplyGroup): ReplyCell[] => g.cells ?? [];

/** levelsIn lists the levels of all groups in their order. */
function levelsIn(answer: Reply): string[] {
  return [...new Set((answer.groups ?? []).flatMap((g) => cells(g).map((c) => c.level)))];
}

/** factorName is the factor in words. */
export function factorName(page: Page, answer: Reply): string {
  return page.analysis.factors?.find((f) => f.path === answer.factor)?.name ?? "factor";
}

/** divided says that the figures that answer are throughput over what the study divides it
 * by: where that is known of every variant. */
export function divided(answer: Reply): boolean {
  return !!answer.per && !answer.metric && answer.kind !== "fraction" && (answer.groups ?? []).flatMap(cells).every((c) => c.per?.value);
}

/** the measured quantity: the metric, or throughput. */
export function what(answer: Reply): string {
  return !answer.metric ? "Throughput" : answer.metric === "cpu" ? "CPU time per unit of work" : capital(answer.metric);
}

/** written writes a figure of the answer. */
function written(answer: Reply, i: Interval, unit: string): string {
  return answer.metric ? interval(i, seconds) : `${interval(i, number)} ${unit}`;
}

function comparisons(page: Page, answer: Reply): Table {
  const levels = levelsIn(answer);
  const at = new Set((answer.groups ?? []).flatMap((g) => cells(g).map((c) => c.rung)));
  const rows = (answer.groups ?? []).map((g): Child[] => [g.shared || "all", ...levels.map((level) => {
    const c = cells(g).find((c) => c.level === level);
    return c ? compared(answer, g, c, at.size > 1 ? `at ${plural(c.rung, page.noun)}` : "") : "–";
  })]);
  const best = answer.metric ? "the lowest" : "the most";
  const where = at.size === 1 ? ` at ${plural([...at][0]!, page.noun)}` : "";
  return [`${what(answer)} by ${factorName(page, answer)}${where}; bold where it is clearly ${best}`, ["<", ...levels], rows];
}

function compared(answer: Reply, g: ReplyGroup, c: ReplyCell, where: string): Child {
  const over = answer.per && c.per?.value ? h("small", {}, strong(`${number(c.per.value)} per ${answer.per}`, g.best_per === c.level)) : null;
  return h("span", { class: "figure" }, strong(written(answer, c.value, c.unit), g.best === c.level), over, where ? h("small", {}, where) : null);
}

function strong(text: string, is: boolean): Child {
  return is ? h("b", {}, text) : text;
}

function effects(page: Page, answer: Reply): Table {
  const [first, ...others] = levelsIn(answer);
  const rows = (answer.groups ?? []).flatMap((g) => [...new Set((g.steps ?? []).map((s) => s.rung))].map((n): Child[] => [
    g.shared || "all", thousands(n), answer.metric ? "1" : throughputAt(page, cells(g)[0]!, n),
    ...others.map((level) => {
      const s = (g.steps ?? []).find((s) => s.level === level && s.rung === n);
      return s ? changed(answer, s) : "–";
    }),
  ]));
  return [`${what(answer)} by ${factorName(page, answer)}, with its ratio to “${first}”; bold where a change is shown`, ["<", `${capital(page.noun)}s`, first ?? "", ...others], rows];
}

function throughputAt(page: Page, c: ReplyCell, n: number): string {
  const r = rungs(page.variant(c.variant)!).find((r) => r.instances === n && measured(r));
  return r ? `${interval(r.throughput, number)} ${c.unit}` : "–";
}

const times = (v: Num) => (v === null ? "–" : `${significant(v, 3)}×`);

function changed(answer: Reply, s: ReplyStep): Child {
  return h("span", { class: "figure" }, strong(interval(s.throughput, times), !!s.shown), s.per_ratio ? h("small", {}, `${times(s.per_ratio)} per ${answer.per}`) : null);
}

/** wholeOf is what a share is of. */
export function wholeOf(c: ReplyCell): string {
  return c.rated || "the drives’ rating";
}

function fractions(page: Page, answer: Reply): Table {
  const rows = (answer.groups ?? []).flatMap(cells).map((c): Child[] => {
    const best = page.variant(c.variant)?.best;
    return [
      named(page, c.variant), c.unrated ? "–" : h("b", {}, percent(c.value.value)), c.unrated ? "" : wholeOf(c),
      best ? `${interval(best.throughput, number)} ${c.unit}` : "–", best?.drives ? thousands(best.drives) : "–", best?.per_drive ? number(best.per_drive) : "–",
    ];
  });
  return ["Share of what it is held against", ["<", "Share", "<of", "Throughput", "Drives", "per drive"], rows];
}
