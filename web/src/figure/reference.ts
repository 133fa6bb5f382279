// Another run, or published results, for comparison with this one: reference lines in the
// ladder charts, differences in tips and tables, and the text of the comparison. The Go
// package compare judges the differences.

import { h, svg } from "../chart/dom.ts";
import { section } from "./figure.ts";
import { bounds, capital, number, plural, seconds, sentence, signed, significant } from "../read/format.ts";
import type { ReferenceLine } from "../chart/referenceline.ts";
import type { ReferenceResult, Counterpart, CounterpartRung, ReferenceFigure, Variant } from "../read/model.ts";
import { bounded } from "../read/reading.ts";
import { type Page } from "./page.ts";

/** dashes tell the other sides apart. */
const dashes = ["6 3", "2 2.5"];

/** all are the others that have anything to draw. */
function all(page: Page): ReferenceResult[] {
  return (page.analysis.against ?? []).filter((a) => counterparts(a).length > 0);
}

/** counterparts are the other side's variants, rungsOf their rungs. */
const counterparts = (a: ReferenceResult): Counterpart[] => a.ghosts ?? [];
const rungsOf = (g: Counterpart): CounterpartRung[] => g.rungs ?? [];

/** name is what stands at the end of a reference line. */
function name(a: ReferenceResult): string {
  return a.label + (a.in_shape ? ", scaled" : "");
}

/** hiddenAs is what the address calls reference lines that are not drawn. */
function hiddenAs(a: ReferenceResult): string {
  return "against: " + a.name;
}

function shown(page: Page): ReferenceResult[] {
  return all(page).filter((a) => !page.state.choices.hidden.includes(hiddenAs(a)));
}

/** references are what others measured of a variant's metric, unless hidden. */
export function references(page: Page, v: Variant, metric: string, write: (v: number) => string): ReferenceLine[] {
  return shown(page).flatMap((a) => counterparts(a).filter((g) => g.variant === v.name).map((g): ReferenceLine => ({
    key: `${v.name} against ${a.name}`, label: name(a), kind: name(a), dash: dashes[all(page).indexOf(a) % dashes.length]!,
    dots: rungsOf(g).flatMap((r) => {
      const held = r.metrics?.[metric];
      const value = held?.theirs.value;
      if (!held || !value) return [];
      const { low, high } = bounded(held.theirs) ? held.theirs : { low: value, high: value };
      return [{ n: r.instances, value, low, high, change: held.change, verdict: held.verdict, title: tip(page, a, g, r, metric, write) }];
    }),
  }))).filter((g) => g.dots.length > 0);
}

/** tip describes a point of a reference line, and how ours compares with it. */
function tip(page: Page, a: ReferenceResult, g: Counterpart, r: CounterpartRung, metric: string, write: (v: number) => string): string {
  const held = r.metrics?.[metric]!;
  const range = bounded(held.theirs) ? ` (${bounds(held.theirs, (v) => write(v ?? 0))})` : "";
  return [
    `${g.other === g.variant ? page.labelOf(g.variant) : g.other}, ${plural(r.theirs ?? r.instances, page.noun)}: ${a.label}`,
    a.in_shape ? shapeText(page, g, metric, held) : write(held.theirs.value!) + range,
    held.change ? "this run: " + changeText(held) : "",
  ].filter(Boolean).join("\n");
}

/** shapeText writes a figure of other hardware: only its relation to the one at
 * the base means anything. */
function shapeText(page: Page, g: Counterpart, metric: string, held: ReferenceFigure): string {
  return `${times(g, metric, held)} times its own at ${plural(baseRung(g)?.theirs ?? g.base ?? 0, page.noun)}`;
}

function baseRung(g: Counterpart): CounterpartRung | undefined {
  return rungsOf(g).find((r) => r.instances === g.base);
}

/** times is a figure over that at the base. */
function times(g: Counterpart, metric: string, held: ReferenceFigure): string {
  const base = baseRung(g)?.metrics?.[metric]?.theirs.value;
  return base ? significant((held.theirs.value ?? 0) / base, 3) : "–";
}

/** changeText compares ours with theirs: "+11 % (+9.1 % to +13 %), better". */
export function changeText(held: ReferenceFigure): string {
  if (!held.change) return "–";
  const { change } = held;
  return signed(change.value) + (bounded(change) ? ` (${signed(change.low)} to ${signed(change.high)})` : "") + (held.verdict ? ", " + held.verdict : "");
}

