// What variants took for each item of a list, such as queries: a heat table by the
// ratio to the fastest variant, and all items together.

import * as Plot from "@observablehq/plot";
import { Control } from "./control.ts";
import { h, svg } from "../chart/dom.ts";
import { numbered } from "../chart/export.ts";
import { figure, section } from "./figure.ts";
import { tables } from "./finished.ts";
import { capital, compact, plural, seconds } from "../read/format.ts";
import { frameHeight } from "./ladder.ts";
import type { Analysis } from "../read/model.ts";
import { named, type Page } from "./page.ts";
import { drawing } from "../chart/points.ts";

type List = NonNullable<Analysis["lists"]>[number];
type Row = NonNullable<List["rows"]>[number];
type Column = NonNullable<List["columns"]>[number];

/** items is the section. */
export function items(page: Page): HTMLElement | null {
  const lists = page.analysis.lists ?? [];
  if (lists.length === 0) return null;
  const at = new Control(page, "items-at", lists.map((l, i) => ({ value: String(i), text: nameOf(page, lists, l) })), "0");
  const chosen = () => lists[Number(at.value)]!;
  const holder = h("div", { id: `items-${lists[0]!.rung}` });
  const draw = () => holder.replaceChildren(...parts(page, chosen(), at.value));
  page.onRedraw(draw);
  draw();
  return section("items", `By ${page.work.name}`,
    h("div", { class: "controls" }, at.element(`${capital(page.noun)}s`)),
    holder,
    h("div", { class: "keys" }, columnsOf(lists[0]!).map((c) => named(page, c.variant))),
    figure(page, {
      id: "items-together", title: `Time for the ${page.work.plural}, one after the other`, note: `The medians of their times, added up in the order of the list.`,
      draw: (width) => cumulative(page, chosen(), width),
    }));
}

/** nameOf tells lists apart: by their rung, or by how many items they have too. */
function nameOf(page: Page, lists: List[], l: List): string {
  const alike = lists.filter((other) => other.rung === l.rung).length > 1;
  return plural(l.rung, page.noun) + (alike ? `, ${plural(rowsOf(l).length, page.work.name, page.work.plural)}` : "");
}

const rowsOf = (l: List): Row[] => l.rows ?? [];
const columnsOf = (l: List): Column[] => l.columns ?? [];

function parts(page: Page, l: List, at: string): HTMLElement[] {
  const said = [...(l.differ ?? []), ...(l.bounds ?? []), ...(l.store ?? []), ...(l.priced ? [l.priced] : [])];
  const [totals, ...rest] = tables(page, `items-${at}`);
  return [totals!, ...said.map((text) => h("p", { class: "said" }, page.prose(text))), ...rest];
}

/** cumulative draws the sums of times along the list; a line ends where an item has none. */
function cumulative(page: Page, l: List, width: number): Element {
  const rows = rowsOf(l);
  const lines = columnsOf(l).map((c, at) => {
    let sum = 0;
    const points = [{ n: 0, sum, name: "" }];
    for (const [i, r] of rows.entries()) {
      const took = r.cells?.[at]?.time?.value;
      if (!took) break;
      sum += took;
      points.push({ n: i + 1, sum, name: r.name });
    }
    return { variant: c.variant, points };
  });
  const all = lines.flatMap((line) => line.points);
  const plot = Plot.plot({
    width, height: frameHeight(width), marginLeft: 56, marginRight: 16, marginTop: 16, marginBottom: 44,
    ariaLabel: `Time for the ${page.work.plural}, one after the other`,
    ariaDescription: lines.map((line) => `${page.labelOf(line.variant)}: ${seconds(line.points.at(-1)!.sum)} after ${line.points.length - 1} of ${rows.length}.`).join(" "),
    style: { fontSize: "12px", fontFamily: "inherit", background: "none" },
    x: { label: null, domain: [0, rows.length] }, y: { label: null, domain: [0, Math.max(...all.map((p) => p.sum)) * 1.05 || 1] },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 5 }),
      Plot.axisY({ ticks: 5, tickFormat: (v: number) => compact(v) + " s", tickSize: 0, fill: "var(--muted)" }),
      Plot.axisX(ticks(rows, width), { tickFormat: (n: number) => rows[n - 1]?.name ?? "", tickSize: 4, fill: "var(--muted)" }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
      ...lines.flatMap((line) => {
        const look = page.look(line.variant);
        return [
          Plot.line(line.points, { x: "n", y: "sum", stroke: look.color, strokeWidth: 2, strokeDasharray: look.dash }),
          Plot.dot(line.points.slice(-1), { x: "n", y: "sum", symbol: look.symbol, r: 5, fill: look.color }),
        ];
      }),
    ],
  });
  plot.append(svg("text", { x: width - 16, y: frameHeight(width) - 8, "text-anchor": "end", class: "axis-label" }, `${page.work.plural}, in the order of the list`));
  const at = (name: "x" | "y", v: number) => (plot as Plot.Plot).scale(name)!.apply(v) as number;
  drawing(plot, lines.flatMap((line) => line.points.slice(1).map((p) => ({ x: at("x", p.n), y: at("y", p.sum), n: p.n, key: line.variant, title: `${page.labelOf(line.variant)}\nafter ${p.name}: ${seconds(p.sum)}` }))));
  return numbered(plot, () => ({ heads: ["variant", `after ${page.work.name}`, "time, s"], rows: lines.flatMap((line) => line.points.slice(1).map((p) => [page.labelOf(line.variant), p.name, p.sum])) }));
}

/** ticks are as many items as have room for their names. */
function ticks(rows: Row[], width: number): number[] {
  const step = Math.max(1, Math.ceil(rows.length / Math.max(2, Math.floor(width / 48))));
  return rows.map((_, i) => i + 1).filter((n) => (n - 1) % step === 0);
}
