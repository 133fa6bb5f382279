// The page of a run in progress: its current activity, and below it the report so far,
// until the final report replaces it.

import { h, svg } from "../chart/dom.ts";
import { Feed, merge, type Event, type Known, type Numbered, type Point } from "../read/feed.ts";
import { table } from "../figure/figure.ts";
import { capital, known as knownNumber, plural, readable, seconds, span, thousands, time } from "../read/format.ts";
import { plainBar } from "./head.ts";
import type { Report } from "../read/reading.ts";
import { Redraws } from "../figure/page.ts";
import { showReport, type Shown } from "./reportpage.ts";
import type { State } from "../read/state.ts";
import { applyTheme, switchTheme } from "./theme.ts";
import { unpack } from "../read/unpack.ts";

/** About is what the page is told of its run. */
export interface About { run: string; study: string; report: string }

/** showLive builds the page and keeps it up to date until the run ends. */
export function showLive(main: HTMLElement, about: About, state: State): void {
  const strip = new Strip(about);
  const place = h("div", {});
  const figures = new Figures(place, state);
  applyTheme(state);
  place.append(...beforeFigures(about, state));
  main.append(strip.element, place);
  let known: Known | null = null;
  const feed: Feed = new Feed((update) => {
    known = merge(known, update);
    strip.show(known);
    const over = update.state === "finished" || update.state === "stopped";
    document.documentElement.dataset["live"] = over ? "ending" : update.state;
    void figures.follow(update.figures.number).then((shown) => {
      if (!over || shown !== known?.latest.figures.number) return;
      feed.end();
      document.documentElement.dataset["live"] = update.state;
    });
    document.title = `${over ? "" : titleOf(known)}${about.study} · Plimsoll`;
  }, (since) => strip.lost(since));
}

function titleOf(known: Known): string {
  const { position, of } = known.latest.now;
  return of ? `${position ?? 0}/${of} · ` : "";
}

/** beforeFigures stands where the report will. */
function beforeFigures(about: About, state: State): HTMLElement[] {
  const page = new Redraws(about.study, about.run);
  return [plainBar(about.run, () => switchTheme(page, state)), h("h1", { class: "waiting" }, about.study),
    h("p", { class: "note" }, "The report stands here as soon as figures are made.")];
}

/** Figures shows the report as it stands. */
class Figures {
  private shown: Shown | null = null;
  private number = 0;
  private loading: Promise<number> | null = null;

  constructor(private readonly place: HTMLElement, private readonly state: State) {}

  /** follow shows the figures of a number, unless it does already, and gives the
   * number of those on show. */
  follow(number: number): Promise<number> {
    if (number === this.number) return Promise.resolve(number);
    this.loading ??= this.load().finally(() => { this.loading = null; });
    return this.loading;
  }

  private async load(): Promise<number> {
    try {
      const answer = await fetch("/contents");
      if (!answer.ok) return this.number;
      const [text, packed] = (await answer.text()).split("\n") as [string, string];
      const report = JSON.parse(text, readable) as Report;
      this.shown?.close();
      delete document.documentElement.dataset["ready"]; // until the time series are there again
      this.shown = showReport(this.place, report, unpack(packed), () => text, this.state);
      this.number = Number(answer.headers.get("X-Number"));
    } catch {
      // The server is gone or busy; the next update asks again.
    }
    return this.number;
  }
}

/** Strip says what the run is doing. */
class Strip {
  readonly element: HTMLElement;
  private readonly state = h("b", { class: "state" }, "Connecting");
  private readonly doing = h("span", { class: "doing" });
  private readonly left = h("span", { class: "left" });
  private readonly meter = h("progress", { max: 1, value: 0, "aria-label": "Share of the run's time that has gone by" });
  private readonly load = h("div", { class: "load" });
  private readonly message = h("p", { class: "note", role: "status" });
  private readonly trials = h("details", {}, h("summary", {}));
  private readonly notes = h("details", {}, h("summary", {}));
  private until = 0; // when the run is estimated to end, ms since 1970
  private over = false;

  constructor(private readonly about: About) {
    this.element = h("section", { class: "now", "aria-label": "The run now" },
      h("p", { class: "line" }, this.state, " ", this.doing, " ", this.left), this.meter, this.load, this.message,
      h("div", { class: "more" }, this.trials, this.notes));
    setInterval(() => this.countDown(), 1000);
  }

  show(known: Known): void {
    const { latest } = known;
    this.over = latest.state === "finished" || latest.state === "stopped";
    this.element.dataset["state"] = latest.state;
    this.until = latest.left > 0 ? Date.now() + latest.left * 1000 : 0;
    write(this.state, { running: "Running", stopping: "Interrupted, cleaning up", stopped: "Stopped", finished: "Finished" }[latest.state]);
    write(this.doing, this.over ? "" : doingText(known));
    this.meter.hidden = this.load.hidden = this.over;
    this.meter.value = latest.now.done ?? 0;
    this.load.replaceChildren(...(this.over ? [] : loadOf(known)));
    this.say(known);
    list(this.trials, plural(known.trials.length, "finished trial"), known.trials, trialTable);
    list(this.notes, plural(known.notes.length, "note"), known.notes, noteList);
    this.countDown();
  }

