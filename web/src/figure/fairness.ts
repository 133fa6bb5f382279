// Fairness: how evenly the instances of a rung were served.

import * as Plot from "@observablehq/plot";
import { svg } from "../chart/dom.ts";
import { numbered } from "../chart/export.ts";
import { figure, section } from "./figure.ts";
import { h } from "../chart/dom.ts";
import { percent, significant, thousands } from "../read/format.ts";
import type { Variant } from "../read/model.ts";
import { rungs } from "../read/reading.ts";
import type { Page } from "./page.ts";
import { label } from "../chart/palette.ts";
import { drawing } from "../chart/points.ts";

/** fairness is the section. */
export function fairness(page: Page): HTMLElement | null {
  const able = page.variants.filter((v) => fair(v).length > 0);
  if (able.length === 0) return null;
  const reach = Math.max(0.02, ...able.flatMap((v) => fair(v).flatMap((r) => r.shares.map(Math.abs)))) * 1.1;
  return section("fairness", "Fairness between instances",
    h("p", { class: "note" }, "Each stroke is the throughput of one against the mean of its rung. Below the axis: Jain's index, 1 when all were served alike."),
    h("div", { class: "multiples" }, able.map((v) => figure(page, { id: "fairness-" + v.name, title: label(v), draw: (width) => draw(page, v, reach, width) }))));
}

/** fair lists the rungs with more than one instance and their spread. */
function fair(v: Variant): { n: string; jain: number | null; shares: number[] }[] {
  return rungs(v).flatMap((r) => {
    const values = (r.fairness?.instances ?? []).filter((x): x is number => x !== null);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    return values.length > 1 && mean > 0 ? [{ n: String(r.instances), jain: r.fairness!.jain, shares: values.map((x) => x / mean - 1) }] : [];
  });
}

function draw(page: Page, v: Variant, reach: number, width: number): Element {
  const all = fair(v);
  const strokes = all.flatMap((r) => r.shares.map((share) => ({ n: r.n, share })));
  const plot = Plot.plot({
    width, height: 230, marginLeft: 56, marginRight: 8, marginTop: 10, marginBottom: 54,
    ariaLabel: `Throughput of each instance of ${label(v)} against the mean of its rung`,
    ariaDescription: all.map((r) => `${r.n} instances: from ${percent(Math.min(...r.shares))} to ${percent(Math.max(...r.shares))} of the mean, Jain's index ${significant(r.jain, 3)}.`).join(" "),
    style: { fontSize: "12px", fontFamily: "inherit", background: "none" },
    x: { type: "band", domain: all.map((r) => r.n), label: null, padding: 0.35 },
    y: { domain: [Math.max(-1, -reach), reach], label: null },
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--rule)", strokeOpacity: 1 }),
      Plot.axisY({ ticks: 5, tickFormat: (x: number) => (x > 0 ? "+" : "") + percent(x), tickSize: 0, fill: "var(--muted)" }),
      Plot.axisX({ tickFormat: (n: string) => thousands(Number(n)), tickSize: 0, fill: "var(--muted)" }),
      Plot.ruleY([0], { stroke: "var(--muted)" }),
      Plot.tickY(strokes, { x: "n", y: "share", stroke: page.look(v.name).color, strokeOpacity: strokes.length > 60 ? 0.5 : 0.8, strokeWidth: 1.5 }),
    ],
  });
  const x = (n: string) => (plot as Plot.Plot).scale("x")!.apply(n) as number;
  const half = ((plot as Plot.Plot).scale("x")!.bandwidth ?? 0) / 2;
  plot.append(svg("g", { class: "axis-label", "text-anchor": "middle", "aria-hidden": "true" },
    all.map((r) => svg("text", { x: x(r.n) + half, y: 208 }, significant(r.jain, 3))),
    svg("text", { x: 56, y: 225, "text-anchor": "start" }, `${page.noun}s; Jain's index`)));
  return numbered(drawing(plot), () => ({ heads: [`${page.noun}s`, `throughput of one against the mean of its rung, share`, "Jain’s index"], rows: all.flatMap((r) => r.shares.map((share) => [r.n, share, r.jain])) }));
}
