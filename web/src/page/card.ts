// The decision card: the answer in a sentence, each variant's load line as a
// bracket on one axis, how far to trust it, and what was tested. It heads the
// page and prints alone on one sheet.

import "./card.css";
import { tables } from "../figure/finished.ts";
import { h, svg, type Child } from "../chart/dom.ts";
import { capital, compact, plural, sentence } from "../read/format.ts";
import { briefs } from "../figure/reference.ts";
import { day, duration, trialCount } from "../figure/facts.ts";
import type { DecisionRow, Rung, Variant } from "../read/model.ts";
import { lineBounds, measured, rungs } from "../read/reading.ts";
import { key, type Page } from "../figure/page.ts";
import { plimsoll } from "../chart/chart.ts";
import { explained } from "./terms.ts";
import { strip } from "../figure/topology.ts";

/** shown is how many variants have a row without a click, and on paper; few is
 * how many have their sentence with it. */
const shown = 8;
const few = 3;

/** card is the first screen. */
export function card(page: Page): HTMLElement {
  const { study } = page.analysis;
  return h("header", { class: "card", id: "card" },
    h("div", { class: "head" },
      h("div", { class: "says" },
        h("h1", {}, study.title || study.name),
        study.question ? h("p", { class: "question" }, study.question) : null,
        answer(page),
        labels(page)),
      grade(page)),
    page.decision.by_factor ? figures(page) : lines(page),
    parts(page),
    strip(page),
    foot(page));
}

/** answer is the first part of it, with how sure it is. */
function answer(page: Page): HTMLElement {
  const first = page.analysis.parts?.[0];
  return h("p", { class: (page.analysis.grade ?? "") >= "D" ? "answer weak" : "answer" },
    first ? page.prose(first.text) : "No verdict: no trial finished.", first?.sure ? h("small", { class: "sure" }, " ", page.prose(first.sure)) : null);
}

/** parts are the others, what can have changed the answer, and what to do next. */
function parts(page: Page): HTMLElement | null {
  const { parts, caveats, bound } = page.analysis;
  const line = (asks: string, ...text: Child[]) => h("li", {}, h("b", {}, capital(asks)), " ", ...text);
  const all = [
    ...(parts ?? []).slice(1).map((p) => line(p.asks, page.prose(p.text), p.sure ? h("small", {}, " ", page.prose(p.sure)) : null)),
    ...(caveats ?? []).map((d) => line("doubt", page.prose(d.text))),
    ...(bound?.cure ? [line("next", page.prose(capital(sentence(bound.cure.text))))] : []),
  ];
  return all.length ? h("ul", { class: "answer-parts" }, all) : null;
}

/** labels say what the figures are of; those that qualify them stand first. */
function labels(page: Page): HTMLElement {
  const { study, run } = page.analysis;
  const badge = (kind: string, text: string | undefined | false | 0) => text ? h("span", { class: `badge ${kind}` }, text) : null;
  return h("p", { class: "labels" },
    badge("", run.reference && "published results"),
    badge("caution", page.analysis.warnings?.some((w) => w.kind === "running") && "running"),
    badge("caution", run.simulated && "simulated medium"),
    badge("caution", study.reduced && "reduced profile" + (study.profile ? `: ${study.profile}` : "")),
    badge("caution", study.set?.length && "set on the command line: " + study.set.join(", ")),
    badge("plain", study.dataset));
}

/** grade is the letter with how far the answer may be off; both lead to the doubts. */
function grade(page: Page): HTMLElement | null {
  const { grade, grade_reason } = page.analysis;
  if (!grade) return null;
  return h("a", { class: `grade grade-${grade}`, href: "#trust" },
    h("span", { class: "letter" }, h("span", { class: "hidden" }, "Grade "), grade),
    h("span", { class: "meaning" }, page.grades[grade]),
    grade_reason ? h("span", { class: "reason" }, page.plain(sentence(grade_reason))) : null);
}

/** Scale is the axis that all rows share: from 0 to a number, of what. */
interface Scale { top: number; of: string; at: (v: number) => string }

/** figures are those that answer, with a sentence on each variant below. */
function figures(page: Page): HTMLElement {
  const all = page.decision.rows ?? [];
  const list = h("ul", { class: "each" }, all.map((row) => h("li", {}, who(page, row.variant), " ", page.prose(row.said ?? ""))));
  return h("div", { class: "lines by-factor" }, h("div", { class: "answered" }, tables(page, "answered")),
    all.length > few ? h("details", { class: "evidence" }, h("summary", {}, "The verdict on each in words"), list) : list);
}