  /** say tells what the figures below are. */
  private say(known: Known): void {
    const { state, closing, figures } = known.latest;
    const behind = known.trials.length - figures.trials;
    if (state === "finished") write(this.message, `${closing} It is kept in the file ${this.about.report}; this server stops now, so do not load this page again.`);
    else if (state === "stopped") write(this.message, `${closing}`);
    else if (figures.failure) write(this.message, `The figures could not be made: ${figures.failure}`);
    else if (figures.waits && !this.message.querySelector("button")) this.message.replaceChildren(this.waiting(behind), h("button", { type: "button", onclick: () => void fetch("/figures", { method: "POST" }) }, "Make them now"));
    else if (!figures.waits) write(this.message, behind > 0 ? `${plural(behind, "finished trial is", "finished trials are")} being added to the figures.` : "");
  }

  private waiting(behind: number): string {
    return `${plural(behind, "finished trial", "finished trials")} not in the figures yet: they are made when the load of this trial ends, because the analysis would take processor time from it. `;
  }

  /** lost says since when nothing was heard. */
  lost(since: number): void {
    if (this.over) return;
    write(this.state, "Not connected");
    this.element.dataset["state"] = "lost";
    write(this.message, `Nothing heard since ${new Date(since).toLocaleTimeString()}; trying again. If the run has ended, its report is in ${this.about.report}.`);
  }

  private countDown(): void {
    const ms = this.until - Date.now();
    write(this.left, !this.over && ms > 500 ? `${span(ms)} left` : "");
  }
}

/** write changes a text only when it is another, so that nothing that listens to
 * it, a screen reader or a selection, is disturbed. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** list fills a list that opens, when it grew. */
function list(details: HTMLElement, title: string, all: Numbered[], make: (all: Numbered[]) => HTMLElement): void {
  details.hidden = all.length === 0;
  const last = String(all.at(-1)?.number);
  if (details.dataset["last"] === last) return;
  details.dataset["last"] = last;
  details.replaceChildren(h("summary", {}, title), make(all));
}

function trialTable(all: Numbered[]): HTMLElement {
  const unit = all.find((t) => t.unit)?.unit ?? "";
  return table("Finished trials", ["<Trial", unit || "Throughput", "p95", "p99", "<Result"], [...all].reverse().map((t) =>
    [t.trial ?? "", knownNumber(t.throughput ?? 0), time(t.p95 ?? 0), time(t.p99 ?? 0), t.failed ? h("span", { class: "failure" }, t.text ?? "failed") : t.event === "kept" ? "passed before" : "passed"]), true);
}

function noteList(all: Numbered[]): HTMLElement {
  return h("ul", {}, [...all].reverse().map((n) => h("li", {}, new Date(n.at).toLocaleTimeString(), " ", n.text ?? "")));
}

const phases: Record<string, string> = { ramp: "users start", warmup: "warm-up", measure: "measuring" };

function doingText({ latest: { now } }: Known): string {
  const where = now.of ? `trial ${now.position ?? 0} of ${now.of}` : "";
  const share = now.event === "stage" ? farText(now) : "";
  const what = now.event === "live" ? phases[now.phase ?? ""] ?? now.phase : now.event === "trial" ? "begins" : now.event === "stage" ? (now.text ?? "") + share : "";
  return [where, now.trial, what].filter(Boolean).join(" · ");
}

/** farText is how far a stage is, and how long the rest of it may take. */
function farText({ share, count, count_of, stage_left }: Event): string {
  if (!share || share >= 1) return "";
  if (!count || !count_of) return ` ${Math.round(share * 100)} %`;
  const ms = (stage_left ?? 0) / 1e6;
  return ` ${thousands(count)} of ${thousands(count_of)}${ms > 500 ? `, ${span(ms)} left` : ""}`;
}

/** loadOf draws the load of the running trial. */
function loadOf({ latest: { now }, points }: Known): HTMLElement[] {
  if (now.event !== "live" || points.length === 0) return [];
  const last = points.at(-1)!;
  return [
    gauge(["Throughput", now.unit].filter(Boolean).join(", "), knownNumber(last.throughput), points, (p) => p.throughput),
    gauge("p99 response time", last.p99 ? seconds(last.p99) : "–", points, (p) => p.p99),
  ];
}

function gauge(name: string, value: string, points: Point[], of: (p: Point) => number): HTMLElement {
  return h("div", { class: "gauge" }, h("span", {}, name), h("b", {}, value), sparkline(`${capital(name)} of the last ${span(points.at(-1)!.at - points[0]!.at)}: ${value}`, points, of));
}

/** sparkline draws a value over the seconds of the trial; what counts in no
 * number is pale. */
function sparkline(name: string, points: Point[], of: (p: Point) => number): Element {
  const [width, height] = [240, 40];
  const from = points[0]!.at;
  const whole = Math.max(points.at(-1)!.at - from, 30_000);
  const most = Math.max(...points.map(of)) || 1;
  const at = (p: Point) => `${(((p.at - from) / whole) * width).toFixed(1)},${(height - 2 - (of(p) / most) * (height - 6)).toFixed(1)}`;
  const measured = points.filter((p) => p.phase === "measure");
  const before = points.filter((p) => p.phase !== "measure");
  const path = (list: Point[], kind: string) => list.length > 1 ? svg("polyline", { points: list.map(at).join(" "), class: kind }) : null;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name, preserveAspectRatio: "none" },
    path([...before, ...measured.slice(0, 1)], "pale"), path(measured, ""));
}
