// What variants took for each item of a list, such as queries: a heat table by the
// ratio to the fastest variant, and all items together.

import * as Plot from "@observablehq/plot";
import { Control } from "./control.ts";
import { h, svg, type Child } from "../chart/dom.ts";
import { numbered } from "../chart/export.ts";
import { captioned, figure, lazily, section, table } from "./figure.ts";
import { bounds, bytes, capital, compact, known, missing, money, percent, plural, seconds, significant, time } from "../read/format.ts";
import { frameHeight } from "./ladder.ts";
import type { Analysis } from "../read/model.ts";
import { named, type Page } from "./page.ts";
import { drawing } from "../chart/points.ts";

type List = NonNullable<Analysis["lists"]>[number];
type Row = NonNullable<List["rows"]>[number];
type Cell = NonNullable<Row["cells"]>[number];
type Column = NonNullable<List["columns"]>[number];
type Span = NonNullable<Cell["time"]>;

/** few is how many rows a table has that is not folded, and most how many of a longer one
 * are shown. */
const few = 24;
const most = 12;

/** items is the section. */
export function items(page: Page): HTMLElement | null {
  const lists = page.analysis.lists ?? [];
  if (lists.length === 0) return null;
  const at = new Control(page, "items-at", lists.map((l, i) => ({ value: String(i), text: nameOf(page, lists, l) })), "0");
  const chosen = () => lists[Number(at.value)]!;
  const holder = h("div", { id: `items-${lists[0]!.rung}` });
  const draw = () => holder.replaceChildren(...tables(page, chosen()));
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

function tables(page: Page, l: List): HTMLElement[] {
  const rows = rowsOf(l);
  const said = [...(l.differ ?? []), ...(l.bounds ?? []), ...(l.store ?? []), ...(l.priced ? [l.priced] : [])];
  const shown = rows.length > few ? differing(rows) : rows;
  return [
    totals(page, l),
    ...said.map((text) => h("p", { class: "said" }, page.prose(text))),
    heat(page, l, shown, shown.length < rows.length ? `The ${shown.length} of ${rows.length} ${page.work.plural} that differ most. ` : ""),
    ...(shown.length < rows.length ? [lazily(`All ${rows.length} ${page.work.plural}`, () => heat(page, l, rows, "")).element] : []),
  ];
}

/** differing are the rows whose slowest variant is the furthest from the fastest, and those
 * that failed, in the order of the list. */
function differing(rows: Row[]): Row[] {
  const worst = (r: Row) => Math.max(...(r.cells ?? []).map((c) => (c.failed ? Infinity : c.ratio ?? 0)));
  const chosen = new Set([...rows].sort((a, b) => (worst(b) > worst(a) ? 1 : worst(b) < worst(a) ? -1 : 0)).slice(0, most));
  return rows.filter((r) => chosen.has(r));
}

function totals(page: Page, l: List): HTMLElement {
  const columns = columnsOf(l);
  const { name, plural: several } = page.work;
  const currency = page.analysis.prices?.currency ?? "";
  const priced = columns.some((c) => c.cost?.each);
  const scanned = columns.some((c) => c.cost?.terabyte);
  const counted = columns.some((c) => c.read);
  const common = l.common < rowsOf(l).length ? ` of ${l.common}` : "";
  return table(`All ${several} at ${plural(l.rung, page.noun)}`,
    ["<Variant", "Time for all", `Geometric mean${common}`, "Devices busy, at most", "With a store that takes no time, at most", ...(counted ? ["Read by the engine"] : []),
      ...(priced ? [`${currency} per ${name}`] : []), ...(scanned ? [`${currency} per TB scanned`] : [])],
    columns.map((c) => [named(page, c.variant), c.failed ? `${c.failed} failed` : span(c.total), span(c.geometric), known(c.storage?.busy ?? null, percent),
      faster(c), ...(counted ? [known(c.read || null, bytes)] : []),
      ...(priced ? [money(c.cost?.each ?? null)] : []), ...(scanned ? [money(c.cost?.terabyte ?? null)] : [])]));
}

/** faster bounds what a store that takes no time gives; little is told as a share. */
function faster(c: Column): string {
  const s = c.storage;
  if (!s?.faster) return missing;
  return s.faster < 1.1 ? `${percent(s.busy)} less time` : `${significant(s.faster, 3)} times as fast`;
}

/** span writes a time with its bounds below it. */
function span(i: Span | undefined): Child {
  if (!i?.value) return missing;
  return [time(i.value), i.low !== null && i.high !== null && i.low !== i.high ? h("small", {}, bounds({ low: i.low, high: i.high, range: i.range ?? null }, seconds)) : null];
}

function heat(page: Page, l: List, rows: Row[], before: string): HTMLElement {
  const columns = columnsOf(l);
  const caption = `${before}Time of each ${page.work.name} at ${plural(l.rung, page.noun)}, and how many times that of the fastest variant it is: the deeper the colour, the slower. Below it the interval or range of the repetitions.`;
  return captioned(caption, false, h("table", { class: "heat items" },
    h("caption", { class: "hidden" }, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "left" }, capital(page.work.name)), columns.map((c) => h("th", { scope: "col" }, named(page, c.variant))))),
    h("tbody", {}, rows.map((r) => h("tr", {}, h("th", { scope: "row", class: "left" }, r.name), (r.cells ?? []).map((c) => heatCell(c)))))));
}

/** deepest is the ratio that has the full colour. */
const deepest = 4;

function heatCell(c: Cell): HTMLElement {
  const ratio = c.ratio ?? 0;
  const share = ratio > 1 ? Math.min(1, Math.log(ratio) / Math.log(deepest)) : 0;
  return h("td", { class: "cell", style: `--share:${(share * 100).toFixed(0)}%`, title: busyText(c) },
    ratio > 0 ? h("b", {}, ratio > 1 ? `${significant(ratio, 3)} ×` : "fastest") : null,
    span(c.time),
    c.failed ? h("b", { class: "broken" }, `✗ ${c.failed} failed: ${Object.keys(c.errors ?? {}).join(", ")}`) : null,
    c.busy?.bound ? h("small", {}, `${c.busy.bound}-bound`) : null);
}

/** busyText is the evidence of what an item is bound by, and what the engine counted. */
function busyText(c: Cell): string {
  return [sampled(c), c.read ? `The engine read ${bytes(c.read)}.` : ""].filter((text) => text).join(" ");
}

function sampled(c: Cell): string {
  const b = c.busy;
  if (!b) return "";
  const parts: [string, number | null | undefined][] = [["devices", b.storage?.busy], ["CPU", b.cpu], ["network", b.network], ["CPU by other processes", b.others || null]];
  const told = parts.filter(([, v]) => v !== null && v !== undefined).map(([name, v]) => `${name} ${percent(v!)}`);
  return `Busy while it ran: ${told.join(", ")} (${b.samples} samples).` + (b.storage?.faster ? ` With a store that takes no time, at most ${significant(b.storage.faster, 3)} times as fast.` : "");
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