/** lines are the rows, a variant each, above their common axis. */
function lines(page: Page): HTMLElement | null {
  const all = page.decision.rows ?? [];
  if (page.variants.every((v) => rungs(v).length === 0)) return null;
  const scale = scaleOf(page);
  const rows = all.map((r) => row(page, r, scale));
  const rest = rows.slice(shown);
  return h("div", { class: "lines" },
    h("ol", {}, rows.slice(0, shown), axis(scale)),
    rest.length ? [
      h("details", {}, h("summary", {}, plural(rest.length, "more variant")), h("ol", {}, rest)),
      h("p", { class: "on-paper" }, `The report has ${plural(rest.length, "more variant")}.`),
    ] : null,
    all.length > few ? h("details", { class: "evidence" }, h("summary", {}, "The verdict on each in words"), h("ul", {}, all.map((r) => h("li", {}, who(page, r.variant), " ", page.prose(r.said ?? ""))))) : null);
}

/** scaleOf spans counts where there are objectives, and else throughputs. */
function scaleOf(page: Page): Scale {
  const values = page.decision.judged
    ? page.variants.flatMap((v) => rungs(v).map((r) => r.instances))
    : page.variants.map((v) => best(v)?.throughput.value ?? 0);
  const units = new Set(page.variants.map((v) => v.work?.unit.throughput ?? page.analysis.study.unit));
  const top = Math.max(...values, 1e-9) * 1.06;
  return { top, of: page.decision.judged ? page.noun + "s" : units.size === 1 ? page.analysis.study.unit : "", at: (v) => `${Math.min(Math.max((v / top) * 100, 0), 100).toFixed(2)}%` };
}

/** axis writes the numbers below the rows. */
function axis(scale: Scale): HTMLElement {
  const step = steps(scale.top);
  const ticks = Array.from({ length: Math.floor(scale.top / step) + 1 }, (_, i) => i * step);
  return h("li", { class: "axis", "aria-hidden": "true" },
    h("span", { class: "ticks" }, ticks.map((v) => h("span", { style: `left:${scale.at(v)}` }, compact(v)))),
    h("span", { class: "of" }, scale.of));
}

/** steps gives a distance between ticks that makes about five. */
function steps(top: number): number {
  const power = 10 ** Math.floor(Math.log10(top / 4));
  return [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => top / s <= 6) ?? top;
}

/** row is a variant: its name, its figure, that drawn on the axis, what stands beside it, and the
 * sentence with the evidence. */
function row(page: Page, { variant, count, of, weak, notes, said }: DecisionRow, scale: Scale): HTMLElement {
  const v = page.variant(variant)!;
  const text = said && page.variants.length <= few ? page.prose(said) : null;
  return h("li", { class: weak ? "row weak" : "row" },
    who(page, variant),
    h("span", { class: "count" }, h("b", {}, count), h("small", {}, of), weak ? h("span", { class: "weakly", title: `Grade ${weak}: ${page.grades[weak]}` }, weak) : null),
    h("span", { class: "track" }, page.decision.judged ? bracket(page, v, scale, count) : bar(page, v, scale, `${count} ${of ?? ""}`)),
    h("span", { class: "buys" },
      (notes ?? []).map((n) => h("span", { class: "price", title: n.title }, h("b", {}, n.figure), n.of ? ` ${n.of}` : "")),
      briefs(page, v).map((text) => h("span", { class: "brief" }, text))),
    text ? h("span", { class: "said" }, text) : null);
}

/** best is the rung with the highest throughput. */
function best(v: Variant): Rung | undefined {
  return rungs(v).filter(measured).reduce<Rung | undefined>((top, r) => (r.throughput.value ?? 0) > (top?.throughput.value ?? -1) ? r : top, undefined);
}

