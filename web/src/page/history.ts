// The page of a directory of runs: a list to search, the load line of one study
// over its runs, and any two compared.

import { h, type Child } from "../chart/dom.ts";
import { choice, section, select } from "../figure/figure.ts";
import { plural } from "../read/format.ts";
import { plainBar } from "./head.ts";
import { begun, reportOf, studyOf, type Listed, type Summary } from "../read/listed.ts";
import { Redraws } from "../figure/page.ts";
import type { State } from "../read/state.ts";
import { applyTheme, switchTheme, watchMedium } from "./theme.ts";
import { overTime } from "../figure/overtime.ts";

/** showHistory builds the page. */
export function showHistory(main: HTMLElement, about: { dir: string }, state: State): void {
  applyTheme(state);
  const page = new Redraws(about.dir, "runs");
  const body = h("div", {});
  main.append(plainBar(about.dir, () => switchTheme(page, state)), h("header", { class: "title" }, h("h1", {}, about.dir === "/" ? "Runs" : `Runs of ${about.dir}`)), body);
  watchMedium(page);
  void load(page, body).catch((error: unknown) => {
    body.replaceChildren(h("p", { class: "failure", role: "alert" }, `The runs could not be listed: ${String(error)}`));
    document.documentElement.dataset["ready"] = "failed";
  });
}

async function load(page: Redraws, body: HTMLElement): Promise<void> {
  const answer = await fetch("/runs");
  if (!answer.ok) throw new Error(await answer.text());
  const runs = await answer.json() as Listed[];
  if (runs.length === 0) {
    body.append(h("p", {}, "There are no runs here yet. Start one with: ", h("code", {}, "plimsoll run quickstart")));
  } else {
    const view = new History(page, runs);
    body.append(...view.elements);
    await summarise(runs, () => view.refresh());
  }
  document.documentElement.dataset["ready"] = "yes";
}

/** summarise asks for what the runs found, two at a time, the newest first. A run
 * that is going on is left in peace. */
async function summarise(runs: Listed[], refresh: () => void): Promise<void> {
  const waiting = runs.filter((r) => !r.damaged && !r.running);
  const worker = async () => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      const answer = await fetch(`/runs/${encodeURIComponent(run.name)}/summary`).catch(() => null);
      if (answer?.ok) run.summary = await answer.json() as Summary;
      refresh();
    }
  };
  await Promise.all([worker(), worker()]);
}

/** matches says that every word of a search occurs in what the list says of a
 * run. */
