// The first screen: what the study is, what was found, how far to trust it.

import { h, svg } from "./dom.ts";
import type { LoadLine } from "./model.ts";
import { lineRange, plural, sentence, span } from "./format.ts";
import { key, type Page } from "./page.ts";
import { plimsoll } from "./chart.ts";

/** bar is the line at the top: whose report this is, theme and downloads. */
export function bar(page: Page, toggleTheme: () => void): HTMLElement {
  const { study, run } = page.analysis;
  const facts = page.published ? [study.name, run.reference] : [study.name, day(run.started), duration(page), trialCount(page)].filter(Boolean);
  return barOf(facts.join(" · "), toggleTheme, h("a", { href: "#data", class: "quiet" }, "Data"));
}

/** plainBar is the line at the top of a page without data to download. */
export function plainBar(facts: string, toggleTheme: () => void): HTMLElement {
  return barOf(facts, toggleTheme, null);
}

function barOf(facts: string, toggleTheme: () => void, link: HTMLElement | null): HTMLElement {
  return h("div", { class: "bar" },
    h("span", { class: "brand" }, logo(), "Plimsoll"), h("span", { class: "facts", title: facts }, facts), link,
    h("button", { type: "button", class: "quiet theme", onclick: toggleTheme, "aria-label": "Switch between light and dark" }, themeIcon()));
}

function logo(): Element {
  return svg("svg", { width: 26, height: 16, viewBox: "-13 -8 26 16", "aria-hidden": "true", class: "logo" }, plimsoll(0, 0, "var(--accent)", 6));
}

function themeIcon(): Element {
  return svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("circle", { cx: 8, cy: 8, r: 6.25, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }),
    svg("path", { d: "M8,1.75 a6.25,6.25 0 0,1 0,12.5 Z", fill: "currentColor" }));
}

function day(text: string | undefined): string {
  return text ? text.slice(0, 10) : "";
}

function duration(page: Page): string {
  const { started, ended } = page.analysis.run;
  const ms = started && ended ? Date.parse(ended) - Date.parse(started) : 0;
  return ms > 0 ? span(ms) : "";
}

function trialCount(page: Page): string {
  const n = page.trials.size;
  return n > 0 ? plural(n, "trial") : "";
}

/** title is the heading with the labels that belong beside every number. */
export function title(page: Page): HTMLElement {
  const { study, run, grade } = page.analysis;
  return h("header", { class: "title" },
    h("div", {},
      h("h1", {}, study.title || study.name),
      study.question ? h("p", { class: "question" }, study.question) : null,
      h("p", { class: "labels" },
        run.reference ? h("span", { class: "badge" }, "published results") : null,
        run.simulated ? h("span", { class: "badge caution" }, "simulated medium") : null,
        study.reduced ? h("span", { class: "badge caution" }, "reduced profile" + (study.profile ? `: ${study.profile}` : "")) : null,
        study.set?.length ? h("span", { class: "badge caution" }, "set on the command line: " + study.set.join(", ")) : null,
        study.dataset ? h("span", { class: "badge plain" }, study.dataset) : null,
        study.objectives?.length ? h("span", { class: "badge plain" }, "objective " + study.objectives.map((o) => o.text).join(", ")) : null)),
    grade ? gradeMark(grade) : null);
}

/** gradeMark shows the grade and leads to the reasons. */
function gradeMark(grade: string): HTMLElement {
  return h("a", { class: `grade grade-${grade}`, href: "#trust", "aria-label": `Grade ${grade}: ${gradeMeaning(grade)}` },
    h("span", { class: "letter" }, grade), h("span", { class: "meaning" }, gradeMeaning(grade)));
}

/** gradeMeaning says what a grade allows. */
export function gradeMeaning(grade: string): string {
  const meanings: Record<string, string> = {
    A: "no warnings", B: "sound, with notes", C: "usable with care: read the warnings",
    D: "weak: repeat before deciding", E: "not reliable", F: "not reliable",
  };
  return meanings[grade] ?? "";
}

/** verdict is a sentence per variant, with its load line set large. */
export function verdict(page: Page): HTMLElement {
  const sentences = page.analysis.verdict ?? [];
  if (sentences.length === 0) {
    return h("p", { class: "no-verdict" }, "No verdict: no trial finished.");
  }
  const rows = sentences.map((s) => {
    const variant = page.variant(s.variant);
    return h("li", {},
      who(page, s.variant),
      variant && judged(page) ? count(page, variant.load_line, failed(page, s.variant)) : null,
      h("span", { class: "said" }, page.prose(said(s.text, s.variant))));
  });
  const shown = 6;
  return h("div", { class: "verdict" },
    h("ol", {}, rows.slice(0, shown)),
    rows.length > shown ? h("details", {}, h("summary", {}, `${plural(rows.length - shown, "more variant")}`), h("ol", {}, rows.slice(shown))) : null);
}

/** said leaves the name out that stands before the sentence anyway. */
function said(text: string, name: string): string {
  const rest = text.startsWith(`\`${name}\` `) ? text.slice(name.length + 3) : text;
  return sentence(rest);
}

function judged(page: Page): boolean {
  return (page.analysis.study.objectives ?? []).length > 0;
}

function failed(page: Page, name: string): boolean {
  return (page.variant(name)?.rungs ?? []).every((r) => r.repetitions === 0 && r.failed > 0);
}

/** count shows a load line by the counts that it may be. */
function count(page: Page, line: LoadLine, failed: boolean): HTMLElement {
  const text = failed ? "failed" : lineRange(line);
  return h("span", { class: "count" },
    h("b", {}, text),
    h("small", {}, failed ? "" : text === "1" ? page.noun : page.noun + "s", line.unstable ? ", unstable" : ""));
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
