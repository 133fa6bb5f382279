// Response times in full: percentiles against instances for one variant, and
// the table by rung and operation.

import { drawChart, type Line } from "./chart.ts";
import { timeScale } from "./axes.ts";
import { choice, figure, section, select, table, tableRow } from "./figure.ts";
import { h } from "./dom.ts";
import { capital, number, plural, seconds, thousands, time } from "./format.ts";
import { counts, frameHeight, statisticName } from "./ladder.ts";
import { measured, rungs, statistic, type Num, type Rung, type Variant } from "./model.ts";
import { trialLinks, type Page } from "./page.ts";
import { label, type Symbol } from "./palette.ts";

const names = ["mean", "p50", "p90", "p95", "p99", "p99.9", "max"];

/** percentiles is the section. */
export function percentiles(page: Page): HTMLElement | null {
  const able = page.variants.filter((v) => rungs(v).some((r) => Object.keys(r.percentile ?? {}).length || Object.keys(r.operations ?? {}).length));
  if (able.length === 0) return null;
  let variant = able[0]!;
  const drawable = counts(able).length > 1 && able.some((v) => rungs(v).some((r) => Object.values(r.percentile ?? {}).some((x) => x)));
  let operation = "order";
  const holder = h("div", {});
  const chosen = () => {
    holder.replaceChildren(operationsTable(page, variant));
    page.redraw();
  };
  const operations = [...new Set(able.flatMap((v) => rungs(v).flatMap((r) => Object.keys(r.operations ?? {}))))].sort((a, b) => rank(a) - rank(b));
  holder.replaceChildren(operationsTable(page, variant));
  return section("percentiles", "Response times",
    h("div", { class: "controls" },
      able.length > 1 ? choice("Variant", able.map((v) => ({ value: v.name, text: label(v) })), variant.name, (name) => { variant = page.variant(name)!; chosen(); }) : null,
      operations.length > 1 ? select("Operation", operations.map((value) => ({ value, text: value })), operation, (value) => { operation = value; page.redraw(); }) : null),
    !drawable ? null : figure(page, {
      id: "percentile-lines", title: "Percentiles against instances", note: "From the merged histograms of all users of all repetitions.",
      draw: (width) => drawPercentiles(page, variant, operation, width),
    }),
    holder);
}

function rank(operation: string): number {
  return operation === "order" ? 0 : 1;
}

/** value reads a statistic of one operation, or of the whole order. */
function value(r: Rung, operation: string, name: string): Num {
  const o = r.operations?.[operation];
  if (!o) return operation === "order" ? statistic(r, name).value : null;
  return (name === "mean" ? o.mean : o.percentile?.[name]) || null;
}

function drawPercentiles(page: Page, variant: Variant, operation: string, width: number): Element {
  const lines = names.filter((name) => name !== "mean" && name !== "max").map((name, i): Line => ({
    key: name, label: name, color: `var(--p${i})`, dash: "", symbol: "circle" as Symbol,
    dots: rungs(variant).filter(measured).flatMap((r) => {
      const v = value(r, operation, name);
      return v ? [{ n: r.instances, value: v, low: v, high: v, kept: true, title: `${statisticName(name)} of ${operation}, ${plural(r.instances, page.noun)}\n${seconds(v)}` }] : [];
    }),
  })).filter((line) => line.dots.length > 0);
  return drawChart({
    label: `Percentiles of ${operation} of ${label(variant)} against instances`,
    description: lines.map((l) => `${l.label}: ${l.dots.map((d) => `${seconds(d.value)} at ${d.n}`).join(", ")}.`).join(" "),
    width, height: frameHeight(width), scale: timeScale(lines.flatMap((l) => l.dots.map((d) => d.value))), format: seconds, counts: counts([variant]), lines, xLabel: page.noun + "s",
  });
}

function operationsTable(page: Page, variant: Variant): HTMLElement {
  const columns = names.filter((name) => rungs(variant).some((r) => operationsOf(r).some((o) => value(r, o, name))));
  const left = [false, true, ...Array<boolean>(columns.length + 2).fill(false), true];
  const rows = rungs(variant).filter(measured).flatMap((r) => operationsOf(r).map((o, i, all) => tableRow([
    i === 0 ? thousands(r.instances) : "", o, number(r.operations?.[o]?.per_minute ?? r.throughput.value),
    ...columns.map((name) => time(value(r, o, name))), r.operations?.[o]?.errors ? number(r.operations[o]!.errors) : "0",
    i === 0 ? trialLinks(r.trials, page, false) : "",
  ], left, { class: i < all.length - 1 ? "joined" : "" })));
  return table(`Response times of ${label(variant)} by instances and operation`, [capital(page.noun) + "s", "<Operation", "A minute", ...columns, "Errors", "<Trials"], rows);
}

function operationsOf(r: Rung): string[] {
  const all = Object.keys(r.operations ?? {}).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return all.length ? all : ["order"];
}