export function matches(run: Listed, search: string): boolean {
  const s = run.summary;
  const text = [run.name, studyOf(run), run.started.slice(0, 10), run.state, s?.plimsoll, s?.title, s && `grade ${s.grade}`,
    ...(s?.lines ?? []).map((l) => `${l.variant} ${l.label}`), ...(s?.verdict ?? []).map((v) => v.text)].join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

type Order = "newest" | "study" | "grade";

type View = "list" | "time";

class History {
  readonly elements: HTMLElement[];
  private readonly chosen: string[] = []; // two runs to compare
  private readonly rows = h("tbody", {});
  private readonly found = h("p", { class: "note", role: "status" });
  private readonly compare = h("div", { class: "controls" });
  private readonly list: HTMLElement;
  private readonly chart: { element: HTMLElement; show: (study: string) => void };
  private search = "";
  private study = "";
  private order: Order = "newest";

  constructor(private readonly page: Redraws, private readonly runs: Listed[]) {
    this.chart = overTime(page, runs);
    this.list = section("list", "List", this.filters(), this.compare, this.found, this.table());
    const views = choice("View", [{ value: "list", text: "List" }, { value: "time", text: "Over time" }], "list", (view) => this.view(view));
    this.elements = [h("div", { class: "controls views" }, views), this.list, this.chart.element];
    this.view("list");
    this.refresh();
  }

  /** view shows one of the two; the other is not there for anybody. */
  private view(view: View): void {
    this.list.hidden = view !== "list";
    this.chart.element.hidden = view !== "time";
    this.page.later.flush();
  }

  private filters(): HTMLElement {
    const studies = [...new Set(this.runs.map(studyOf))].sort();
    const search = h("input", { type: "search", id: "search", placeholder: "study, version, verdict …", oninput: () => { this.search = search.value.trim(); this.refresh(); } });
    return h("div", { class: "controls", role: "search" },
      h("label", { for: "search", class: "select" }, h("span", {}, "Search"), search),
      select("Study", [{ value: "", text: "all" }, ...studies.map((s) => ({ value: s, text: s || "unknown" }))], "", (study) => {
        this.study = study;
        if (study) this.chart.show(study);
        this.refresh();
      }),
      choice("Order", [{ value: "newest", text: "newest first" }, { value: "study", text: "by study" }, { value: "grade", text: "by grade" }], this.order, (order) => { this.order = order; this.refresh(); }));
  }

  private table(): HTMLElement {
    const heads = ["Compare", "Run", "Trials", "Grade", "Verdict"];
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" },
      h("table", { class: "runs" }, h("caption", { class: "hidden" }, "Runs"),
        h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: "left" }, head)))), this.rows));
  }

  /** refresh redraws list and chart with the current data. */
  refresh(): void {
    const shown = this.ordered(this.runs.filter((r) => (!this.study || studyOf(r) === this.study) && matches(r, this.search)));
    this.found.textContent = shown.length === this.runs.length ? plural(shown.length, "run") : `${shown.length} of ${plural(this.runs.length, "run")}`;
    const focused = (document.activeElement as HTMLElement | null)?.id;
    this.rows.replaceChildren(...shown.map((r) => this.row(r)));
    if (focused) document.getElementById(focused)?.focus();
    this.showCompare();
    this.page.redraw();
  }

  private ordered(runs: Listed[]): Listed[] {
    if (this.order === "study") return runs.sort((a, b) => studyOf(a).localeCompare(studyOf(b)));
    if (this.order === "grade") return runs.sort((a, b) => (a.summary?.grade || "Z").localeCompare(b.summary?.grade || "Z"));
    return runs;
  }

  private row(run: Listed): HTMLElement {
    const left = { class: "left" };
    const box = h("input", { type: "checkbox", id: `compare-${run.name}`, checked: this.chosen.includes(run.name), "aria-label": `Compare ${run.name}`, onchange: () => this.choose(run.name) });
    const about = [studyOf(run), begun(run), run.summary?.plimsoll ?? ""].filter((text) => text !== "").join(" · ");
    const cells: Child[] = [progress(run), grade(run), found(run)];
    return h("tr", {}, h("td", left, run.damaged ? null : box),
      h("th", { scope: "row", class: "left" }, run.damaged ? run.name : h("a", { href: reportOf(run) }, run.name), h("span", { class: "about" }, about)),
      cells.map((cell) => h("td", left, cell)));
  }

  /** choose takes a run for the comparison; of three the oldest choice goes. */
  private choose(name: string): void {
    const at = this.chosen.indexOf(name);
    if (at >= 0) this.chosen.splice(at, 1);
    else this.chosen.push(name);
    if (this.chosen.length > 2) this.chosen.shift();
    this.refresh();
  }

  /** showCompare offers the comparison of the earlier run with the later. */
  private showCompare(): void {
    const [a, b] = this.chosen.map((name) => this.runs.find((r) => r.name === name)!).sort((x, y) => x.started.localeCompare(y.started));
    this.compare.replaceChildren(a && b
      ? h("a", { class: "button", href: `/comparison.html?a=${encodeURIComponent(a.name)}&b=${encodeURIComponent(b.name)}` }, `Compare ${b.name} with ${a.name}`)
      : h("span", { class: "note" }, this.chosen.length ? "Choose another run to compare it with." : "Choose two runs to compare them."));
  }
}

function progress(run: Listed): string {
  const n = run.planned ? `${run.done} of ${run.planned}` : String(run.done);
  return run.running ? `${n}, going on` : run.state === "unfinished" ? `${n}, unfinished` : n;
}

function grade(run: Listed): Child {
  const letter = run.summary?.grade;
  return letter ? h("span", { class: `grade-${letter} mark` }, h("span", { class: "letter" }, letter)) : "";
}

/** found is the load lines in short, and on demand the sentences. */
function found(run: Listed): Child {
  const s = run.summary;
  if (run.damaged) return h("span", { class: "failure" }, run.state);
  if (run.running) return h("span", { class: "note" }, "It is going on; its results are analysed when you open it, which takes processor time from what it measures.");
  if (!s) return h("span", { class: "note" }, "…");
  if (s.problem) return h("span", { class: "failure" }, s.problem);
  const lines = (s.lines ?? []).filter((l) => l.rungs > 0);
  const short = s.objectives?.length && lines.length ? lines.map((l) => `${l.label || l.variant} ${l.load_line.bracket.text}`).join(", ") + ` ${s.noun}s` : "";
  const verdict = (s.verdict ?? []).map((v) => v.text.replaceAll("`", ""));
  if (!short) return verdict.join(" ") || "No verdict: no trial finished.";
  return [short, verdict.length ? h("details", {}, h("summary", {}, "in words"), h("ul", {}, verdict.map((text) => h("li", {}, text)))) : null];
}
