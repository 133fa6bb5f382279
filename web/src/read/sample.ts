// Values for tests: what a report has, in the fewest words.

import type { Profile, Resource, TrialInfo, Variant } from "./model.ts";

/** silent is the profile of a workload that says nothing of itself. */
const silent: Profile = { workload: "", unit: { name: "", plural: "", throughput: "", seconds: 60 }, operations: null };

/** variant has a rung for each list of resources: of 1, 2, 4 … instances. */
export function variant(name: string, factors: Record<string, string>, resources: Resource[][] = []): Variant {
  const interval = { value: 1, low: 1, high: 1 };
  return {
    name, label: name, factors, media: "", simulated: false, work: silent, description: "",
    load_line: { rung: 0, count: interval, open: false, unstable: false, text: "", bracket: { text: "" } },
    rungs: resources.map((r, i) => ({
      instances: 2 ** i, repetitions: 1, failed: 0, trials: null, throughput: interval, rolled_back: 0, errors: 0, mean: interval, p95: interval,
      percentile: null, efficiency: 1, objectives: null, kept: true, resources: r,
    })),
  };
}

const start = "2026-03-01T10:00:00Z";

/** happened is a trial with events at seconds, given as fault, from, to. */
export function happened(...events: [string, number, number?][]): TrialInfo {
  const at = (s: number) => new Date(Date.parse(start) + s * 1000).toISOString();
  return { start, events: events.map(([fault, from, to]) => ({ at: at(from), text: fault ? "fault: " + fault : "something", ...(fault ? { fault } : {}), ...(to === undefined ? {} : { until: at(to) }) })) } as unknown as TrialInfo;
}
