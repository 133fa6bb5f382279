// What every section needs: the data, the looks, which variants are in focus,
// and a way to be drawn again.

import { chartOf } from "../chart/chart.ts";
import { follow, Rung } from "../chart/cursor.ts";
import { h, svg, type Child } from "../chart/dom.ts";
import { Later } from "./later.ts";
import type { Key } from "../chart/export.ts";
import type { Analysis, Decision, Profile, Section, TrialInfo, Unit, Variant, Group } from "../read/model.ts";
import type { Packed, Report } from "../read/reading.ts";
import { label, looks, shapes, type Look } from "../chart/palette.ts";
import { slug } from "../chart/dom.ts";
import type { State } from "../read/state.ts";

/** most is how many variants are in focus at first. */
const most = 6;

/** unknown is the profile of results that do not have one. */
const unknown: Profile = { workload: "", unit: { name: "unit of work", plural: "units of work", throughput: "", seconds: 60 }, operations: null };

/** Redraws has drawings made again when focus, theme or medium changes. */
export class Redraws {
  private readonly redraws: (() => void)[] = [];
  private readonly closing = new AbortController();

  readonly later = new Later();

  /** atOnce has every figure drawn before the page is painted, so that one that
   * is built again does not flicker. */
  atOnce = false;

  /** name begins the names of files; source says in them where they are from. */
  constructor(readonly name: string, readonly source: string) {}

  onRedraw(draw: () => void): void {
    this.redraws.push(draw);
  }

  redraw(): void {
    this.later.flush();
    for (const draw of this.redraws) draw();
  }

  /** drawn is told of every drawing of a figure; signal ends with the drawing. */
  drawn(_figure: string, _drawing: Element, _signal: AbortSignal): void {}

  /** simulated says which figures come from simulated media; empty if none do. */
  simulated(): string {
    return "";
  }

  /** keys name the lines of a drawing that does not name them itself. */
  keys(_drawing: Element): Key[] {
    return [];
  }

  /** closed is when the page is built anew: listeners end. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  close(): void {
    this.closing.abort();
    this.later.clear();
  }
}

export class Page extends Redraws {
  readonly variants: Variant[];
  readonly looks: Map<string, Look>;
  readonly focus: Set<string>;
  readonly trials: Map<string, TrialInfo>;
  readonly rung: Rung;

  readonly analysis: Analysis;
  readonly sections: Record<string, Section>;
  readonly grades: Record<string, string>;
  readonly decision: Decision;
  readonly warnings: Group[];
  readonly ofTiles: Set<string>; // names of variants that consist of members

  constructor({ analysis, decision, sections, grades, warnings }: Report, readonly packed: Promise<Packed>, readonly state: State) {
    super(analysis.study.name, [analysis.study.title || analysis.study.name, analysis.run.reference || analysis.run.id].join(" · "));
    this.analysis = analysis;
    this.sections = sections ?? {};
    this.grades = grades ?? {};
    this.decision = decision ?? { judged: false, by_factor: false, rows: [] };
    this.warnings = warnings ?? [];
    this.variants = ordered(analysis);
    this.ofTiles = new Set((analysis.tiles ?? []).map((t) => t.variant));
    this.looks = looks(analysis.variants ?? [], analysis.answer?.factor);
    this.focus = new Set();
    this.rung = new Rung(state);
    this.refocus();
    this.trials = new Map((analysis.trials ?? []).map((t) => [t.id, t]));
  }

  override drawn(figure: string, drawing: Element, signal: AbortSignal): void {
    follow(this.rung, figure, drawing, signal);
  }

  override simulated(): string {
    const some = this.variants.filter((v) => v.simulated);
    if (some.length === 0) return "";
    return some.length === this.variants.length ? "simulated medium" : `simulated: ${some.map(label).join("; ")}`;
  }

  override keys(drawing: Element): Key[] {
    const lines = (chartOf.get(drawing)?.lines ?? []).filter((line) => !line.faint);
    return lines.some((line) => line.label) ? [] : lines.map((line) => ({ label: this.labelOf(line.key), color: line.color, dash: line.dash }));
  }

  /** refocus puts the variants in focus that the state names, or else the best. */
  refocus(): void {
    this.focus.clear();
    const named = this.state.choices.variants ?? this.atFirst();
    named.filter((name) => this.variant(name)).forEach((name) => this.focus.add(name));
  }

  private atFirst(): string[] {
    return this.variants.slice(0, most).map((v) => v.name);
  }

  /** focused lists the variants in focus, the best first. */
  focused(): Variant[] {
    return this.variants.filter((v) => this.focus.has(v.name));
  }

