// Response times in full: percentiles against instances for one variant, and
// the table by rung and operation.

import { drawChart } from "../chart/chart.ts";
import type { Line } from "../chart/chartdata.ts";
import { valueScale } from "../chart/axes.ts";
import { Control } from "./control.ts";
import { figure, section, select, table, tableRow } from "./figure.ts";
import { referenceNote, references } from "./reference.ts";
import { h } from "../chart/dom.ts";
import { capital, number, plural, seconds, thousands, time } from "../read/format.ts";
import { counts, frameHeight, statisticName } from "./ladder.ts";
import type { Rung, Variant } from "../read/model.ts";
import { measured, rungs, statistic, type Num } from "../read/reading.ts";
import { trialLinks, type Page } from "./page.ts";
import { label, type Symbol } from "../chart/palette.ts";

const names = ["mean", "p50", "p90", "p95", "p99", "p99.9", "max"];

/** percentiles is the section. */
export function percentiles(page: Page): HTMLElement | null {
  const able = page.variants.filter((v) => rungs(v).some((r) => operationsOf(page, r).some((o) => names.some((name) => value(page, r, o, name)))));
  if (able.length === 0) return null;
  const variant = new Control(page, "percentiles-variant", able.map((v) => ({ value: v.name, text: label(v) })), able[0]!.name);
  const drawable = counts(able).length > 1 && able.some((v) => rungs(v).some((r) => Object.values(r.percentile ?? {}).some((x) => x)));
  const operations = [...new Set(able.flatMap((v) => rungs(v).flatMap((r) => Object.keys(r.operations ?? {}))))].sort((a, b) => rank(page, a) - rank(page, b));
  const operation = new Control(page, "percentiles-operation", operations.map((value) => ({ value, text: value })), page.whole);
  const chosen = () => page.variant(variant.value)!;
  const holder = h("div", {});
  const show = () => holder.replaceChildren(operationsTable(page, chosen()));
  page.onRedraw(show);
  show();
  return section("percentiles", "Response times",
    h("div", { class: "controls" },
      variant.element("Variant"), operation.element("Operation", select)),
    !drawable ? null : figure(page, {
      id: "percentile-lines", title: "Percentiles against instances", note: "From the merged histograms of all users of all repetitions." + referenceNote(page, "p99"),
      draw: (width) => drawPercentiles(page, chosen(), operation.value, width),
    }),
    holder);
}

/** rank puts the operations as the workload lists them, others last. */
function rank(page: Page, operation: string): number {
  const at = (page.profile.operations ?? []).indexOf(operation);
  return at < 0 ? Infinity : at;
}

/** value reads a statistic of one operation, or of the unit of work. */
function value(page: Page, r: Rung, operation: string, name: string): Num {
  if (operation.endsWith(hidden)) return r.operations?.[operation.slice(0, -hidden.length)]?.corrected?.[name] || null;
  const o = r.operations?.[operation];
  if (!o) return operation === page.whole ? statistic(r, name).value : null;
  return (name === "mean" ? o.mean : o.percentile?.[name]) || null;
}

function drawPercentiles(page: Page, variant: Variant, operation: string, width: number): Element {
  const lines = names.filter((name) => name !== "mean" && name !== "max").map((name, i): Line => ({
    key: name, variant: variant.name, label: name, color: `var(--p${i})`, dash: "", symbol: "circle" as Symbol, references: operation === page.whole ? references(page, variant, name, seconds).map((g) => ({ ...g, label: "" })) : [],
    dots: rungs(variant).filter(measured).flatMap((r) => {
      const v = value(page, r, operation, name);
      return v ? [{ n: r.instances, value: v, low: v, high: v, kept: true, title: `${statisticName(name)} of ${operation}, ${plural(r.instances, page.noun)}\n${seconds(v)}` }] : [];
    }),
  })).filter((line) => line.dots.length > 0);
  return drawChart({
    label: `Percentiles of ${operation} of ${label(variant)} against instances`,
    description: lines.map((l) => `${l.label}: ${l.dots.map((d) => `${seconds(d.value)} at ${d.n}`).join(", ")}.`).join(" "),
    width, height: frameHeight(width), scale: valueScale(lines.flatMap((l) => l.dots.map((d) => d.value))), unit: "s", format: seconds, counts: counts([variant]), lines, xLabel: page.noun + "s",
  });
}

function operationsTable(page: Page, variant: Variant): HTMLElement {
  const columns = names.filter((name) => rungs(variant).some((r) => operationsOf(page, r).some((o) => value(page, r, o, name))));
  const left = [false, true, ...Array<boolean>(columns.length + 2).fill(false), true];
  const rows = rungs(variant).filter(measured).flatMap((r) => operationsOf(page, r).map((o, i, all) => tableRow([
    i === 0 ? thousands(r.instances) : "", o, number(rate(page, r, o)),
    ...columns.map((name) => time(value(page, r, o, name))), r.operations?.[o]?.errors ? number(r.operations[o]!.errors) : o.endsWith(hidden) ? "" : "0",
    i === 0 ? trialLinks(r.trials, page, false) : "",
  ], left, { class: i < all.length - 1 ? "joined" : "" })));
  return table(`Response times of ${label(variant)} by instances and operation`, [capital(page.noun) + "s", "<Operation", period(page.work.seconds ?? 60), ...columns, "Errors", "<Trials"], rows);
}

/** rate is what was done of an operation over the period of the throughput. */
function rate(page: Page, r: Rung, operation: string): Num {
  const minute = r.operations?.[operation]?.per_minute ?? null;
  if (minute !== null) return minute * ((page.work.seconds ?? 60) / 60);
  return operation === page.whole && !page.work.bytes ? r.throughput.value : null;
}

/** period names the column of rates. */
function period(seconds: number): string {
  return new Map([[1, "A second"], [60, "A minute"], [3600, "An hour"]]).get(seconds) ?? `In ${plural(seconds, "second")}`;
}

/** hidden marks the row of an operation's times with those that a stall hid from the users of a closed loop. */
const hidden = ", corrected";

function operationsOf(page: Page, r: Rung): string[] {
  const all = Object.keys(r.operations ?? {}).sort((a, b) => rank(page, a) - rank(page, b) || a.localeCompare(b));
  return all.length ? all.flatMap((o) => r.operations?.[o]?.corrected ? [o, o + hidden] : [o]) : [page.whole];
}
