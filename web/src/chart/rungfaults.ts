// The rungs whose trials had faults: named marks in a lane above a chart.

import { svg } from "./dom.ts";
import { plural } from "../read/format.ts";
import { icons } from "./marks.ts";
import type { Rung, Variant } from "../read/model.ts";
import { rungs } from "../read/reading.ts";
import type { Point } from "./points.ts";

/** RungFault is a rung whose trials had faults, in words. */
export interface RungFault { n: number; text: string }

/** rungFaults are the faults of some variants, a mark for each count. */
export function rungFaults(variants: Variant[], noun: string): RungFault[] {
  const all = variants.flatMap(rungs).filter((r) => r.faults?.length);
  return [...new Set(all.map((r) => r.instances))].sort((a, b) => a - b).map((n) => ({
    n, text: `${plural(n, noun)}\n${faultsOf(all.filter((r) => r.instances === n)).map((names) => "faults: " + names).join("\n")}`,
  }));
}

/** faultsOf names the faults of rungs, each sequence once. */
export function faultsOf(all: Rung[]): string[] {
  return [...new Set(all.map((r) => (r.faults ?? []).join(", ")))].filter((names) => names !== "");
}

/** faultsNote says under a figure's title which faults there were. */
export function faultsNote(variants: Variant[]): string {
  const all = faultsOf(variants.flatMap(rungs));
  const names = all.filter((one) => !all.some((other) => other.startsWith(one + ", "))); // those that ended early
  return names.length ? ` With faults in the measured phase: ${names.join("; ")}.` : "";
}

/** faultLane draws the marks at a height, with its name at the left. */
export function faultLane(faults: RungFault[], x: (n: number) => number, left: number, y: number): SVGElement {
  return svg("g", { class: "fault-lane" },
    svg("text", { x: left - 12, y: y + 4, "text-anchor": "end", class: "axis-label" }, "faults"),
    faults.map((f) => flash(x(f.n), y)));
}

/** flash is the mark of a rung with faults. */
export function flash(x: number, y: number): SVGElement {
  return svg("path", { class: "flash", d: icons.fault, transform: `translate(${x} ${y}) scale(1.3)`, fill: "var(--bad)" });
}

/** faultPoints are where the marks can be pointed at. */
export function faultPoints(faults: RungFault[], x: (n: number) => number, y: number): Point[] {
  return faults.map((f) => ({ x: x(f.n), y, n: f.n, key: "faults", title: f.text }));
}