  /** inOrder sorts things about variants in the order of the variants, the best first.
   * Things about several variants come last. */
  inOrder<T extends { variant?: string }>(list: T[]): T[] {
    const places = new Map(this.variants.map((v, i) => [v.name, i]));
    const place = (of: T) => places.get(of.variant ?? "") ?? places.size;
    return [...list].sort((a, b) => place(a) - place(b));
  }

  look(name: string): Look {
    return this.looks.get(name) ?? { color: "var(--muted)", dash: "", symbol: "circle", index: 0 };
  }

  variant(name: string): Variant | undefined {
    return this.variants.find((v) => v.name === name);
  }

  /** labelOf is what people call the variant of that name. */
  labelOf(name: string): string {
    const variant = this.variant(name);
    return variant ? label(variant) : name;
  }

  /** profile is what the workload says of itself. */
  get profile(): Profile {
    const { work } = this.analysis.study;
    return work?.unit.name ? work : unknown;
  }

  /** work is the unit of work: order, orders. */
  get work(): Unit {
    return this.profile.unit;
  }

  /** whole is the operation that is the unit of work. */
  get whole(): string {
    return this.profile.operations?.[0] ?? "";
  }

  /** noun is what a rung counts: instance, worker, stream. */
  get noun(): string {
    return this.analysis.study.noun || "instance";
  }

  /** published says that the numbers are published ones. */
  get published(): boolean {
    return !!this.analysis.run.reference;
  }

  /** prose turns `code` marks into elements; names of variants become what the
   * figures call them. */
  prose(text: string): Child[] {
    return text.split(/(`[^`]+`)/).map((part) => {
      const name = part.length > 2 && part.startsWith("`") && part.endsWith("`") ? part.slice(1, -1) : "";
      if (!name) return part;
      const variant = this.variant(name);
      if (variant) return h("span", { class: "variant", style: `color:${this.look(name).color}` }, label(variant));
      const member = this.variants.find((v) => v.name.startsWith(name + "."));
      return member && this.ofTiles.has(name) ? h("span", { class: "variant", style: `color:${this.look(member.name).color}` }, name) : h("code", {}, name);
    });
  }

  /** plain takes the marks out of a text. */
  plain(text: string): string {
    return text.replace(/`([^`]+)`/g, (_, name: string) => this.labelOf(name));
  }

  toggle(name: string): void {
    if (!this.focus.delete(name)) this.focus.add(name);
    const names = this.focused().map((v) => v.name);
    this.state.set({ variants: names.join("\n") === this.atFirst().join("\n") ? null : names });
    this.redraw();
  }
}

/** ordered are the variants as the analysis ranks them, the best first. */
function ordered(analysis: Analysis): Variant[] {
  const ranking = analysis.ranking ?? [];
  const place = (v: Variant) => ranking.indexOf(v.name) + 1 || ranking.length + 1;
  return [...(analysis.variants ?? [])].sort((a, b) => place(a) - place(b));
}

/** key draws a variant's line and symbol, for tables and lists. */
export function key(look: Look): Element {
  const c = look.color;
  return svg("svg", { class: "key", width: 30, height: 14, viewBox: "0 0 30 14", "aria-hidden": "true" },
    svg("line", { x1: 1, x2: 29, y1: 7, y2: 7, stroke: c, "stroke-width": 2, "stroke-dasharray": look.dash }),
    svg("path", { d: shapes[look.symbol], transform: "translate(15 7)", fill: c, stroke: c }));
}

/** named is a variant's key with its label. */
export function named(page: Page, name: string): Element {
  return h("span", { class: "named" }, key(page.look(name)), page.labelOf(name));
}

/** trialLinks links to the rows of trials in the table of trials. */
export function trialLinks(ids: string[] | null | undefined, page: Page, word = true): Element | null {
  const known = (ids ?? []).filter((id) => page.trials.has(id));
  if (known.length === 0) return null;
  const link = (id: string) => h("a", { href: "#" + trialAnchor(id), title: id }, shortId(id, known));
  const shown = known.length > 8 ? [...known.slice(0, 4).map(link), "…", link(known.at(-1)!)] : known.map(link);
  return h("span", { class: "trials" }, !word ? "" : known.length === 1 ? "trial " : "trials ", shown.map((child, i) => [i > 0 ? " " : "", child]));
}

/** shortId leaves out of all ids but the first what they have in common. */
export function shortId(id: string, all: string[]): string {
  if (all.length < 2 || id === all[0]) return id;
  const parts = all.map((one) => one.split("/"));
  let common = 0;
  while (common < parts[0]!.length - 1 && parts.every((p) => p[common] === parts[0]![common])) common++;
  return id.split("/").slice(common).join("/");
}

/** trialAnchor is the id of a trial's row. */
export function trialAnchor(id: string): string {
  return "trial-" + slug(id);
}