/** differences are lines for the tip of a point of ours. */
export function differences(page: Page, v: Variant, n: number, metric: string): string[] {
  return shown(page).flatMap((a) => counterparts(a).filter((g) => g.variant === v.name).flatMap((g) => {
    const held = rungsOf(g).find((r) => r.instances === n)?.metrics?.[metric];
    return held?.change ? [`against ${a.label}: ${changeText(held)}`] : [];
  }));
}

/** referenceNote says in a figure that reference lines are scaled, or which other statistics
 * the other side has. */
export function referenceNote(page: Page, metric: string, others: string[] = []): string {
  return all(page).map((a) => {
    if (!knows(a, metric)) {
      const known = others.filter((m) => knows(a, m));
      return known.length ? ` ${capital(a.label)}: ${known.join(", ")} only.` : "";
    }
    if (!a.in_shape) return "";
    const bases = new Set(counterparts(a).map((g) => g.base ?? 0));
    const where = bases.size === 1 ? plural([...bases][0]!, page.noun) : "the first common rung";
    return ` ${capital(a.label)}: scaled to be equal at ${where}${standsFor(page, a)}; only the shape compares.`;
  }).join("");
}

/** standsFor says which of our counts the first rung of a scaled ladder corresponds to. */
function standsFor(page: Page, a: ReferenceResult): string {
  const theirs = new Set(counterparts(a).flatMap((g) => baseRung(g)?.theirs ?? []));
  if (theirs.size === 0) return "";
  return theirs.size === 1 ? `, which its ${plural([...theirs][0]!, page.noun)} stand for` : ", which its first rung stands for";
}

function knows(a: ReferenceResult, metric: string): boolean {
  return counterparts(a).some((g) => rungsOf(g).some((r) => r.metrics?.[metric]));
}

/** referenceToggles hide and show the reference lines of each other side in all figures; one
 * that does not know the metric of the figure has none there. */
export function referenceToggles(page: Page, metric: () => string): HTMLElement[] {
  return all(page).map((a, i) => {
    const button = h("button", { type: "button", class: "reference-key", title: "Show in the figures or hide", onclick: () => toggle(page, a) }, key(i), name(a));
    const update = () => {
      button.setAttribute("aria-pressed", String(shown(page).includes(a)));
      button.hidden = !knows(a, metric());
    };
    page.onRedraw(update);
    update();
    return button;
  });
}

function toggle(page: Page, a: ReferenceResult): void {
  const hidden = new Set(page.state.choices.hidden);
  if (!hidden.delete(hiddenAs(a))) hidden.add(hiddenAs(a));
  page.state.set({ hidden: [...hidden] });
  page.redraw();
}

function key(i: number): SVGElement {
  return svg("svg", { width: 24, height: 8, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 24, y1: 4, y2: 4, stroke: "currentColor", "stroke-width": 1.25, "stroke-dasharray": dashes[i % dashes.length]! }),
    svg("circle", { cx: 12, cy: 4, r: 2.25, fill: "var(--surface)", stroke: "currentColor" }));
}

/** referenceBars are the reference results of a variant with a single rung; figures
 * scaled to be equal there are left out. */
export function referenceBars(page: Page, v: Variant, n: number, metric: string): { value: number; dash: string; title: string }[] {
  return references(page, v, metric, (x) => (metric === "throughput" ? `${number(x)} ${page.analysis.study.unit}` : seconds(x)))
    .flatMap((g) => g.dots.filter((d) => d.n === n && d.verdict !== undefined).map((d) => ({ value: d.value, dash: g.dash, title: d.title })));
}

/** briefs are what was shown of a variant, for its row of the card. */
export function briefs(page: Page, v: Variant): string[] {
  return (page.analysis.against ?? []).flatMap((a) => counterparts(a).filter((g) => g.variant === v.name && g.brief).map((g) => g.brief!));
}

/** against are the sections on each of the others. */
export function against(page: Page): HTMLElement[] {
  return (page.analysis.against ?? []).map((a, i) => section(i ? `against-${i + 1}` : "against", `Against ${a.name}`,
    h("p", { class: "said" }, page.prose(sentence(a.text))),
    a.source ? h("p", { class: "note" }, sentence(a.source)) : null,
    h("ul", {}, [...differs(a), ...a.apart ?? [], ...(a.warnings ?? []).map((w) => w.text)].map((text) => h("li", {}, page.prose(text))))));
}

function differs(a: ReferenceResult): string[] {
  return [
    ...(a.grade ? [`Its grade is ${a.grade}.`] : []),
    ...(a.differs?.length ? [`Settings that differ, theirs first: ${a.differs.join("; ")}.`] : []),
  ];
}
