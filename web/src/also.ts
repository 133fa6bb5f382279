// Other ways in which work is counted, besides the throughput that verdicts rest on:
// of fixed work the whole run, the throughput without optional operations, that of the
// drivers by themselves, and the payload of work that is counted in something else.

import { inWords } from "./format.ts";
import type { Interval, Rung, TrialInfo } from "./model.ts";
import { rungs, type Num } from "./reading.ts";
import type { Page } from "./page.ts";

export interface Also { head: string; rung: (r: Rung) => Interval | undefined; trial: (t: TrialInfo) => Num }

/** also are those of the page. */
export function also(page: Page): Also[] {
  const all: Also[] = [
    { head: "Stonewalled", rung: (r) => r.stonewalled, trial: (t) => t.stonewalled ?? null },
    { head: `Without ${(page.profile.optional ?? []).join(", ")}`, rung: (r) => r.without, trial: (t) => t.without ?? null },
    { head: "Driver alone", rung: (r) => r.ceiling?.throughput, trial: (t) => t.ceiling ?? null },
    { head: "MB/s", rung: (r) => r.payload, trial: (t) => t.payload ?? null },
  ];
  return all.filter((a) => page.variants.some((v) => rungs(v).some(a.rung)));
}

/** alsoNote says what the throughput of the page includes. */
export function alsoNote(page: Page): string {
  const { fixed, optional } = page.profile;
  return (fixed ? ` Until the last ${page.profile.user ?? "user"} finished; stonewalled is until the first did.` : "") +
    (optional?.length ? ` With ${inWords(optional)}.` : "");
}
