// What a chart of values against counts shows, and the same as a table.

import type { Scale } from "./axes.ts";
import type { Numbers } from "./export.ts";
import type { ReferenceLine } from "./referenceline.ts";
import type { Interval } from "../read/model.ts";
import { bounded } from "../read/reading.ts";
import type { Symbol } from "./palette.ts";
import type { RungFault } from "./rungfaults.ts";

/** Dot is one measured rung. */
export interface Dot { n: number; value: number; low: number; high: number; kept: boolean; title: string }

/** Band is one point of a model's curve with its band. */
export interface Band { n: number; value: number; low: number; high: number }

/** Line is one line of the chart. */
export interface Line {
  key: string; label: string; color: string; dash: string; symbol: Symbol;
  variant?: string; // whose trials the dots are of
  dots: Dot[];
  failed?: number[]; // rungs without a value
  model?: Band[];
  extra?: { label: string; dash: string; points: { n: number; value: number }[] }[]; // other curves
  references?: ReferenceLine[]; // what others measured in its place
  faint?: boolean; // context only: no label, no dots
}

/** Mark is a load line: where it lies and how sure that is. */
export interface Mark {
  key: string; color: string; count: number; low: number; high: number; open: boolean; text: string;
}

/** Chart says what to draw. */
export interface Chart {
  label: string; description: string; // for screen readers
  width: number; height: number;
  scale: Scale; // of the values
  zero?: boolean;
  top?: number; // the largest value that must be seen
  unit: string; // the unit of the values, for exports
  format: (v: number) => string; // ticks
  write?: (v: number) => string; // a value by itself, unless as the ticks
  lines: Line[];
  marks?: Mark[];
  faults?: RungFault[];
  limit?: { value: number; text: string };
  linear?: { perInstance: number; text: string };
  peak?: { n: number; value: number; text: string };
  counts: number[]; // the rungs
  bands?: number; // opacity of the bands
  xLabel: string;
  xScale?: Scale; // what suits the counts, unless told
  xFormat?: (n: number) => string; // ticks
}

/** chartNumbers are the values of a chart: a row per line and count, then rows of models
 * and other curves. If there are reference lines, columns compare our values with them. */
export function chartNumbers(c: Chart): Numbers {
  const lines = c.lines.flatMap((line) => {
    const name = line.label || line.key;
    return [
      ...line.dots.map((d) => [name, "measured", d.n, d.value, d.low, d.high, c.unit, d.kept ? "yes" : "no"]),
      ...(line.failed ?? []).map((n) => [name, "failed", n, null, null, null, c.unit, ""]),
      ...(line.model ?? []).map((p) => [name, "model", p.n, p.value, p.low, p.high, c.unit, ""]),
      ...(line.extra ?? []).flatMap((e) => e.points.map((p) => [name, e.label, p.n, p.value, null, null, c.unit, ""])),
      ...(line.references ?? []).flatMap((g) => g.dots.map((d) => [name, g.kind, d.n, d.value, d.low, d.high, c.unit, "", d.change?.value, ...spanOf(d.change), d.verdict])),
    ];
  });
  const held = c.lines.some((line) => line.references?.length) ? ["this run over it less 1", "change low", "change high", "verdict"] : [];
  const heads = ["series", "kind", c.xLabel, "value", "low", "high", "unit", "objectives kept", ...held];
  return { heads, rows: lines.map((row) => heads.map((_, i) => row[i])) };
}

function spanOf(change: Interval | undefined): (number | null)[] {
  return change && bounded(change) ? [change.low, change.high] : [null, null];
}
