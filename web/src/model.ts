// The data in the page: the Go package analysis writes it, field by field as
// here. Numbers that could not be computed are null.

export type Num = number | null;

export interface Interval { value: Num; low: Num; high: Num; confidence?: number }

export interface Objective { operation?: string; metric: string; limit: number; text: string }

export interface Analysis {
  study: {
    name: string; title: string; question: string; source?: string; profile?: string; reduced: boolean; set?: string[];
    workload: string; work?: Profile; dataset?: string; unit: string; noun?: string; objectives: Objective[] | null;
  };
  run: {
    id: string; started?: string; ended?: string; plimsoll?: string; reference?: string; simulated: boolean;
  };
  machine?: Machine;
  machines?: Host[];
  factors?: Factor[];
  variants: Variant[] | null;
  pairs?: Pair[];
  ranking?: string[];
  headline?: string;
  verdict: { variant: string; text: string }[] | null;
  answers?: { question: string; text: string; figure?: string }[];
  findings: Finding[] | null;
  warnings: Warning[] | null;
  grade: string;
  grade_reason?: string;
  prices?: Prices;
  beside?: Beside;
  against?: Against[];
  method: string[] | null;
  settings?: Setting[];
  trials: Trial[] | null;
}

/** Factor is an axis of the study's matrix; its levels have values where all are numbers. */
export interface Factor { path: string; name: string; unit?: string; levels: Level[] }

export interface Level { level: string; label: string; value?: number }

/** Pair holds two levels of one factor against each other at the largest common rung. */
export interface Pair { factor: string; from: string; to: string; shared?: string; at: number; ratio: Interval }

export interface Finding {
  id: string; kind: string; variant?: string; rung?: number; text: string;
  numbers?: Record<string, Num>; trials?: string[]; next?: string; fragment?: string;
}

/** Beside holds our results against published ones, each relative to one instance of its own. */
export interface Beside { name: string; source: string; curves?: Relative[]; text?: string[]; claims?: string[] }

export interface Relative { variant: string; label: string; published: boolean; points: RelativePoint[] }

export interface RelativePoint { instances: number; throughput: Num; response: Num }

/** Against is another run, or published results, that this run is held against. Those
 * in shape are multiplied so that they are ours at the base of each ghost. */
export interface Against {
  name: string; called: string; label: string; source?: string; in_shape: boolean; verdict: string; text: string; grade?: string;
  ghosts: GhostVariant[]; differs?: string[]; apart?: string[]; warnings?: Warning[];
}

/** GhostVariant is the counterpart of one of our variants. */
export interface GhostVariant { variant: string; other: string; brief?: string; base?: number; rungs: GhostRung[] }

/** GhostRung has how many it were there, too, where the two ladders have nothing in
 * common: then it stands where it is as many times the first. */
export interface GhostRung { instances: number; theirs?: number; metrics: Record<string, Held> }

/** Held is a figure of theirs, and what ours is beside it. */
export interface Held { theirs: Interval; change?: Interval; verdict?: string }

/** Setting has a value where all variants have the same, or one for each of them. */
export interface Setting { name: string; value?: string; values?: { value: string; for?: string }[] }

export interface Warning { trial?: string; kind: string; severity: string; text: string }

/** Profile is what the workload says of itself; its first operation is the unit of work. */
export interface Profile { workload: string; unit: Unit; operations: string[] | null; user?: string; fixed?: boolean; optional?: string[]; correctness?: string }

/** Unit is what the workload counts: order, orders. */
export interface Unit { name: string; plural: string; throughput: string; seconds: number; bytes?: boolean }

export interface Variant {
  name: string; label: string; factors: Record<string, string> | null; media: string; simulated: boolean; work?: Profile;
  description: string; rungs: Rung[] | null; load_line: LoadLine; scalability?: Scalability; best?: Best;
  topology?: { parts: Part[] | null; limit?: string };
}

/** Part is one thing that the work passes on its way to the media, or a machine
 * that it runs on; limit names its resource that is the bottleneck. */
export interface Part {
  stage: "driver" | "role" | "storage" | "media" | "machine"; name: string; text?: string; simulated?: boolean; limit?: string;
}

/** Best is a variant's highest throughput within the objectives, or of all, over what it uses. */
export interface Best {
  rung: number; kept: boolean; throughput: Interval; drives?: number; cores?: number;
  per_drive?: number; per_money?: number; per_core?: number;
  rated?: number; baseline?: { run: string; variant: string; throughput: number; unit: string; share: number };
}

export interface Rung {
  instances: number; repetitions: number; failed: number; trials: string[] | null; faults?: string[];
  throughput: Interval; whole_run?: Interval; without?: Interval; payload?: Interval; rolled_back: Num; errors: Num; mean: Interval; p95: Interval;
  percentile: Record<string, Num> | null; operations?: Record<string, Operation>; efficiency: Num;
  objectives: { text: string; value: Num; limit: Num; kept: boolean; unknown?: boolean }[] | null;
  kept: boolean; resources?: Resource[]; sides?: Side[]; bottleneck?: string;
  fairness?: { jain: Num; instances: Num[] | null }; grade?: string; breaks?: string;
}

/** Side is what the machines on one side of the storage did: servers, clients, machine. */
export interface Side { side: string; values: Record<string, number> }

