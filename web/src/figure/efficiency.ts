// The return on a drive, on money and on a core: the best throughput of each variant
// divided by its use of them.

import { drawBars, type Bar } from "../chart/bars.ts";
import { h } from "../chart/dom.ts";
import { bestNote, levels, panelsOf, type Panel } from "./factors.ts";
import { Control } from "./control.ts";
import { figure, section } from "./figure.ts";
import { tables } from "./finished.ts";
import { capital, number, percent } from "../read/format.ts";
import type { Best, Variant } from "../read/model.ts";
import { levelsOf, type Num } from "../read/reading.ts";
import type { Page } from "./page.ts";
import { label } from "../chart/palette.ts";

interface Per { text: string; of: (b: Best) => Num | undefined; share?: boolean }

/** pers are what throughput can be divided by here, or is a share of. */
function pers(page: Page): Per[] {
  const money = `1,000 ${page.analysis.prices?.currency ?? ""}`.trim();
  const baseline = page.variants.find((v) => v.best?.baseline)?.best?.baseline?.run ?? "";
  const all: Per[] = [
    { text: "per drive", of: (b) => b.per_drive },
    { text: "of the maker’s figure", of: (b) => b.rated, share: true },
    { text: `of ${baseline}`, of: (b) => b.baseline?.share, share: true },
    { text: `per ${money}`, of: (b) => b.per_money },
    { text: "per core used", of: (b) => b.per_core },
  ];
  return all.filter((p) => page.variants.some((v) => valueOf(v, p) > 0));
}

function valueOf(v: Variant, per: Per): number {
  return (v.best && per.of(v.best)) ?? 0;
}

/** efficiency is the section. */
export function efficiency(page: Page): HTMLElement | null {
  const all = pers(page);
  const able = page.variants.filter((v) => all.some((p) => valueOf(v, p) > 0));
  if (able.length === 0) return null;
  const per = new Control(page, "efficiency", all.map((p) => ({ value: p.text, text: p.text })), all[0]!.text);
  const parts = panelsOf(page, able);
  return section("efficiency", "Efficiency",
    h("p", { class: "note" }, `Throughput over what the variant uses. ${bestNote(page)}`),
    h("div", { class: "controls" }, per.element("Throughput")),
    h("div", { class: parts.length > 1 ? "pair" : "" }, parts.map((p, i) => efficiencyFigure(page, p, i, () => all.find((p) => p.text === per.value)!))),
    tables(page, "efficiency"));
}

function efficiencyFigure(page: Page, p: Panel, i: number, per: () => Per): HTMLElement {
  const title = capital(p.title || "Throughput");
  const note = h("span", {});
  return figure(page, {
    id: `efficiency-${i + 1}`, title, note,
    draw: (width) => {
      const name = per().share ? `${p.unit}, share ${per().text}` : `${p.unit} ${per().text}`;
      note.textContent = name;
      const bars = barsOf(page, p, per());
      if (bars.length === 0) return h("p", { class: "note" }, "Nothing to draw: not known of these variants.");
      return drawBars({ label: `${title}, ${name}`, unit: per().share ? "1" : name, description: bars.map((b) => `${b.label}: ${b.text}.`).join(" "), width, bars });
    },
  });
}

/** barsOf are grouped by all levels but the first factor's, which colour tells. */
function barsOf(page: Page, p: Panel, per: Per): Bar[] {
  const varying = p.rest.filter((f) => new Set(p.variants.map((v) => v.factors?.[f.path])).size > 1);
  const [first, ...others] = varying;
  const order = (v: Variant) => varying.map((f) => levelsOf(f).findIndex((l) => l.level === v.factors?.[f.path]));
  const sorted = [...p.variants].sort((a, b) => compare([...order(a).slice(1), order(a)[0] ?? 0], [...order(b).slice(1), order(b)[0] ?? 0]));
  return sorted.flatMap((v): Bar[] => {
    const value = valueOf(v, per);
    if (value <= 0) return [];
    const { low, high } = bounds(v.best!, value);
    return [{
      label: first ? levels(v, [first]) : label(v), group: levels(v, others), color: page.look(v.name).color,
      value, low, high, text: (per.share ? percent : number)(value), kept: v.best!.kept,
    }];
  });
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((v, i) => v !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** bounds are the bounds of the throughput, divided by the same amount as the value. */
function bounds(b: Best, value: number): { low: number; high: number } {
  const { value: whole, low, high } = b.throughput;
  return whole && low !== null && high !== null ? { low: (low / whole) * value, high: (high / whole) * value } : { low: value, high: value };
}
