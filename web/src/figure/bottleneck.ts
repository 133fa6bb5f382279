// What gives out: utilisation and demand of every resource against instances,
// as a heat table and as figures.

import { drawChart } from "../chart/chart.ts";
import type { Dot, Line } from "../chart/chartdata.ts";
import { h, type Child } from "../chart/dom.ts";
import { Control } from "./control.ts";
import { captioned, figure, section } from "./figure.ts";
import { capital, percent, plural, seconds, significant, thousands } from "../read/format.ts";
import { finding } from "./findings.ts";
import { counts, frameHeight } from "./ladder.ts";
import type { Analysis, Resource, Rung, Variant } from "../read/model.ts";
import { rungs } from "../read/reading.ts";
import { key, type Page } from "./page.ts";
import { label, type Symbol } from "../chart/palette.ts";
import { parsed, searched } from "./searched.ts";

type Measure = "utilisation" | "demand" | "queue";

/** Row is a resource over the rungs: one thing, or the busiest of many. */
export interface Row { name: string; kind: string; at: Map<number, Resource>; of: number }

/** single is how many things of a kind get rows of their own. */
const single = 4;

/** rows joins a variant's resources over its rungs; about says what their kinds mean. */
export function rows(variant: Variant, about: Analysis["resource_kinds"]): Row[] {
  const many = numbers(variant);
  const out = new Map<string, Row>();
  for (const r of rungs(variant)) for (const resource of r.resources ?? []) {
    const of = many.get(resource.kind)!;
    const name = of <= single ? resource.name : `busiest of ${of} ${about?.[resource.kind]?.plural ?? "resources"}`;
    const row = out.get(name) ?? { name, kind: resource.kind, at: new Map(), of: of <= single ? 1 : of };
    const before = row.at.get(r.instances);
    if (!before || (resource.utilisation ?? 0) > (before.utilisation ?? 0)) row.at.set(r.instances, resource);
    out.set(name, row);
  }
  return [...out.values()].sort((a, b) => top(b) - top(a));
}

/** numbers is how many resources of each kind a variant has over its rungs. */
function numbers(variant: Variant): Map<string, number> {
  const names = new Map<string, Set<string>>();
  const most = new Map<string, number>();
  for (const r of rungs(variant)) {
    const here = new Map(Object.entries(r.unlisted ?? {}));
    for (const resource of r.resources ?? []) {
      names.set(resource.kind, (names.get(resource.kind) ?? new Set()).add(resource.name));
      here.set(resource.kind, (here.get(resource.kind) ?? 0) + 1);
    }
    for (const [kind, n] of here) most.set(kind, Math.max(n, most.get(kind) ?? 0));
  }
  return new Map([...names].map(([kind, all]) => [kind, Math.max(all.size, most.get(kind)!)]));
}

function top(row: Row): number {
  return Math.max(...[...row.at.values()].map((r) => r.utilisation ?? 0));
}

/** bottleneck is the section. */
export function bottleneck(page: Page): HTMLElement | null {
  const said = page.inOrder(page.analysis.findings ?? []).filter((f) => f.kind === "bottleneck" || f.kind === "confirmation");
  const has = page.variants.some((v) => rungs(v).some((r) => r.resources?.length));
  if (!has && said.length === 0) return null;
  return section("bottleneck", "What limits",
    said.length ? h("ol", { class: "findings" }, said.map((f) => finding(page, f))) : null,
    page.analysis.prediction_score ? h("p", { class: "note" }, page.prose(page.analysis.prediction_score.text)) : null,
    has ? [heat(page), every(page), figures(page)] : h("p", { class: "note" }, "Utilisation of resources was not measured (or not published), so the table of resources by rung is left out."));
}

/** every is the list of all resources, where the page has not all at once; it is made when it
 * is opened. */
