// Builds the report from the data in the page.

import "uplot/dist/uPlot.min.css";
import "./report.css";
import { beside } from "./beside.ts";
import { bottleneck } from "./bottleneck.ts";
import { comparisonPage } from "./comparison.ts";
import { data } from "./data.ts";
import { h } from "./dom.ts";
import { efficiency } from "./efficiency.ts";
import { factors } from "./factors.ts";
import { fairness } from "./fairness.ts";
import { answers, findings } from "./findings.ts";
import { bar, plainBar, title, verdict } from "./head.ts";
import { responseFigure, throughputFigure } from "./ladder.ts";
import { rungs, type Analysis, type Comparison, type Document } from "./model.ts";
import { Page, Redraws } from "./page.ts";
import { percentiles } from "./percentiles.ts";
import { price } from "./price.ts";
import { saturation } from "./saturation.ts";
import { scalability } from "./scalability.ts";
import { series } from "./series.ts";
import { audit, machine, method, trials, trust } from "./trust.ts";
import { unpack } from "./unpack.ts";

function start(): void {
  const text = document.getElementById("data")!.textContent!;
  const { analysis, comparison } = JSON.parse(text) as Document;
  if (comparison) showComparison(comparison);
  if (analysis) showReport(analysis, text);
}

/** showComparison builds the page of a comparison. */
function showComparison(c: Comparison): void {
  const page = new Redraws();
  document.getElementById("report")!.append(
    plainBar("comparison", () => switchTheme(page)), ...comparisonPage(page, c), h("footer", {}, "Made by Plimsoll. One file; nothing is fetched."));
  document.documentElement.dataset["ready"] = "yes";
  watchMedium(page);
}

/** showReport builds the page of a run. */
function showReport(analysis: Analysis, text: string): void {
  const page = new Page(analysis, unpack(document.getElementById("packed")!.textContent!));
  const main = document.getElementById("report")!;
  const place = h("div", {});
  const sections = [
    answers(page), factors(page), efficiency(page), bottleneck(page), saturation(page), scalability(page), beside(page), price(page), percentiles(page), fairness(page), place,
    findings(page), audit(page), trust(page), trials(page), machine(page), method(page), data(page, () => text),
  ].filter((s) => s !== null);
  const drawn = page.variants.some((v) => rungs(v).length > 0);
  const footer = h("footer", {}, `Made by Plimsoll ${analysis.run.plimsoll ?? ""} from run ${analysis.run.id}. One file; nothing is fetched.`);
  const contents = h("nav", { class: "contents", "aria-label": "Contents" });
  main.append(
    bar(page, () => switchTheme(page)), title(page), verdict(page),
    ...(drawn ? [h("div", { class: "pair first" }, [responseFigure(page), throughputFigure(page)].filter((f) => f !== null))] : []),
    contents, ...sections,
    footer);
  listContents(contents);
  dropDeadProofs();
  page.packed.then((packed) => {
    const drawer = series(page, packed);
    if (drawer) {
      place.replaceWith(drawer.element);
      drawer.draw();
      listContents(contents);
      drawButtons(drawer);
    }
    footer.append(h("details", {}, h("summary", {}, "Licences of the libraries in this file"), h("pre", {}, packed.notices)));
    document.documentElement.dataset["ready"] = "yes";
  }, (error: unknown) => {
    place.replaceWith(h("p", { class: "failure" }, `The time series could not be unpacked: ${String(error)}`));
    document.documentElement.dataset["ready"] = "failed";
  });
  watchMedium(page);
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
function drawButtons(drawer: NonNullable<ReturnType<typeof series>>): void {
  document.querySelectorAll<HTMLButtonElement>("button.draw").forEach((button) => {
    const id = button.dataset["trial"]!;
    if (!drawer.has(id)) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      drawer.show(id);
      drawer.element.scrollIntoView();
    });
  });
}

/** switchTheme turns light into dark and back. */
function switchTheme(page: Redraws): void {
  const root = document.documentElement;
  const dark = root.dataset["theme"] ? root.dataset["theme"] === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = dark ? "light" : "dark";
  page.redraw();
}

/** watchMedium draws again when the theme changes and around printing: paper
 * is always light, and as wide as report.css says. */
function watchMedium(page: Redraws): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.redraw());
  let before: string | undefined;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset["theme"];
    document.documentElement.dataset["theme"] = "light";
    document.documentElement.dataset["medium"] = "paper";
    page.redraw();
  });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset["theme"] = before;
    else delete document.documentElement.dataset["theme"];
    delete document.documentElement.dataset["medium"];
    page.redraw();
  });
}

start();
