// Published results next to ours, each relative to its own single instance, because
// absolute figures differ between machines.

import { drawChart } from "../chart/chart.ts";
import type { Line } from "../chart/chartdata.ts";
import { h } from "../chart/dom.ts";
import { figure, section } from "./figure.ts";
import { numbers } from "./finished.ts";
import { plural, significant } from "../read/format.ts";
import { frameHeight } from "./ladder.ts";
import type { GrowthCurve, GrowthPoint } from "../read/model.ts";
import type { Num } from "../read/reading.ts";
import type { Page } from "./page.ts";
import type { Symbol } from "../chart/palette.ts";

interface Measure { id: string; title: string; of: (p: GrowthPoint) => Num }

const times = (v: Num) => (v ? significant(v, 3) : "");

/** beside is the section; published variants are grey. */
export function beside(page: Page): HTMLElement | null {
  const all = page.analysis.beside;
  if (!all) return null;
  const { curves } = all;
  const measures: Measure[] = [
    { id: "beside-throughput", title: `Throughput, times that of one ${page.noun}`, of: (p) => p.throughput },
    { id: "beside-response", title: "Mean response time, times that at the smallest rung", of: (p) => p.response },
  ];
  return section("beside", "Beside published results",
    h("p", { class: "note" }, `${all.source}.` + (curves ? ` Both are relative to one ${page.noun} of their own.` : "")),
    curves ? h("div", { class: "pair" }, measures.map((m) => besideFigure(page, curves, m))) : null,
    all.text?.length ? h("ul", {}, all.text.map((text) => h("li", {}, page.prose(text)))) : null,
    all.notes?.length ? [h("p", { class: "note" }, "On the published figures:"), h("ul", {}, all.notes.map((text) => h("li", {}, text)))] : null);
}

const points = (c: GrowthCurve) => c.points ?? [];

const name = (c: GrowthCurve) => (c.published ? "published " : "") + c.label;

function counts(curves: GrowthCurve[]): number[] {
  return [...new Set(curves.flatMap((c) => points(c).map((p) => p.instances)))].sort((a, b) => a - b);
}

function besideFigure(page: Page, curves: GrowthCurve[], m: Measure): HTMLElement {
  const lines = () => curves.map((c, i) => besideLine(page, c, i, m)).filter((line) => line.dots.length > 0);
  return figure(page, {
    id: m.id, title: m.title,
    draw: (width) => drawChart({
      label: `${m.title}, ours and published`,
      description: lines().map((line) => `${line.label}: ${line.dots.map((d) => `${times(d.value)} at ${d.n}`).join(", ")}.`).join(" "),
      width, height: frameHeight(width), scale: "log", unit: "1", format: times, xLabel: page.noun + "s", counts: counts(curves), lines: lines(),
    }),
    numbers: () => numbers(page, m.id),
  });
}

const symbols: Symbol[] = ["square", "diamond", "star", "wye", "times"];
const dashes = ["2 3", "10 3 2 3", "4 2", "1 2", "12 4"];

function besideLine(page: Page, c: GrowthCurve, i: number, m: Measure): Line {
  const own = page.look(c.variant);
  const look = c.published ? { color: "var(--muted)", dash: dashes[i % dashes.length]!, symbol: symbols[i % symbols.length]! } : own;
  return {
    key: (c.published ? "published-" : "") + c.variant, variant: c.published ? undefined : c.variant, label: name(c), color: look.color, dash: look.dash, symbol: look.symbol,
    dots: points(c).filter((p) => (m.of(p) ?? 0) > 0).map((p) => ({
      n: p.instances, value: m.of(p)!, low: m.of(p)!, high: m.of(p)!, kept: true, title: `${name(c)}, ${plural(p.instances, page.noun)}\n${times(m.of(p))} times`,
    })),
  };
}