export interface Operation { per_minute: Num; mean: Num; percentile: Record<string, Num> | null; corrected?: Record<string, Num>; errors: number }

export interface Resource { name: string; kind: string; machine?: string; utilisation: Num; demand: Num; queue?: Num; servers?: Num; other?: Num; await?: Num; assumed?: string; uncertain?: boolean; evidence?: string }

export interface LoadLine {
  rung: number; next?: number; count: Interval; open: boolean; unstable: boolean; broken?: string; text: string;
}

export interface Point { n: number; value: Num; low: Num; high: Num }

export interface Scalability {
  holds: boolean; doubt?: string; // the parameters are missing where the law does not hold
  lambda?: Interval; sigma?: Interval; kappa?: Interval; peak_at: Num; peak: Num;
  model: Point[] | null; bounds?: Point[]; beaten?: string;
  network?: Point[]; response?: Point[]; demands_from?: number;
  errors?: Prediction[]; network_errors?: Prediction[]; text: string;
}

export interface Prediction { n: number; fitted_to?: number; predicted: Num; measured: Num; error: Num }

export interface Prices {
  currency: string; years: number; text: string[] | null; note?: string;
  variants: {
    variant: string; total: Num; throughput: Num; at: number; per_unit: Num; per_instance: Num; on_front: boolean;
    per_drive?: Num; per_terabyte?: Num;
    lines: { name: string; quantity: Num; price: Num; total: Num }[] | null;
  }[] | null;
}

export interface Trial {
  id: string; position: number; variant: string; rung: number; repetition: number; status: string; cause?: string;
  grade: string; throughput: Num; whole_run?: Num; without?: Num; payload?: Num; mean: Num; p95: Num; p99: Num; audit?: string; start?: string;
  warmup_end: Num; end: Num; events?: Happened[]; notes?: string[];
}

/** Happened is an event. A fault has its name, whether it undoes an earlier one,
 * and until when it had an effect. */
export interface Happened { at: string; text: string; fault?: string; repairs?: boolean; until?: string }

/** Host is a machine that trials ran on, other than the campaign's own. */
export interface Host { name: string; roles: string[] | null; cores?: number; memory?: number; simulated?: boolean }

export interface Machine {
  hostname?: string; os: string; kernel: string; arch: string; cpu_model: string; cores: number; memory_bytes: number;
  virtual?: string; cgroup: string; root: boolean;
  disks: { name: string; model?: string; bytes: number; rotational: boolean; scheduler?: string }[] | null;
  file_systems: { mount: string; type: string; options: string; bytes: number; free: number }[] | null;
  programs: Record<string, string> | null; clock_source?: string; governor?: string; plimsoll: string;
  system_limits?: Record<string, string>;
}

/** Packed is what the page unpacks after the first screen. */
export interface Packed {
  tables: Record<string, string>;
  buckets: number;
  left: string[];
  notices: string; // licences of the libraries in the page
  trials: PackedTrial[];
}

export interface PackedTrial { id: string; begin: number; step: number; series: PackedSeries[] | null; problem?: string }

export interface PackedSeries {
  kind: string; name?: string; metric: string; unit: string; of?: number; mean: Num[]; min?: Num[]; max?: Num[];
}

/** Document is the JSON in the page. */
export interface Document {
  schema: number; analysis?: Analysis; comparison?: Comparison;
  // Pages that a server gives: what they show is asked for later.
  live?: { run: string; study: string; report: string }; history?: { dir: string }; login?: boolean; failure?: string;
}

export interface Comparison {
  a: string; b: string; work?: Profile; noun: string; alpha: number; verdict: string; text: string;
  shape?: Likeness[];
  grade_a?: string; grade_b?: string; differs?: string[] | null;
  differences: Difference[] | null; failed: string[] | null; passed?: string[] | null; undecided?: string[] | null; apart?: string[] | null; warnings: Warning[] | null;
}

/** Likeness is a figure of each side over another of the same side. */
export interface Likeness {
  variant_a: string; variant_b: string; at: string; to: string; a: Num; b: Num; off: Num; response_a?: Num; response_b?: Num;
}

export interface Difference {
  variant?: string; instances: number; operation?: string; metric: string; a: Interval; b: Interval; change: Interval;
  p: Num; n_a: number; n_b: number; verdict: string;
}

/** measured says that at least one trial of the rung passed. */
export function measured(rung: Rung): boolean {
  return rung.repetitions > 0 || rung.failed === 0;
}

/** bounded says that the interval is more than its value. */
export function bounded(i: Interval): i is { value: number; low: number; high: number; confidence: number } {
  return !!i.confidence && i.value !== null && i.low !== null && i.high !== null && i.high > i.low;
}

/** lineBounds are the counts between which a load line lies: its interval or,
 * where nothing was repeated, the measured rungs beside it. High is null where
 * nothing bounds the line from above. */
export function lineBounds(line: LoadLine): { low: number; high: Num } {
  if (line.count.confidence) return { low: line.count.low ?? 0, high: line.count.high };
  return { low: line.rung, high: line.open || !line.next ? null : line.next - 1 };
}

/** rungs lists a variant's rungs. */
export function rungs(variant: Variant): Rung[] {
  return variant.rungs ?? [];
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
