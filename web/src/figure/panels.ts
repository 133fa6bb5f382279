// Which time series are drawn together, and how their values are written.

import { capital, compact, percent, plural, seconds, size, unit } from "../read/format.ts";
import type { Profile, Resource, Unit, Variant } from "../read/model.ts";
import { rungs, type Num, type PackedSeries } from "../read/reading.ts";

/** Panel is one small chart of time series that share an axis. */
export interface Panel { title: string; lines: PanelLine[]; write: (v: Num) => string; share: boolean }

export interface PanelLine { label: string; series: PackedSeries }

/** lineColors and dashes tell the lines of a panel apart; they begin again after the last. */
export const lineColors = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--muted"];
export const dashes = [[], [], [6, 3], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2], []];

interface Definition {
  title: string;
  kind: string;
  whole?: boolean; // of operations: only the unit of work
  metrics: Record<string, string>; // metric -> label
  write?: (v: Num) => string;
  share?: boolean; // the axis ends at 100 %
  first?: boolean; // shown at once, not below "more"
}

const plain = (v: Num) => (v === null ? "–" : compact(v));

/** definitions are the known panels, in the words of the workload. */
const definitions = (work: Unit): Definition[] => [
  { title: `${capital(work.plural)} a second`, kind: "operation", whole: true, first: true, write: plain, metrics: { count: "done", rolled_back: "rolled back", errors: "errors" } },
  { title: `Response time of ${work.plural}`, kind: "operation", whole: true, first: true, metrics: { mean: "mean", p50: "p50", p95: "p95", p99: "p99" } },
  { title: "CPU of the machine", kind: "cpu", first: true, share: true, metrics: { utilisation: "busy", user: "user", system: "system", iowait: "waiting for devices", steal: "steal", core_max: "busiest core" } },
  { title: "Devices busy, by the kernel", kind: "device", first: true, share: true, metrics: { utilisation: "busy" } },
  { title: "Device throughput", kind: "device", first: true, metrics: { read_bytes: "read", write_bytes: "write" } },
  { title: "Device response time", kind: "device", first: true, metrics: { read_await: "read", write_await: "write", flush_await: "flush" } },
  { title: "Device requests a second", kind: "device", write: plain, metrics: { reads: "read", writes: "write", flushes: "flush" } },
  { title: "Device queue", kind: "device", write: plain, metrics: { queue: "queue" } },
  { title: "Network", kind: "network", first: true, metrics: { receive_bytes: "received", send_bytes: "sent" } },
  { title: "Network utilisation", kind: "network", share: true, metrics: { utilisation: "utilisation" } },
  { title: "Network errors and drops", kind: "network", write: plain, metrics: { errors: "errors", drops: "drops" } },
  { title: "Storage servers: CPU of the limit", kind: "node", first: true, share: true, metrics: { cpu_utilisation: "CPU" } },
  { title: "Storage servers: CPU", kind: "node", first: true, metrics: { cpu: "CPU" } },
  { title: "Run queue", kind: "machine", write: plain, metrics: { run_queue: "running or ready", blocked: "blocked on a device" } },
  { title: "Memory", kind: "machine", metrics: { memory_used: "used", memory_cached: "page cache", memory_dirty: "dirty", memory_writeback: "being written", swap_used: "swap" } },
  { title: "Pressure: some task waited", kind: "pressure", share: true, metrics: { some: "some" } },
  { title: "Pressure: all tasks waited", kind: "pressure", share: true, metrics: { full: "full" } },
  { title: `${capital(work.plural)} a second by instance`, kind: "instance", first: true, write: plain, metrics: { units: work.plural } },
  { title: "CPU by instance", kind: "instance", metrics: { cpu: "CPU" } },
  { title: "Throttled by the CPU limit", kind: "instance", metrics: { throttled: "throttled" }, write: (v) => (v === null ? "–" : `${compact(v)} s/s`) },
  { title: "Busy in servers, and requests that wait", kind: "gauge", write: plain, metrics: { busy: "busy", capacity: "of", waiting: "waiting" } },
  { title: "Requests a second by the server behind a balancer", kind: "gauge", write: plain, metrics: { requests: "requests" } },
  { title: "Bytes by the server behind a balancer", kind: "gauge", metrics: { bytes: "requests and answers" } },
  { title: "Storage daemons: response time", kind: "daemon", metrics: { read_latency: "read", write_latency: "write", replica_write_latency: "write of a copy", queue_latency: "waiting for a thread" } },
  { title: "Storage daemons: commits", kind: "daemon", metrics: { commit_latency: "transaction", log_commit_latency: "database" } },
  { title: "Storage daemons: requests a second", kind: "daemon", write: plain, metrics: { reads: "read", writes: "write", replica_writes: "write of a copy" } },
  { title: "Storage daemons: requests under way", kind: "daemon", write: plain, metrics: { queue: "requests", scrubs: "scrubs" } },
  { title: "Storage: recovery", kind: "daemon", write: plain, metrics: { recoveries: "objects a second", degraded: "degraded objects", misplaced: "misplaced objects", unclean: "unclean groups" } },
  { title: "Storage: bytes recovered", kind: "daemon", metrics: { recovery_bytes: "recovered" } },
  { title: "Memory by instance", kind: "instance", metrics: { memory: "memory" } },
  { title: "Device reads and writes by instance", kind: "instance", metrics: { read_bytes: "read", write_bytes: "write" } },
  { title: "CPU of the drivers", kind: "driver", metrics: { busy: "busy" } },
  { title: "Driver lateness", kind: "driver", metrics: { late: "at most", late_mean: "on average" } },
  { title: "Users connected", kind: "driver", write: plain, metrics: { users: "users" } },
  { title: `Open loop: ${work.plural} not yet begun`, kind: "driver", write: plain, metrics: { backlog: "backlog" } },
];

