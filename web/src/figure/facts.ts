// Facts about the run that several parts of the page state.

import { plural, span } from "../read/format.ts";
import type { Page } from "./page.ts";

/** day is the date of a time. */
export function day(text: string | undefined): string {
  return text ? text.slice(0, 10) : "";
}

/** duration is how long the run took, "" where that is not known. */
export function duration(page: Page): string {
  const { started, ended } = page.analysis.run;
  const ms = started && ended ? Date.parse(ended) - Date.parse(started) : 0;
  return ms > 0 ? span(ms) : "";
}

/** trialCount is how many trials there are, "" for none. */
export function trialCount(page: Page): string {
  const n = page.trials.size;
  return n > 0 ? plural(n, "trial") : "";
}
