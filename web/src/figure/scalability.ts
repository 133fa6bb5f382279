// Measured against model: the Universal Scalability Law with its band and the
// asymptotic bounds, a small figure per variant.

import { ladderScale } from "../chart/axes.ts";
import { drawChart } from "../chart/chart.ts";
import type { Band } from "../chart/chartdata.ts";
import { h, type Child } from "../chart/dom.ts";
import { figure, section, table } from "./figure.ts";
import { capital, compact, interval, number, percent, significant, thousands } from "../read/format.ts";
import { band, counts, curve, describe, frameHeight, line } from "./ladder.ts";
import type { Prediction, Scalability, Variant } from "../read/model.ts";
import { rungs } from "../read/reading.ts";
import { named, type Page } from "./page.ts";
import { label } from "../chart/palette.ts";

/** scalability is the section. */
export function scalability(page: Page): HTMLElement | null {
  const able = page.variants.filter((v) => v.scalability);
  if (able.length === 0) return null;
  return section("model", "Measured against model",
    h("p", { class: "note" }, "Points are measured.",
      able.some((v) => v.scalability!.holds) ? " The thin line is the Universal Scalability Law fitted to them, X(N) = λN / (1 + σ(N−1) + κN(N−1)), with its band; it is drawn where it holds and its band is narrower than half of its value." : "",
      able.some((v) => v.scalability!.bounds?.length) ? " The bound is what the demands measured at a small rung, or the best single instance, allow if they stay as they are; one that a rung beat is left out." : "",
      able.some((v) => v.scalability!.network?.length) ? " Network is the closed queueing network with the demands measured at one rung, by exact mean-value analysis." : ""),
    h("div", { class: "multiples" }, able.map((v) => modelFigure(page, v))),
    able.filter((v) => !v.scalability!.holds || v.scalability!.beaten).map((v) => h("p", { class: "said" }, page.prose(v.scalability!.text))),
    parameters(page, able.filter((v) => v.scalability!.holds)),
    predictions(page, able));
}

function modelFigure(page: Page, v: Variant): HTMLElement {
  const s = v.scalability!;
  const unit = page.analysis.study.unit;
  return figure(page, {
    id: "model-" + v.name, title: label(v),
    draw: (width) => drawChart({
      label: `Measured and modelled throughput of ${label(v)}`,
      description: describe(page, [v], (r) => r.throughput, (x) => `${number(x)} ${unit}`) + " " + s.text,
      width, height: frameHeight(width) * 0.9, scale: ladderScale(counts([v])), unit, format: compact, write: number, counts: counts([v]), xLabel: page.noun + "s",
      lines: [{ ...line(page, v, (r) => r.throughput, (x) => `${number(x)} ${unit}`, "throughput"), label: "", dash: "1 4", model: band(v), extra: extra(s) }],
      top: top(v),
      peak: s.peak_at && s.peak ? { n: s.peak_at, value: s.peak, text: `peak at ${thousands(s.peak_at)}` } : undefined,
    }),
  });
}

/** top makes room for the law where it runs a little above what was measured. */
function top(v: Variant): number {
  const most = Math.max(0, ...rungs(v).map((r) => r.throughput.value ?? 0));
  return Math.min(most * 1.35, Math.max(most, ...(band(v) ?? []).map((p) => p.value)));
}

/** extra are the curves that rest on measured demands. */
function extra(s: Scalability): { label: string; dash: string; points: Band[] }[] {
  return [
    { label: "bound", dash: "5 4", points: curve(s.bounds) ?? [] },
    { label: "network", dash: "2 3", points: curve(s.network) ?? [] },
  ].filter((e) => e.points.length > 0);
}

function parameters(page: Page, able: Variant[]): HTMLElement | null {
  if (able.length === 0) return null;
  const unit = page.analysis.study.unit;
  return table("Fitted parameters: λ throughput of one instance, σ contention, κ coherency (crosstalk)",
    ["<Variant", `λ, ${unit}`, "σ", "κ", "Peak at", `Peak, ${unit}`],
    able.map((v) => {
      const s = v.scalability!;
      const small = (x: number | null) => significant(x, 3);
      return [named(page, v.name), interval(s.lambda!, number), interval(s.sigma!, small), interval(s.kappa!, small),
        s.peak_at ? thousands(s.peak_at) : "–", s.peak ? number(s.peak) : "–"];
    }));
}

/** predictions compare what was foretold with what was measured. */
function predictions(page: Page, able: Variant[]): HTMLElement | null {
  const unit = page.analysis.study.unit;
  const rows = able.flatMap((v) => [
    ...(v.scalability!.errors ?? []).map((e) => prediction(page, v, e, "law")),
    ...(v.scalability!.network_errors ?? []).map((e) => prediction(page, v, e, "network")),
  ]);
  if (rows.length === 0) return null;
  return table("Rungs predicted by a model fitted without them",
    ["<Variant", "<Model", "From rungs up to", capital(page.noun) + "s", `Predicted, ${unit}`, `Measured, ${unit}`, "Error"], rows);
}

function prediction(page: Page, v: Variant, e: Prediction, model: string): Child[] {
  return [
    named(page, v.name), model, e.fitted_to ? thousands(e.fitted_to) : "–", thousands(e.n), number(e.predicted), number(e.measured),
    e.error === null ? "–" : (e.error > 0 ? "+" : "") + percent(e.error),
  ];
}
