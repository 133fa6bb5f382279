// The page of a run, from its analysis and from the data unpacked later.

import { beside } from "../figure/beside.ts";
import { bottleneck } from "../figure/bottleneck.ts";
import { card } from "./card.ts";
import { data } from "../figure/data.ts";
import { h } from "../chart/dom.ts";
import { efficiency } from "../figure/efficiency.ts";
import { factors } from "../figure/factors.ts";
import { fairness } from "../figure/fairness.ts";
import { finished } from "../figure/finished.ts";
import { answers, findings } from "../figure/findings.ts";
import { against } from "../figure/reference.ts";
import { bar } from "./head.ts";
import { items } from "../figure/items.ts";
import { firstFigures } from "../figure/firstfigures.ts";
import { Landing } from "./landing.ts";
import { readout } from "./readout.ts";
import { rungs, type Packed, type Report } from "../read/reading.ts";
import { Page, trialAnchor } from "../figure/page.ts";
import { percentiles } from "../figure/percentiles.ts";
import { price } from "../figure/price.ts";
import { saturation } from "../figure/saturation.ts";
import { scalability } from "../figure/scalability.ts";
import { series, type Drawer } from "../figure/series.ts";
import { decode, type State } from "../read/state.ts";
import { timeProfile } from "../figure/timeprofile.ts";
import { applyTheme, switchTheme, watchMedium } from "./theme.ts";
import { audit, machine, method, trials, trust } from "../figure/trust.ts";

/** Shown is a page that is on show, until it is closed for another. */
export interface Shown { close: () => void }

/** showReport builds the page in place of what an element holds. Called again
 * with more data and the same state, it shows the same; the page before must
 * have been closed. */
export function showReport(into: HTMLElement, report: Report, packed: Promise<Packed>, json: () => string, state: State): Shown {
  const page = new Page(report, packed, state);
  const { analysis } = report;
  const place = h("div", {});
  const footer = h("footer", {}, `Made by Plimsoll ${analysis.run.plimsoll ?? ""} from run ${analysis.run.id}. One file; nothing is fetched.`);
  const contents = h("nav", { class: "contents", id: "contents", "aria-label": "Contents" });
  const landing = new Landing(into, () => page.later.flush(), page.closed);
  page.atOnce = into.childElementCount > 0;
  applyTheme(state);
  into.style.minHeight = into.offsetHeight + "px"; // so that the page stays where it is scrolled to
  into.replaceChildren(...first(page), contents, footer, readout(page));
  for (const section of sections(page, place, json)) page.later.add(() => footer.before(...[section()].flat().filter((s) => s !== null)));
  page.later.add(() => {
    listContents(contents);
    dropDeadProofs();
  });
  if (page.atOnce) page.later.flush();
  page.rung.open = (variant, n) => {
    const id = trialsAt(page, variant, n)[0];
    if (id) lead(page, landing, trialAnchor(id));
    return !!id;
  };
  followLinks(page, landing);
  const complete = async (ready: string) => {
    await page.later.done();
    if (page.closed.aborted) return;
    document.documentElement.dataset["ready"] = ready;
    performance.mark("ready");
    into.style.minHeight = "";
    landing.finish();
  };
  page.packed.then(async (unpacked) => {
    if (!page.atOnce) await page.later.done();
    if (page.closed.aborted) return;
    fillSeries(page, unpacked, place, contents, landing);
    footer.append(h("details", {}, h("summary", {}, "Licences of the libraries in this file"), h("pre", { tabindex: 0 }, unpacked.notices)));
    await complete("yes");
  }, async (error: unknown) => {
    place.replaceWith(h("p", { class: "failure" }, `The time series could not be unpacked: ${String(error)}`));
    await complete("failed");
  });
  watchMedium(page);
  return page;
}

/** first is the first screen. */
function first(page: Page): HTMLElement[] {
  const drawn = page.variants.some((v) => rungs(v).length > 0);
  return [
    h("a", { class: "skip", href: "#contents" }, "Skip to the contents"), bar(page, () => switchTheme(page, page.state)), card(page),
    ...(drawn ? [h("div", { class: "pair first" }, firstFigures(page))] : []),
  ];
}

/** sections make the parts below, with the place of the time series, or nothing. */
function sections(page: Page, place: HTMLElement, json: () => string): (() => HTMLElement | null | (HTMLElement | null)[])[] {
  return [
    ...[timeProfile, answers, finished("claims"), finished("tiles"), items, factors, efficiency, bottleneck, finished("requests"), finished("stages"), saturation, scalability, beside, against, price, percentiles, fairness].map((part) => () => part(page)), () => place,
    ...[findings, audit, trust, trials, machine, method].map((part) => () => part(page)), () => data(page, json),
  ];
}

/** followLinks leads to where the address and links within the page point, and
 * shows what an address chooses. */
function followLinks(page: Page, landing: Landing): void {
  const signal = page.closed;
  const { state } = page;
  if (state.choices.anchor) landing.go(state.choices.anchor);
  addEventListener("hashchange", () => {
    state.read();
    applyTheme(state);
    page.refocus();
    page.redraw();
    page.rung.moved();
    landing.go(state.choices.anchor);
  }, { signal });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    lead(page, landing, decode(link.hash.slice(1)));
  }, { signal });
}

/** lead goes to a place of the page, and lets the keyboard go on from there. */
function lead(page: Page, landing: Landing, anchor: string): void {
  page.state.visit(anchor);
  landing.go(anchor);
  const target = document.getElementById(anchor);
  if (target && target.tabIndex < 0) target.tabIndex = -1;
  target?.focus({ preventScroll: true });
}

/** trialsAt lists the trials of a variant at a count, those that passed first. */
function trialsAt(page: Page, variant: string, n: number): string[] {
  const all = [...page.trials.values()].filter((t) => t.variant === variant && t.rung === n);
  return all.sort((a, b) => Number(a.status === "failed") - Number(b.status === "failed")).map((t) => t.id);
}

/** fillSeries puts the time series into their place; points lead to them. */
function fillSeries(page: Page, packed: Packed, place: HTMLElement, contents: HTMLElement, landing: Landing): void {
  const drawer = series(page, packed);
  if (!drawer) return;
  place.replaceWith(drawer.element);
  drawer.draw();
  listContents(contents);
  drawButtons(drawer, () => lead(page, landing, "series"));
  const { open } = page.rung;
  page.rung.open = (variant, n, beside) => {
    const id = trialsAt(page, variant, n).find(drawer.has);
    if (!id) return open(variant, n, beside);
    drawer.show(id, beside);
    lead(page, landing, "series");
    return true;
  };
}

/** listContents links to the sections that there are. */
function listContents(contents: HTMLElement): void {
  contents.replaceChildren(...[...document.querySelectorAll<HTMLElement>("section[id]")].map((s) =>
    h("a", { href: "#" + s.id }, s.querySelector("h2")!.textContent)));
}

/** dropDeadProofs takes away links to figures that this report has not got. */
function dropDeadProofs(): void {
  document.querySelectorAll<HTMLAnchorElement>("a.proof").forEach((a) => {
    if (!document.getElementById(a.hash.slice(1))) a.remove();
  });
}

/** drawButtons shows the buttons of trials whose series can be drawn. */
function drawButtons(drawer: Drawer, shown: () => void): void {
  document.querySelectorAll<HTMLButtonElement>("button.draw").forEach((button) => {
    const id = button.dataset["trial"]!;
    if (!drawer.has(id)) return;
    button.hidden = false;
    button.addEventListener("click", (event) => {
      drawer.show(id, event.shiftKey);
      shown();
    });
  });
}