/** most is how many lines a panel holds before it is split by metric. */
const most = 6;

/** panels groups a trial's series: those shown at once and the others. Devices
 * go by the names that say what they are. */
export function panels(series: PackedSeries[], profile: Profile, devices = new Map<string, string>()): { first: Panel[]; more: Panel[] } {
  const all = series.map((s) => (s.kind === "device" && s.name ? { ...s, name: devices.get(s.name) ?? s.name } : s));
  const first: Panel[] = [];
  const more: Panel[] = [];
  const used = new Set<PackedSeries>();
  for (const d of definitions(profile.unit)) {
    const matching = all.filter((s) => s.kind === d.kind && s.metric in d.metrics && (!d.whole || s.name === profile.operations?.[0]));
    matching.forEach((s) => used.add(s));
    (d.first ? first : more).push(...split(d, matching.filter(hasValues)));
  }
  for (const s of all) {
    if (used.has(s) || !hasValues(s)) continue;
    const rest = all.filter((o) => o.kind === s.kind && o.metric === s.metric && !used.has(o));
    rest.forEach((o) => used.add(o));
    if (s.kind === "operation" && operationMetrics.has(s.metric)) {
      more.push(...split({ title: `${operationMetrics.get(s.metric)} by operation`, kind: s.kind, metrics: { [s.metric]: "" }, write: s.unit === "s" ? seconds : plain }, rest));
      continue;
    }
    more.push(...split({ title: `${s.kind}: ${s.metric.replaceAll("_", " ")}`, kind: s.kind, metrics: { [s.metric]: "" } }, rest));
  }
  return { first, more };
}

const operationMetrics = new Map([["count", "Done a second"], ["errors", "Errors"], ["rolled_back", "Rolled back"], ["mean", "Mean response time"], ["p50", "Median response time"], ["p95", "95th percentile"], ["p99", "99th percentile"]]);

/** hasValues leaves out series that are nothing but zero or unknown, except
 * for throughput: no work is an answer. */
function hasValues(s: PackedSeries): boolean {
  return s.mean.some((v) => v !== null && v !== 0) || (s.kind === "operation" && s.metric === "count");
}

/** split makes one panel, or one for each metric when there are many lines. */
function split(d: Definition, matching: PackedSeries[]): Panel[] {
  if (matching.length === 0) return [];
  const listed = Object.keys(d.metrics);
  matching = [...matching].sort((a, b) => (a.name ?? "").localeCompare(b.name ?? "", "en", { numeric: true }) || listed.indexOf(a.metric) - listed.indexOf(b.metric));
  const metrics = listed.filter((m) => matching.some((s) => s.metric === m));
  if (matching.length <= most || metrics.length === 1) return [panel(d, d.title, matching, Object.keys(d.metrics).length > 1)];
  return metrics.map((m) => panel(d, `${d.title}, ${d.metrics[m]}`, matching.filter((s) => s.metric === m), false));
}

function panel(d: Definition, title: string, matching: PackedSeries[], byMetric: boolean): Panel {
  const names = new Set(matching.map((s) => s.name ?? ""));
  const write = d.write ?? (d.share ? percent : (v: Num) => writer(matching[0]!.unit)(v));
  return {
    title, write, share: d.share ?? false,
    lines: matching.map((series) => ({ series, label: lineLabel(d, series, byMetric, names.size > 1) })),
  };
}

function lineLabel(d: Definition, s: PackedSeries, byMetric: boolean, byName: boolean): string {
  const parts = [];
  if ((s.of ?? 1) > 1) parts.push(`mean of ${plural(s.of!, things[s.kind] ?? "thing")}`);
  else if (s.name && (byName || !byMetric) && !d.whole) parts.push(s.name);
  if (byMetric || parts.length === 0) parts.push(d.metrics[s.metric] || s.metric.replaceAll("_", " "));
  return parts.join(" ");
}

const things: Record<string, string> = { instance: "instance", device: "device", driver: "driver", network: "interface", node: "server", cpu: "machine", machine: "machine", pressure: "machine" };

function writer(of: string): (v: Num) => string {
  return of === "B" ? (v) => (v === 0 ? "0" : size(v)) : (v) => unit(v, of);
}

/** deviceNames tells the devices of the storage, by what the resources of a
 * variant call them, from the machine's disks on which they lie. */
export function deviceNames(variant: Variant | undefined, disks: string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const r of (variant ? rungs(variant) : []).flatMap((rung): Resource[] => rung.resources ?? [])) {
    if (r.device) names.set(r.device, r.name.replace(/^disk /, ""));
  }
  if (names.size > 0) for (const disk of disks) if (!names.has(disk)) names.set(disk, `${disk}, disk of the machine below`);
  return names;
}
