// What happened in a trial: its faults with their effect, and other events.

import { plural, thousands } from "./format.ts";
import type { TrialInfo } from "./model.ts";

/** Moment is an event, in seconds since the start of the trial. A fault has a
 * name, and lasts until its effect was over, if that was seen. */
export interface Moment { number: number; at: number; until: number | null; fault: string; repairs: boolean; text: string }

/** moments are a trial's events, numbered in order of time. */
export function moments(trial: TrialInfo | undefined): Moment[] {
  return (trial?.events ?? []).map((e, i) => ({
    number: i + 1, at: since(trial!, e.at) ?? 0, until: e.until ? since(trial!, e.until) : null,
    fault: e.fault ?? "", repairs: !!e.repairs, text: e.text,
  }));
}

/** since is a time of day in seconds since the start of a trial, null where it
 * has none. */
function since(trial: TrialInfo, time: string): number | null {
  return trial.start ? (Date.parse(time) - Date.parse(trial.start)) / 1000 : null;
}

/** clock writes seconds since the start as m:ss. */
export function clock(s: number): string {
  const sign = s < 0 ? "−" : "";
  const whole = Math.round(Math.abs(s));
  const [hours, minutes, last] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), String(whole % 60).padStart(2, "0")];
  return hours ? `${sign}${thousands(hours)}:${String(minutes).padStart(2, "0")}:${last}` : `${sign}${minutes}:${last}`;
}

/** effect says when a fault was injected and how long its effect lasted. */
export function effect(m: Moment): string {
  if (m.repairs) return `repair, at ${clock(m.at)}`;
  return m.until === null ? `from ${clock(m.at)}` : `from ${clock(m.at)} to ${clock(m.until)}, ${lasted(m)}`;
}

/** lasted is how long a fault had an effect whose end was seen. */
export function lasted(m: Moment): string {
  return `${((m.until ?? m.at) - m.at).toFixed(1)} s`;
}

/** faultNames lists the faults of a trial without their times. */
export function faultNames(trial: TrialInfo): string {
  const all = moments(trial).filter((m) => m.fault);
  return all.length ? `${plural(all.length, "fault")}: ${all.map((m) => m.fault).join(", ")}` : "";
}

/** faultsText lists the faults of a trial in words. */
export function faultsText(trial: TrialInfo): string {
  const all = moments(trial).filter((m) => m.fault);
  return all.length ? `${plural(all.length, "fault")}: ${all.map((m) => `${m.fault} (${effect(m)})`).join(", ")}` : "";
}
