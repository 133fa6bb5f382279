// The page of a comparison: B held against A, as a figure of changes with their
// intervals and a table of every difference.

import * as Plot from "@observablehq/plot";
import { h, svg } from "../chart/dom.ts";
import { numbered } from "../chart/export.ts";
import { figure, pick, section, table } from "../figure/figure.ts";
import { capital, interval, number, percent, seconds, sentence, signed, significant, thousands } from "../read/format.ts";
import { fit, textWidth } from "../chart/measure.ts";
import type { Comparison, Difference, Likeness, Group } from "../read/model.ts";
import { bounded, type Num } from "../read/reading.ts";
import type { Redraws } from "../figure/page.ts";
import { warningList } from "../figure/trust.ts";
import { drawing } from "../chart/points.ts";

const verdicts: Record<string, { color: string; symbol: "circle" | "triangle" | "square" | "times"; text: string }> = {
  better: { color: "var(--good)", symbol: "triangle", text: "better" },
  worse: { color: "var(--bad)", symbol: "square", text: "worse" },
  "no difference shown": { color: "var(--muted)", symbol: "circle", text: "no difference shown" },
  inconclusive: { color: "var(--muted)", symbol: "times", text: "inconclusive" },
  "too few repetitions": { color: "var(--faint)", symbol: "times", text: "too few repetitions" },
};

/** comparisonPage lists the parts of the page. */
export function comparisonPage(page: Redraws, c: Comparison, warnings: Group[]): Element[] {
  const all = c.differences ?? [];
  return [
    h("header", { class: "title" }, h("div", {},
      h("h1", {}, `${c.b} against ${c.a}`),
      h("p", { class: `compared ${verdictClass(c.verdict)}` }, h("b", {}, capital(c.verdict)), ". ", sentence(c.text)))),
    ...conditions("failed", "Conditions that hold", c.failed),
    ...conditions("passed", "Conditions that pass", c.passed),
    ...conditions("undecided", "Undecided conditions", c.undecided),
    sides(c),
    ...(c.shape?.length ? [shape(c, c.shape)] : all.length ? [changes(page, c, all), everything(c, all)] : [h("p", { class: "note" }, "There is nothing to compare.")]),
    ...(warnings.length ? [section("trust", "Warnings", warningList(warnings))] : []),
    ...c.shape?.length ? [] : [section("method", "Method", h("p", {},
      `A change is the ratio of the geometric means of the repetitions less 1 (of error shares, their difference); its bar is the interval of Student’s t at 95 %, `,
      `with the noise of each side estimated from all of its own rungs. The verdict rests on throughput and response time over all rungs; its tests share one level, ${percent(c.alpha)}, and so do all other differences. `,
      `“No difference shown” does not mean that there is none.`))],
  ];
}

function verdictClass(verdict: string): string {
  return verdict === "better" ? "kept" : verdict === "worse" ? "broken" : "";
}

function conditions(id: string, title: string, list: string[] | null | undefined): Element[] {
  if (!list?.length) return [];
  return [section(id, title, h("ul", {}, list.map((text) => h("li", { class: id === "failed" ? "broken" : "" }, text))))];
}

/** sides shows the grades and what differs between the studies. */
function sides(c: Comparison): HTMLElement {
  return section("sides", "What is compared",
    h("p", {}, `Grades: ${c.grade_a || "none"} for A (${c.a}), ${c.grade_b || "none"} for B (${c.b}).`),
    c.differs?.length ? h("ul", {}, c.differs.map((text) => h("li", {}, text))) : h("p", {}, "No setting differs."),
    ...(c.apart ?? []).map((text) => h("p", { class: "note" }, sentence(text))));
}

/** shape is the table that compares a run with a published result. */
function shape(c: Comparison, list: Likeness[]): HTMLElement {
  const times = (v: Num | undefined) => v ? significant(v, 3) : "–";
  const rows = list.map((l) => [l.variant_a, l.variant_b, l.at, l.to.replaceAll("`", ""), times(l.a), times(l.b), signed(l.off), times(l.response_a), times(l.response_b)]);
  return section("shape", "Shapes",
    h("p", {}, "Throughput, and mean response time, over that of another rung or variant of the same side."),
    table("Ratios of both sides", ["<Variant of A", "<Variant of B", "<At", "<Over", `A: ${c.a}`, `B: ${c.b}`, "B over A", "Time, A", "Time, B"], rows));
}

/** what a difference is of: the metric, and the operation where it is a part of the unit of work. */
function what(c: Comparison, d: Difference): string {
  return d.operation && d.operation !== c.work?.operations?.[0] ? `${d.operation} ${d.metric}` : d.metric;
}