function every(page: Page): HTMLElement | null {
  if (!page.variants.some((v) => rungs(v).some((r) => r.unlisted))) return null;
  const holder = h("div", {}, h("p", { class: "note" }, "The list is being unpacked."));
  const fill = async () => {
    const text = (await page.packed).tables["resources"] ?? "";
    const [heads, ...lines] = parsed(text);
    const at = (line: string[], head: string) => line[heads!.indexOf(head)] ?? "";
    const known = (line: string[], head: string, format: (v: number) => string) => at(line, head) === "" ? "–" : format(Number(at(line, head)));
    holder.replaceChildren(searched("All resources", ["<Resource", "<Variant", capital(page.noun) + "s", "Utilisation", "Queue"], lines.map((line) => ({
      name: `${at(line, "resource")} ${at(line, "variant")}`,
      cells: () => [at(line, "resource"), page.labelOf(at(line, "variant")), known(line, "instances", thousands), known(line, "utilisation", percent), known(line, "queue", (v) => significant(v, 2))],
    }))));
  };
  const details: HTMLDetailsElement = h("details", { ontoggle: () => { if (details.open && !holder.querySelector("table")) void fill(); } },
    h("summary", {}, "All resources at all rungs"), holder);
  return details;
}

/** heat is the table of resources by rung, coloured by utilisation. */
function heat(page: Page): HTMLElement {
  const measure = new Control<Measure>(page, "heat", [{ value: "utilisation", text: "utilisation" }, { value: "demand", text: `demand per ${page.work.name}` }, { value: "queue", text: "queue" }], "utilisation");
  const holder = h("div", { id: "heat" });
  const draw = () => holder.replaceChildren(captioned(captions(page)[measure.value], false, heatTable(page, measure.value)));
  page.onRedraw(draw);
  draw();
  return h("div", {}, h("div", { class: "controls" }, measure.element("What the table shows")), holder);
}

function heatTable(page: Page, measure: Measure): HTMLTableElement {
  const all = counts(page.variants);
  const bodies = page.focused().map((v) => {
    const { busy: list, idle } = split(rows(v, page.analysis.resource_kinds));
    if (list.length === 0) return null;
    return h("tbody", {},
      h("tr", { class: "group" }, h("th", { scope: "rowgroup", class: "left", colspan: all.length + 1 }, key(page.look(v.name)), label(v))),
      list.map((row) => h("tr", {},
        h("th", { scope: "row", class: "left" }, row.name),
        all.map((n) => heatCell(v, row, n, measure)))),
      idle.length ? h("tr", {}, h("td", { class: "left idle", colspan: all.length + 1 }, `below ${percent(hardly)} of what it can do at every rung: ${idle.map((row) => row.name).join(", ")}`)) : null);
  });
  return h("table", { class: "heat" },
    h("caption", { class: "hidden" }, captions(page)[measure]),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "left" }, capital(page.noun) + "s"), all.map((n) => h("th", { scope: "col" }, thousands(n))))),
    bodies.filter((b) => b !== null));
}

/** hardly is the utilisation below which a resource is only named, where there
 * are more than few. */
const hardly = 0.03;
const few = 5;

function split(all: Row[]): { busy: Row[]; idle: Row[] } {
  const busy = all.filter((row) => top(row) >= hardly);
  return all.length <= few || busy.length === 0 ? { busy: all, idle: [] } : { busy, idle: all.filter((row) => top(row) < hardly) };
}

const captions = (page: Page): Record<Measure, string> => ({
  utilisation: "Utilisation by resource and instances; the blue rule is the load line." +
    (Object.values(page.analysis.resource_kinds ?? {}).some((kind) => kind.requests) ? " Of a disk: the share of the requests it can serve at once, or of the rate that it moves at most where that is known and larger, not the kernel’s busy time, which the time series show." : ""),
  demand: `Time for which one ${page.work.name} keeps each resource busy, spread over its servers: U / X. While demands stay constant, 1 / the largest is the upper bound on throughput.`,
  queue: "Requests waiting or in service, on average.",
});

/** perServer is the demand spread over cores or actuators, D / m = U / X: what
 * can be compared between resources. */
function perServer(r: Resource): number {
  return (r.demand ?? 0) / Math.max(r.servers ?? 1, 1);
}

function valueOf(r: Resource, measure: "utilisation" | "demand"): number {
  return measure === "demand" ? perServer(r) : r.utilisation ?? 0;
}

