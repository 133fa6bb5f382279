// Numbers as people read them. The same rules as in the Go package report, so
// that terminal and page agree.

import type { Interval } from "./model.ts";
import type { Num } from "./reading.ts";
import { bounded } from "./reading.ts";

export const missing = "–";

/** significant writes v with so many significant digits, without exponent.
 * Trailing zeros stay where they were measured and go where v is exact. */
export function significant(v: Num, digits: number): string {
  if (v === null || !Number.isFinite(v)) return missing;
  if (v === 0) return "0";
  const decimals = digits - 1 - Number(v.toExponential(digits - 1).split("e")[1]);
  if (decimals <= 0) {
    const scale = 10 ** -decimals;
    return thousands(Math.round(v / scale) * scale);
  }
  const text = v.toFixed(Math.min(decimals, 20));
  return Math.abs(Number(text) - v) < 1e-9 * Math.abs(v) ? String(Number(text)) : text;
}

/** thousands writes a whole number with separators. */
export function thousands(v: number): string {
  return String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** number writes whole numbers from 100 up, three significant digits below. */
export function number(v: Num): string {
  if (v === null || !Number.isFinite(v)) return missing;
  return Math.abs(v) >= 99.95 ? thousands(v) : significant(v, 3);
}

/** seconds writes a time in the unit that suits it. */
export function seconds(s: Num): string {
  if (s === null || !Number.isFinite(s) || s < 0) return missing;
  if (s === 0) return "0";
  if (s < 0.9995e-3) return significant(s * 1e6, 3) + " µs";
  if (s < 0.9995) return significant(s * 1e3, 3) + " ms";
  return significant(s, 3) + " s";
}

/** time is seconds for values where zero means "not measured". */
export function time(s: Num): string {
  return s ? seconds(s) : missing;
}

/** known is number for values where zero means "not measured". */
export function known(v: Num, write: (v: Num) => string = number): string {
  return v ? write(v) : missing;
}

/** percent writes a fraction as a percentage. */
export function percent(fraction: Num): string {
  if (fraction === null || !Number.isFinite(fraction)) return missing;
  const p = fraction * 100;
  if (p < 0) return "−" + percent(-fraction);
  if (p === 0) return "0 %";
  if (p >= 9.95) return p.toFixed(0) + " %";
  return significant(p, 2) + " %";
}

/** signed writes a relative change: "+3.2 %", and from tenfold on the factor: "36 ×". */
export function signed(fraction: Num): string {
  if (fraction !== null && Number.isFinite(fraction) && fraction >= 9) return number(1 + fraction) + " ×";
  return ((fraction ?? 0) > 0 ? "+" : "") + percent(fraction);
}

/** interval writes an estimate with its bounds, rounded to the two leading
 * digits of the half width. */
export function interval(i: Interval, write: (v: Num) => string): string {
  if (!bounded(i)) return write(i.value);
  if (i.changing) return bounds(i, write);
  return `${write(rounded(i.value, i))} (${bounds(i, write)})`;
}

/** bounds writes the ends of an interval, or of a range, which is called that. */
export function bounds(i: { low: number; high: number; range?: boolean | null; changing?: boolean | null }, write: (v: Num) => string): string {
  const [low, high] = [write(rounded(i.low, i)), write(rounded(i.high, i))];
  const [value, unitOf] = low.split(" ");
  return `${i.range && !i.changing ? "range " : ""}${unitOf && high.endsWith(" " + unitOf) ? value : low}–${high}${i.changing ? ", not steady" : ""}`;
}

function rounded(v: number, i: { low: number; high: number }): number {
  const unit = 10 ** (Math.floor(Math.log10((i.high - i.low) / 2)) - 1);
  return Math.round(v / unit) * unit;
}

/** money writes a price: cents below 100, whole units above. */
export function money(v: Num): string {
  if (!v || !Number.isFinite(v)) return missing;
  if (v < 0.1) return significant(v, 3);
  return v < 100 ? v.toFixed(2) : thousands(v);
}

/** size writes bytes with a binary unit. */
export function size(bytes: Num): string {
  if (!bytes) return missing;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let i = 0;
  while (bytes >= 1024 && i < units.length - 1) {
    bytes /= 1024;
    i++;
  }
  return `${significant(bytes, 3)} ${units[i]}`;
}

/** bytes writes a size with a decimal unit, as media and rates are counted. */
export function bytes(v: Num): string {
  if (!v) return missing;
  const units = ["B", "kB", "MB", "GB", "TB"];
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.abs(v)) / 3)));
  return `${number(v / 1000 ** at)} ${units[at]}`;
}

/** compact writes numbers for axes: 500, 12k, 1.5M. */
export function compact(v: number): string {
  for (const [limit, suffix] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (Math.abs(v) >= limit) return trim(v / limit) + suffix;
  }
  return trim(v);
}

function trim(v: number): string {
  return String(Number(v.toPrecision(3)));
}

/** unit writes a value of a time series in its unit. */
export function unit(v: Num, of: string): string {
  if (v === null || !Number.isFinite(v)) return missing;
  switch (of) {
    case "1": return percentLike(v);
    case "s": return seconds(v);
    case "B": return size(v);
    case "B/s": return rate(v);
    default: return `${compact(v)}${of ? " " + of : ""}`;
  }
}

/** percentLike writes a dimensionless value, a share in nearly all series. */
function percentLike(v: number): string {
  return v <= 1.5 ? percent(v) : significant(v, 3);
}

/** rate writes bytes per second in decimal units, as drives are sold. */
function rate(v: number): string {
  if (v < 1e3) return `${trim(v)} B/s`;
  if (v < 1e6) return `${trim(v / 1e3)} kB/s`;
  return v < 1e9 ? `${trim(v / 1e6)} MB/s` : `${trim(v / 1e9)} GB/s`;
}

/** plural writes "1 trial", "2 trials". */
export function plural(n: number, thing: string, things = thing + "s"): string {
  return n === 1 ? `1 ${thing}` : `${thousands(n)} ${things}`;
}

/** span writes a duration for people. */
export function span(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return pair(Math.floor(s / 60), "min", s % 60, "s");
  const minutes = Math.round(s / 60);
  return pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small ? `${big} ${bigUnit} ${small} ${smallUnit}` : `${big} ${bigUnit}`;
}

/** readable has limits in texts written one way: "p95 ≤ 200 ms". A fragment of
 * a study stays as the study writes it. It is what JSON.parse calls. */
export function readable(key: string, value: unknown): unknown {
  if (typeof value !== "string" || key === "fragment" || !value.includes("= ")) return value;
  return value.replace(/ ([<>])= (\d[\d.]*)(µs|us|ms|s|%)?/g, (_, sign: string, n: string, unit = "") =>
    ` ${sign === "<" ? "≤" : "≥"} ${n}${unit ? " " + unit.replace("us", "µs") : ""}`);
}

/** inWords writes a list as "a, b and c". */
export function inWords(items: string[]): string {
  return [items.slice(0, -1).join(", "), ...items.slice(-1)].filter((part) => part !== "").join(" and ");
}

/** sentence starts a text with a capital and ends it with a full stop. */
export function sentence(text: string): string {
  if (!text) return "";
  const first = capital(text);
  return /[.!?]$/.test(first) ? first : first + ".";
}

/** capital starts a text with a capital letter. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