/** changes is the figure: a row per variant and rung, for one metric. */
function changes(page: Redraws, c: Comparison, all: Difference[]): HTMLElement {
  const names = [...new Set(all.map((d) => what(c, d)))];
  let current = names[0]!;
  const chosen = (name: string) => { current = name; page.redraw(); };
  const options = names.map((value) => ({ value, text: value }));
  return section("changes", "Changes",
    figure(page, {
      id: "change", title: "Change from A to B, with its interval",
      note: "Triangles are better, squares worse; grey circles show no difference.",
      controls: [pick("Metric", options, current, chosen)],
      draw: (width) => drawChanges(c, all.filter((d) => what(c, d) === current), width),
    }));
}

interface Row extends Difference { row: string }

function drawChanges(c: Comparison, list: Difference[], width: number): Element {
  const rows: Row[] = list.filter((d) => d.change.value !== null).map((d) => ({ ...d, row: [d.variant, `${thousands(d.instances)} ${c.noun}${d.instances === 1 ? "" : "s"}`].filter(Boolean).join(", ") }));
  if (rows.length === 0) return h("p", { class: "note" }, "Nothing to draw: no change could be computed.");
  const left = Math.min(width * 0.4, Math.max(...rows.map((r) => textWidth(r.row, 12.5)))) + 14;
  const reach = Math.max(0.01, ...rows.flatMap((r) => [r.change.value, r.change.low, r.change.high].map((v) => Math.abs(v ?? 0)))) * 1.1;
  const height = rows.length * 28 + 46;
  const plot = Plot.plot({
    width, height, marginLeft: left, marginRight: 60, marginTop: 8, marginBottom: 36,
    ariaLabel: "Change from A to B", ariaDescription: rows.map((r) => `${r.row}: ${signed(r.change.value)}, ${r.verdict}.`).join(" "),
    style: { fontSize: "12px", fontFamily: "inherit", background: "none", overflow: "visible" },
    x: { domain: [-reach, reach], label: null }, y: { type: "point", domain: rows.map((r) => r.row), label: null, padding: 0.6 },
    marks: [
      Plot.gridX({ ticks: Math.max(3, width / 130), stroke: "var(--rule)", strokeOpacity: 1 }),
      Plot.axisX({ ticks: Math.max(3, width / 130), text: (v: number) => signed(v), tickSize: 0, fill: "var(--muted)" }),
      Plot.axisY({ text: (d: string) => fit(d, left - 14, 12.5), tickSize: 0, fill: "var(--ink)", fontSize: 12.5 }),
      Plot.ruleX([0], { stroke: "var(--ink)" }),
      ...rows.flatMap((r) => {
        const look = verdicts[r.verdict] ?? verdicts["no difference shown"]!;
        return [
          bounded(r.change) ? Plot.ruleY([r], { y: "row", x1: () => r.change.low, x2: () => r.change.high, stroke: look.color, strokeWidth: 2.5, strokeOpacity: 0.65 }) : null,
          Plot.dot([r], { y: "row", x: () => r.change.value, symbol: look.symbol, r: 5, fill: look.color, stroke: look.color }),
          Plot.text([r], { y: "row", x: () => r.change.high ?? r.change.value, text: () => signed(r.change.value), dx: 9, textAnchor: "start", fill: look.color, fontWeight: 600, stroke: "var(--page)", strokeWidth: 4 }),
        ];
      }),
    ],
  });
  plot.append(svg("text", { x: width - 60, y: height - 4, "text-anchor": "end", class: "axis-label" }, "B against A"));
  return numbered(drawing(plot), () => ({
    heads: ["variant", `${c.noun}s`, "what", "change, share", "low", "high", "verdict"],
    rows: rows.map((r) => [r.variant, r.instances, what(c, r), r.change.value, r.change.low, r.change.high, r.verdict]),
  }));
}

/** everything is the table of all differences. */
function everything(c: Comparison, all: Difference[]): HTMLElement {
  const rows = all.map((d) => {
    const write = writer(d.metric);
    return [d.variant || "–", thousands(d.instances), what(c, d), interval(d.a, write), interval(d.b, write), signed(d.change.value),
      bounded(d.change) ? `${signed(d.change.low)} to ${signed(d.change.high)}` : "–", d.p === null ? "–" : d.p < 0.001 ? "<0.001" : d.p.toFixed(3), `${d.n_a} + ${d.n_b}`,
      h("span", { class: verdictClass(d.verdict) }, d.verdict)];
  });
  return section("differences", "All differences",
    table("Every metric of every rung", ["<Variant", capital(c.noun) + "s", "<What", `A: ${c.a}`, `B: ${c.b}`, "Change", "Interval", "p", "Repetitions", "<Verdict"], rows));
}

function writer(metric: string): (v: Num) => string {
  if (metric === "throughput") return number;
  return metric === "errors" ? percent : seconds;
}
