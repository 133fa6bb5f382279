// Shows the content of the page: a report, a comparison, or a page that asks its server for
// more.

import "uplot/dist/uPlot.min.css";
import "./report.css";
import "./served.css";
import { comparisonPage } from "./comparison.ts";
import { h } from "../chart/dom.ts";
import { readable } from "../read/format.ts";
import { plainBar } from "./head.ts";
import { showHistory } from "./history.ts";
import { showLive } from "./live.ts";
import { showFailure, showLogin } from "./login.ts";
import type { Comparison, Group } from "../read/model.ts";
import type { PageData } from "../read/reading.ts";
import { Redraws } from "../figure/page.ts";
import { showReport } from "./reportpage.ts";
import { State } from "../read/state.ts";
import { applyTheme, switchTheme, watchMedium } from "./theme.ts";
import { unpack } from "../read/unpack.ts";

function start(): void {
  const text = document.getElementById("data")!.textContent!;
  const { analysis, decision, sections, grades, warnings, comparison, live, history, login, failure } = JSON.parse(text, readable) as PageData;
  const main = document.getElementById("report")!;
  if (comparison) showComparison(main, comparison, warnings ?? []);
  if (analysis) showReport(main, { analysis, decision, sections, grades, warnings }, unpack(document.getElementById("packed")!.textContent!), () => text, new State());
  if (live) showLive(main, live, new State());
  if (history) showHistory(main, history, new State());
  if (login) showLogin(main);
  if (failure) showFailure(main, failure);
}

/** showComparison builds the page of a comparison. */
function showComparison(main: HTMLElement, c: Comparison, warnings: Group[]): void {
  const state = new State();
  const page = new Redraws("comparison", `${c.b} against ${c.a}`);
  page.atOnce = true;
  applyTheme(state);
  main.append(plainBar("comparison", () => switchTheme(page, state)), ...comparisonPage(page, c, warnings), h("footer", {}, "Made by Plimsoll. One file; nothing is fetched."));
  document.documentElement.dataset["ready"] = "yes";
  watchMedium(page);
}

start();
