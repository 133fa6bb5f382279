// Price and performance: what each variant costs and what that buys.

import * as Plot from "@observablehq/plot";
import { spread } from "../chart/axes.ts";
import { h, svg } from "../chart/dom.ts";
import { numbered } from "../chart/export.ts";
import { figure, section, table } from "./figure.ts";
import { tables } from "./finished.ts";
import { compact, money, number, plural, significant, thousands } from "../read/format.ts";
import { frameHeight } from "./ladder.ts";
import { fit, textWidth } from "../chart/measure.ts";
import type { Prices } from "../read/model.ts";
import type { Page } from "./page.ts";
import { drawing } from "../chart/points.ts";

type Bill = NonNullable<Prices["variants"]>[number];
type Priced = Bill & { total: number; throughput: number };

/** price is the section. */
export function price(page: Page): HTMLElement | null {
  const prices = page.analysis.prices;
  const bills = page.inOrder(prices?.variants ?? []);
  if (!prices || bills.length === 0) return null;
  return section("price", "Price and performance",
    (prices.text ?? []).map((text) => h("p", { class: "said" }, page.prose(text))),
    priced(bills).length > 0 ? chart(page, prices, bills) : null,
    tables(page, "price"),
    bills.some((b) => b.lines?.length) ? h("details", {}, h("summary", {}, "The bills"), bills.map((b) => bill(page, prices, b))) : null,
    prices.note ? h("p", { class: "note" }, prices.note) : null);
}

function priced(bills: Bill[]): Priced[] {
  return bills.filter((b): b is Priced => (b.total ?? 0) > 0 && (b.throughput ?? 0) > 0);
}

function chart(page: Page, prices: Prices, bills: Bill[]): HTMLElement {
  const unit = prices.unit;
  return figure(page, {
    id: "price-performance", title: `Best ${unit} within the objectives against total price`,
    note: `${prices.currency} over ${significant(prices.years, 2)} years. The line is the Pareto front; up and to the left is better.`,
    draw: (width) => draw(page, prices, priced(bills), width),
  });
}

function draw(page: Page, prices: Prices, points: Priced[], width: number): Element {
  const unit = prices.unit;
  const front = points.filter((p) => p.on_front).sort((a, b) => a.total - b.total);
  const right = Math.min(width * 0.3, Math.max(...points.map((p) => textWidth(page.labelOf(p.variant), 12.5, 600)))) + 16;
  const plot = Plot.plot({
    width, height: frameHeight(width), marginLeft: 56, marginRight: right, marginTop: 16, marginBottom: 44,
    ariaLabel: `Throughput against price`, ariaDescription: points.map((p) => `${page.labelOf(p.variant)}: ${money(p.total)} ${prices.currency}, ${number(p.throughput)} ${unit}.`).join(" "),
    style: { fontSize: "12px", fontFamily: "inherit", overflow: "visible", background: "none" },
    x: { label: null, domain: [0, Math.max(...points.map((p) => p.total)) * 1.05] }, y: { label: null, domain: [0, Math.max(...points.map((p) => p.throughput)) * 1.12] },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 5 }),
      Plot.axisY({ ticks: 5, tickFormat: (v: number) => compact(v), tickSize: 0, fill: "var(--muted)" }),
      Plot.axisX({ ticks: Math.max(2, Math.floor(width / 130)), tickFormat: (v: number) => thousands(v), tickSize: 4, fill: "var(--muted)" }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
      Plot.line(front, { x: "total", y: "throughput", curve: "step-after", stroke: "var(--muted)", strokeDasharray: "5 4" }),
      ...points.map((p) => Plot.dot([p], { x: "total", y: "throughput", symbol: page.look(p.variant).symbol, r: 6, fill: page.look(p.variant).color })),
      labels(page, points),
    ],
  });
  plot.append(svg("text", { x: width - right, y: frameHeight(width) - 8, "text-anchor": "end", class: "axis-label" }, `total price, ${prices.currency}`));
  const at = (name: "x" | "y", v: number) => (plot as Plot.Plot).scale(name)!.apply(v) as number;
  drawing(plot, points.map((p) => ({ x: at("x", p.total), y: at("y", p.throughput), n: p.total, key: "price", title: tip(page, prices, p) })));
  return numbered(plot, () => ({
    heads: ["variant", `total price, ${prices.currency}`, `throughput, ${unit}`, `at ${prices.noun}s`, `price per ${unit}, ${prices.currency}`, "Pareto front"],
    rows: points.map((p) => [page.labelOf(p.variant), p.total, p.throughput, p.at, p.per_unit, p.on_front ? "yes" : "no"]),
  }));
}

function tip(page: Page, prices: Prices, p: Priced): string {
  const unit = prices.unit;
  return `${page.labelOf(p.variant)}\n${money(p.total)} ${prices.currency}\n${number(p.throughput)} ${unit} at ${plural(p.at, prices.noun)}\n${money(p.per_unit)} ${prices.currency} per ${unit}`;
}

function labels(page: Page, points: Priced[]): Plot.Markish {
  const render: Plot.RenderFunction = (_index, scales, _values, d) => {
    const [x, y] = [scales.x as (v: number) => number, scales.y as (v: number) => number];
    const placed = spread(points.map((p) => y(p.throughput)), 15, d.marginTop, d.height - d.marginBottom);
    return svg("g", { "aria-hidden": "true", "text-anchor": "start" }, points.map((p, i) => svg("text", {
      x: x(p.total) + 11, y: placed[i]! + 4, fill: page.look(p.variant).color, class: "line-label halo",
    }, fit(page.labelOf(p.variant), d.width - x(p.total) - 12, 12.5, 600))));
  };
  return render as unknown as Plot.Markish;
}

function bill(page: Page, prices: Prices, b: Bill): HTMLElement {
  return table(`Bill of ${page.labelOf(b.variant)}, ${prices.currency}`, ["<Item", "Quantity", "Price of one", "Total"],
    [...(b.lines ?? []).map((l) => [l.name, significant(l.quantity, 4), money(l.price), money(l.total)]), [h("b", {}, "Total"), "", "", h("b", {}, money(b.total))]]);
}
