// Other ways in which work is counted, besides the throughput that verdicts rest on:
// of fixed work the whole run, the throughput without optional operations, the payload of
// work that is counted in something else, and what the drivers did by themselves, with the
// cores that they used then and with the store.

import { inWords } from "../read/format.ts";
import type { Ceiling, Interval, Rung, TrialInfo } from "../read/model.ts";
import { rungs, type Num } from "../read/reading.ts";
import type { Page } from "./page.ts";

export interface Also { head: string; rung: (r: Rung) => Interval | undefined; trial: (t: TrialInfo) => Num }

/** also are the page's additional figures. */
export function also(page: Page): Also[] {
  const all: Also[] = [
    { head: "Stonewalled", rung: (r) => r.stonewalled, trial: (t) => t.stonewalled ?? null },
    { head: `Without ${(page.profile.optional ?? []).join(", ")}`, rung: (r) => r.without, trial: (t) => t.without ?? null },
    { head: "MB/s", rung: (r) => r.payload, trial: (t) => t.payload ?? null },
    ofDrivers("Driver alone", (c) => c.throughput.value),
    ofDrivers("Alone MB/s", (c) => c.payload),
    ofDrivers("Alone cores", (c) => c.cpu),
    ofDrivers("Driver cores", (c) => c.used),
  ];
  return all.filter((a) => page.variants.some((v) => rungs(v).some(a.rung)));
}

/** ofDrivers is a figure of the drivers' ceiling, or a related one. */
function ofDrivers(head: string, figure: (c: Ceiling) => Num | undefined): Also {
  const of = (c?: Ceiling): Num => (c && figure(c)) ?? null;
  return {
    head, trial: (t) => of(t.ceiling),
    rung: (r) => of(r.ceiling) === null ? undefined : { value: of(r.ceiling), low: null, high: null },
  };
}

/** alsoNote says what the throughput of the page includes. */
export function alsoNote(page: Page): string {
  const { fixed, optional } = page.profile;
  return (fixed ? ` Until the last ${page.profile.user ?? "user"} finished; stonewalled is until the first did.` : "") +
    (optional?.length ? ` With ${inWords(optional)}.` : "");
}
