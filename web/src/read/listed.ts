// A run in the list of a directory's runs, and how it is named there.

import type { LoadLine } from "./model.ts";

/** Listed is a run in the list; its summary comes later. */
export interface Listed {
  name: string; study: string; profile: string; started: string; done: number; planned: number; state: string; damaged: boolean; running: boolean;
  summary?: Summary | undefined;
}

export interface Summary {
  title: string; plimsoll: string; noun: string; grade: string; simulated: boolean; reduced: boolean;
  verdict: { variant: string; text: string }[] | null; objectives: string[] | null;
  lines: { variant: string; label: string; load_line: LoadLine; rungs: number }[] | null; problem?: string;
}

/** studyOf names what can be seen over time: a study with its profile. */
export function studyOf(run: Listed): string {
  return run.study + (run.profile ? ` (${run.profile})` : "");
}

/** reportOf is where its report is served. */
export function reportOf(run: Listed): string {
  return `/runs/${encodeURIComponent(run.name)}/report.html`;
}

/** begun is when it began, to the minute, in the time of the reader. */
export function begun(run: Listed): string {
  const at = new Date(run.started);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
