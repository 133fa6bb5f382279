// Reads the report's data: the page's other contents, and lookups that several places
// share. The types of the data are in model.ts.
import type { Comparison, Document, Factor, Interval, Level, LoadLine, Rung, Section, Variant } from "./model.ts";

/** Num is a number, or null where it could not be computed. */
export type Num = number | null;

/** Report is what the page of a run shows. */
export type Report = Pick<Document, "analysis" | "decision" | "sections" | "grades" | "warnings">;

/** PageData is the JSON in the page. */
export interface PageData extends Partial<Report> {
  schema: number; comparison?: Comparison;
  // Pages that a server gives: what they show is asked for later.
  live?: { run: string; study: string; report: string }; history?: { dir: string }; login?: boolean; failure?: string;
}

/** Packed is what the page unpacks after the first screen. */
export interface Packed {
  tables: Record<string, string>;
  sections: Record<string, Section>;
  buckets: number;
  left: string[];
  notices: string; // licences of the libraries in the page
  trials: PackedTrial[];
}

export interface PackedTrial { id: string; begin: number; step: number; series: PackedSeries[] | null; problem?: string }

export interface PackedSeries {
  kind: string; name?: string; metric: string; unit: string; of?: number; mean: Num[]; min?: Num[]; max?: Num[];
}

/** measured says that at least one trial of the rung passed. */
export function measured(rung: Rung): boolean {
  return rung.repetitions > 0 || rung.failed === 0;
}

/** bounded says that the interval, or the range, is more than its value. */
export function bounded(i: Interval): i is Interval & { value: number; low: number; high: number } {
  return (!!i.confidence || !!i.range) && i.value !== null && i.low !== null && i.high !== null && i.high > i.low;
}

/** lineBounds are the counts between which a load line lies; high is null if it has no upper bound. */
export function lineBounds({ open, bracket }: LoadLine): { low: number; high: Num } {
  return { low: bracket.low ?? 0, high: open ? null : bracket.high ?? bracket.low ?? 0 };
}

/** rungs lists a variant's rungs. */
export function rungs(variant: Variant): Rung[] {
  return variant.rungs ?? [];
}

/** levelsOf lists a factor's levels. */
export function levelsOf(factor: Factor): Level[] {
  return factor.levels ?? [];
}

/** statistic reads a rung's statistic of the unit of work: mean, p50, ... */
export function statistic(rung: Rung, name: string): Interval {
  if (name === "mean") return positive(rung.mean);
  if (name === "p95" && rung.p95.value) return rung.p95;
  const value = rung.percentile?.[name] ?? null;
  return positive({ value, low: value, high: value });
}

/** positive takes a time of zero for "not measured". */
function positive(i: Interval): Interval {
  return i.value ? i : { value: null, low: null, high: null };
}
