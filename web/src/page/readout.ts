// The readout of the rung cursor, once it is pinned: every variant in focus at
// that count, with the way to its trial.

import { h } from "../chart/dom.ts";
import { number, plural, thousands, time } from "../read/format.ts";
import { differences } from "../figure/reference.ts";
import { counts, firstStatistic } from "../figure/ladder.ts";
import type { Variant } from "../read/model.ts";
import { measured, rungs, statistic } from "../read/reading.ts";
import { named, type Page } from "../figure/page.ts";
import { stepped } from "../chart/cursor.ts";

/** readout stands at the foot of the window while a rung is pinned. */
export function readout(page: Page): HTMLElement {
  const text = h("div", { class: "values", "aria-live": "polite" });
  const element = h("div", { class: "readout", role: "group", "aria-label": "Values at the pinned rung", hidden: true },
    text,
    h("div", { class: "controls" },
      step(page, "ArrowLeft", "‹", "Smaller rung"), step(page, "ArrowRight", "›", "Larger rung"),
      h("button", { type: "button", "aria-label": "Unpin the rung", onclick: () => page.rung.pin(null, "") }, "×")));
  const draw = () => {
    const n = page.rung.pinned;
    element.hidden = n === null;
    if (n !== null) text.replaceChildren(h("b", { class: "rung" }, plural(n, page.noun)), ...page.focused().map((v) => value(page, v, n)));
  };
  page.rung.onMove(draw, page.closed);
  page.onRedraw(draw);
  draw();
  return element;
}

function step(page: Page, key: string, text: string, name: string): HTMLElement {
  return h("button", { type: "button", "aria-label": name, onclick: () => page.rung.pin(stepped(counts(page.variants), page.rung.pinned, key) ?? null, "") }, text);
}

function value(page: Page, v: Variant, n: number): HTMLElement {
  const r = rungs(v).find((rung) => rung.instances === n);
  if (!r) return h("span", { class: "at" }, named(page, v.name), " not run");
  if (!measured(r)) return h("span", { class: "at" }, named(page, v.name), " failed");
  const response = firstStatistic(page);
  const at = statistic(r, response).value;
  return h("span", { class: "at" }, named(page, v.name), ` ${number(r.throughput.value)} ${page.analysis.study.unit}`, at === null ? "" : `, ${response} ${time(at)}`, differences(page, v, n, "throughput").map((text) => ", " + text),
    r.trials?.length ? h("button", { type: "button", class: "draw", "aria-label": `Open the trial of ${page.labelOf(v.name)} at ${thousands(n)}`, onclick: (event) => void page.rung.open(v.name, n, (event as MouseEvent).shiftKey) }, "open") : null);
}
