// The line at the top of a page.

import { h, svg } from "../chart/dom.ts";
import { day, duration, trialCount } from "../figure/facts.ts";
import type { Page } from "../figure/page.ts";
import { plimsoll } from "../chart/chart.ts";

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