/** bracket draws between which counts the load line lies, among the rungs. */
function bracket(page: Page, v: Variant, scale: Scale, count: string): SVGElement {
  const color = page.look(v.name).color;
  const { low, high } = lineBounds(v.load_line);
  const none = v.load_line.unmeasured || (!v.load_line.bracket.low && !v.load_line.bracket.high);
  const end = high ?? scale.top;
  const value = v.load_line.count.value ?? low;
  return drawing(`${page.labelOf(v.name)}: ${count} ${page.noun}s`,
    svg("line", { x1: 0, x2: scale.at(low), y1: mid, y2: mid, stroke: color, "stroke-width": 4, "stroke-opacity": 0.35 }),
    rungs(v).map((r) => dot(r, color, scale)),
    none ? null : [
      svg("rect", { x: scale.at(low), width: scale.at(end - low), y: mid - 7, height: 14, fill: color, "fill-opacity": 0.16 }),
      cap(scale.at(low), 1, color),
      high === null ? null : cap(scale.at(high), -1, color),
      high === null
        ? at("100%", svg("path", { d: `M-6,${mid - 5} l6,5 l-6,5`, fill: "none", stroke: color, "stroke-width": 2 }))
        : at(scale.at(Math.min(Math.max(value, low), end)), plimsoll(0, mid, color, 4.5)),
    ]);
}

const mid = 12;

/** cap is an end of a bracket, open to the right or the left. */
function cap(x: string, side: number, color: string): SVGElement {
  return at(x, svg("path", { d: `M${4 * side},${mid - 8} h${-4 * side} v16 h${4 * side}`, fill: "none", stroke: color, "stroke-width": 2 }));
}

/** at moves a drawing from 0 to its place on the axis. */
function at(x: string, ...children: Child[]): SVGElement {
  return svg("svg", { x, overflow: "visible" }, children);
}

/** dot is a rung that was measured: filled where it kept every objective. */
function dot(r: Rung, color: string, scale: Scale): SVGElement {
  if (!measured(r)) return at(scale.at(r.instances), svg("path", { d: `M-3,${mid - 3} l6,6 M-3,${mid + 3} l6,-6`, stroke: color, "stroke-width": 1.5 }));
  return svg("circle", { cx: scale.at(r.instances), cy: mid, r: 2.75, stroke: color, "stroke-width": 1.25, fill: r.kept ? color : "var(--page)" });
}

/** bar draws the highest throughput where nothing limits the count. */
function bar(page: Page, v: Variant, scale: Scale, count: string): SVGElement {
  const top = best(v)?.throughput;
  const color = page.look(v.name).color;
  return drawing(`${page.labelOf(v.name)}: ${count}`,
    svg("rect", { x: 0, width: scale.at(top?.value ?? 0), y: mid - 6, height: 12, fill: color, "fill-opacity": 0.75 }),
    top?.confidence ? svg("line", { x1: scale.at(top.low ?? 0), x2: scale.at(top.high ?? 0), y1: mid, y2: mid, stroke: "var(--ink)", "stroke-width": 1.5 }) : null);
}

function drawing(label: string, ...children: Child[]): SVGElement {
  return svg("svg", { width: "100%", height: 2 * mid, overflow: "visible", role: "img", "aria-label": label },
    svg("line", { x1: 0, x2: "100%", y1: mid, y2: mid, stroke: "var(--rule)" }), children);
}

/** who names a variant; with more than two it is a button that shows the
 * variant in the figures or hides it. */
function who(page: Page, name: string): HTMLElement {
  const content = [key(page.look(name)), h("span", {}, page.labelOf(name))];
  if (page.variants.length < 3) return h("span", { class: "who" }, content);
  const button = h("button", {
    type: "button", class: "who", title: "Show in the figures or hide", "aria-pressed": String(page.focus.has(name)),
    onclick: () => page.toggle(name),
  }, content);
  page.onRedraw(() => button.setAttribute("aria-pressed", String(page.focus.has(name))));
  return button;
}

/** foot has what the words mean, and the
 * button that prints the card alone. */
function foot(page: Page): HTMLElement {
  const { study, run } = page.analysis;
  const facts = [run.reference || study.name, day(run.started), duration(page), trialCount(page), run.plimsoll ? `Plimsoll ${run.plimsoll}` : ""].filter(Boolean);
  return h("div", { class: "foot" },
    h("p", { class: "on-paper" }, facts.join(" · ")),
    h("div", { class: "tools" },
      explained(page),
      h("button", { type: "button", class: "print", onclick: printCard }, "Print this card")));
}

/** printCard prints the card and nothing else. */
function printCard(): void {
  const root = document.documentElement;
  root.dataset["print"] = "card";
  addEventListener("afterprint", () => delete root.dataset["print"], { once: true });
  print();
}
