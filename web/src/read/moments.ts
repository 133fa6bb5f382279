// What happened in a trial: its faults with their effect, and other events; and
// where their marks stand above a panel of time series.

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

/** Placed is a mark above a panel: a bar over the time of a fault's effect with
 * its name, or the numbers of events that are too close to be told apart. */
export interface Placed { moments: Moment[]; row: number; from: number; to: number; text: string; x: number; width: number }

/** Frame is the part of the axis that is seen: x in pixels, and what is written. */
export interface Frame { left: number; right: number; x: (seconds: number) => number; width: (text: string) => number; fit: (text: string, width: number) => string }

export const iconWidth = 11;
const gap = 6;

/** placed gives every moment in the frame a mark. Faults have rows of their own
 * wherever their bars or names would overlap; all others share the last row. */
export function placed(all: Moment[], f: Frame): Placed[] {
  const seen = all.filter((m) => f.x(m.until ?? m.at) >= f.left - 0.5 && f.x(m.at) <= f.right + 0.5);
  const faults: Placed[] = [];
  for (const m of seen.filter((m) => m.fault)) faults.push(inRow(bar(m, f), faults));
  const rows = 1 + Math.max(-1, ...faults.map((p) => p.row));
  return [...faults, ...numbers(seen.filter((m) => !m.fault), f).map((p) => ({ ...p, row: rows }))];
}

/** rowCount is how many rows marks stand in. */
export function rowCount(marks: Placed[]): number {
  return 1 + Math.max(-1, ...marks.map((p) => p.row));
}

function bar(m: Moment, f: Frame): Placed {
  const inside = (x: number) => Math.min(Math.max(x, f.left), f.right);
  const [from, to] = [inside(f.x(m.at)), inside(f.x(m.until ?? m.at))];
  const text = f.fit(m.fault, f.right - f.left - iconWidth);
  const width = f.width(text) + iconWidth;
  return { moments: [m], row: 0, from, to, text, x: Math.max(f.left, Math.min(from, f.right - width)), width };
}

/** inRow puts a mark into the first row where it overlaps no other. */
function inRow(p: Placed, others: Placed[]): Placed {
  const covers = (o: Placed) => [Math.min(o.from, o.x) - gap / 2, Math.max(o.to, o.x + o.width) + gap / 2] as const;
  const [low, high] = covers(p);
  let row = 0;
  while (others.some((o) => o.row === row && covers(o)[0] < high && low < covers(o)[1])) row++;
  return { ...p, row };
}

/** numbers puts each event's number at its time, and joins those that would overlap. */
function numbers(events: Moment[], f: Frame): Placed[] {
  const groups: Placed[] = [];
  for (const m of [...events].sort((a, b) => a.at - b.at)) {
    let own = number([m], f);
    for (let last = groups.at(-1); last && own.x < last.x + last.width + gap; last = groups.at(-1)) {
      groups.pop();
      own = number([...last.moments, ...own.moments], f);
    }
    groups.push(own);
  }
  return groups;
}

function number(events: Moment[], f: Frame): Placed {
  const [first, last] = [events[0]!, events.at(-1)!];
  const text = first === last ? `${first.number}` : `${first.number}…${last.number}`;
  const width = f.width(text);
  const [from, to] = [f.x(first.at), f.x(last.at)];
  const x = Math.max(f.left, Math.min((from + to - width) / 2, f.right - width));
  return { moments: events, row: 0, from, to, text, x, width };
}