function heatCell(variant: Variant, row: Row, n: number, measure: Measure): HTMLElement {
  const r = row.at.get(n);
  const line = variant.load_line.rung === n && !variant.load_line.open ? " line" : "";
  if (!r) return h("td", { class: "empty" + line }, "");
  const share = Math.min(Math.max(r.utilisation ?? 0, 0), 1);
  return h("td", {
    class: "cell" + line + (r.holds_back ? " full" : ""), style: `--share:${(share * 100).toFixed(0)}%`, title: cellTitle(r),
  }, cellText(r, measure));
}

function cellTitle(r: Resource): string {
  if (r.other) return `${r.name}, ${percent(r.other)} of it used outside the trial`;
  if (r.evidence) return `${r.name}. ${r.evidence}`;
  return r.assumed ? `${r.name}; its number of parallel requests is assumed (${r.assumed})` : r.name;
}

function cellText(r: Resource, measure: Measure): Child {
  if (measure === "utilisation") return (r.uncertain ? "≤ " : "") + percent(r.utilisation);
  if (measure === "demand") return r.demand ? seconds(perServer(r)) : "–";
  return r.queue ? significant(r.queue, 2) : "–";
}

const shapes: Symbol[] = ["circle", "triangle", "square", "diamond", "star", "wye", "times"];
const dashes = ["", "7 3", "2 3", "10 3 2 3", "12 4"];

/** figures are utilisation and demand against instances for one variant. */
function figures(page: Page): HTMLElement {
  const able = page.variants.filter((v) => rows(v, page.analysis.resource_kinds).length > 0);
  const chosen = new Control(page, "bottleneck-variant", able.map((v) => ({ value: v.name, text: label(v) })), able[0]!.name);
  const picker = h("div", { class: "controls" }, chosen.element("Variant"));
  const chart = (measure: "utilisation" | "demand", format: (v: number) => string, width: number) => drawVariant(page, page.variant(chosen.value)!, measure, format, width);
  return h("div", {}, picker, h("div", { class: "pair" },
    figure(page, { id: "utilisation", title: "Utilisation by resource", note: "The first resource to reach 100 % limits throughput.", draw: (width) => chart("utilisation", (v) => percent(v), width) }),
    figure(page, { id: "demand", title: "Demand by resource", note: `Busy time per ${page.work.name}, divided by its servers (U / X). The largest limits throughput.`, draw: (width) => chart("demand", seconds, width) })));
}

function drawVariant(page: Page, current: Variant, measure: "utilisation" | "demand", format: (v: number) => string, width: number): Element {
  return drawChart({
    label: `${measure} by resource against instances, ${label(current)}`,
    description: rows(current, page.analysis.resource_kinds).slice(0, 5).map((row) => `${row.name}: ${[...row.at].map(([n, r]) => `${format(valueOf(r, measure))} at ${n}`).join(", ")}.`).join(" "),
    width, height: frameHeight(width) * 0.85, scale: "linear", unit: measure === "utilisation" ? "1" : "s", format, xLabel: page.noun + "s", counts: counts([current]), lines: lines(page, current, measure, format),
    top: measure === "utilisation" ? 1 : undefined,
    limit: measure === "utilisation" ? { value: 1, text: "" } : undefined,
  });
}

function lines(page: Page, variant: Variant, measure: "utilisation" | "demand", format: (v: number) => string): Line[] {
  return rows(variant, page.analysis.resource_kinds).slice(0, 5).map((row, i): Line => ({
    key: row.name, variant: variant.name, label: row.name.replace(/ \(.*\)$/, ""), color: `var(--c${[5, 0, 2, 3, 4][i]})`, dash: dashes[i]!, symbol: shapes[i]!,
    dots: rungs(variant).flatMap((r) => dot(page, row, r, measure, format)),
  })).filter((line) => line.dots.length > 0);
}

function dot(page: Page, row: Row, rung: Rung, measure: "utilisation" | "demand", format: (v: number) => string): Dot[] {
  const r = row.at.get(rung.instances);
  const value = r ? valueOf(r, measure) : 0;
  if (!r || value <= 0) return [];
  const title = `${r.name}, ${plural(rung.instances, page.noun)}\n${format(value)}` + (r.queue ? `\nqueue ${significant(r.queue, 2)}` : "");
  return [{ n: rung.instances, value, low: value, high: value, kept: true, title }];
}
