// Raw data to take away: JSON, the CSV tables, the time series as drawn.

import { h } from "../chart/dom.ts";
import { csv, save } from "../chart/export.ts";
import { section } from "./figure.ts";
import type { Packed } from "../read/reading.ts";
import type { Page } from "./page.ts";

/** data is the section; the tables come when they are unpacked. */
export function data(page: Page, json: () => string): HTMLElement {
  const name = page.analysis.study.name;
  const list = h("ul", { class: "downloads" }, item(`${name}.json`, "everything in this report", "application/json", json));
  page.packed.then((packed) => list.append(...Object.entries(packed.tables).map(([table, text]) =>
    item(`${name}-${table}.csv`, tables[table] ?? table, "text/csv", () => text)),
    ...(packed.trials.length ? [item(`${name}-series.csv`, "the time series as drawn", "text/csv", () => seriesTable(packed))] : [])), () => {});
  return section("data", "Data", h("p", {}, "Times are in seconds, shares are fractions, throughput is in ", page.analysis.study.unit, ". The raw records and samples are in the run directory."), list);
}

const tables: Record<string, string> = {
  rungs: "a row per variant and rung", operations: "a row per variant, rung, operation and statistic", trials: "a row per trial",
  efficiency: "a row per variant: its best throughput over what it uses",
  machines: "a row per variant, rung, side of the storage and what its machines did", resources: "a row per variant, rung and resource", settings: "a row per setting",
};

function item(name: string, text: string, type: string, make: () => string): HTMLElement {
  return h("li", {}, h("button", { type: "button", onclick: () => save(name, new Blob([make()], { type })) }, name), " ", text);
}

/** seriesTable is a long table of all points. */
export function seriesTable(packed: Packed): string {
  const rows = packed.trials.flatMap((t) => (t.series ?? []).flatMap((s) => s.mean.flatMap((v, i) => v === null ? [] :
    [[t.id, s.kind, s.name ?? "", s.of ?? 1, s.metric, s.unit, (t.begin + i * t.step) / 1000, v, s.min?.[i] ?? v, s.max?.[i] ?? v]])));
  return csv({ heads: ["trial", "kind", "name", "of", "metric", "unit", "seconds", "mean", "min", "max"], rows });
}
