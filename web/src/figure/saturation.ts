// What the machines did at each rung, as small multiples: the servers of the
// storage, their clients, or one machine that is both.

import { drawChart } from "../chart/chart.ts";
import type { Dot, Line } from "../chart/chartdata.ts";
import { h } from "../chart/dom.ts";
import { figure, lazily, section, table } from "./figure.ts";
import { capital, compact, percent, plural, seconds, thousands, unit } from "../read/format.ts";
import { counts } from "./ladder.ts";
import type { Rung, Side, Variant } from "../read/model.ts";
import { rungs, type Num } from "../read/reading.ts";
import { named, type Page } from "./page.ts";
import { label } from "../chart/palette.ts";

interface Measure { of: string; title: string; unit: string; write: (v: number) => string; share?: boolean; unless?: string }

const rate = (v: number) => unit(v, "B/s");

/** measures are drawn in this order; unless names what says the same better. */
const measures: Measure[] = [
  { of: "receive_bytes", title: "Network, received", unit: "B/s", write: rate },
  { of: "send_bytes", title: "Network, sent", unit: "B/s", write: rate },
  { of: "cpu", title: "CPU utilisation", unit: "1", write: percent, share: true },
  { of: "cores", title: "CPU, cores", unit: "cores", write: compact, unless: "cpu" },
  { of: "load", title: "Load average", unit: "1", write: compact },
  { of: "memory", title: "Memory", unit: "1", write: percent, share: true },
  { of: "memory_bytes", title: "Memory", unit: "B", write: (v) => rate(v).replace("/s", ""), unless: "memory" },
  { of: "blocked", title: "Threads blocked on a device", unit: "threads", write: compact },
  { of: "read_bytes", title: "Disks, read", unit: "B/s", write: rate },
  { of: "write_bytes", title: "Disks, written", unit: "B/s", write: rate },
  { of: "disk_utilisation", title: "Disks busy, by the kernel", unit: "1", write: percent, share: true },
  { of: "await", title: "Disk response time", unit: "s", write: seconds },
];

const sideNames: Record<string, string> = { servers: "Storage servers", clients: "Clients", machine: "Machine" };

/** saturation is the section; there is none without a ladder. */
export function saturation(page: Page): HTMLElement | null {
  const sides = Object.keys(sideNames).filter((side) => shown(page, side).length > 0);
  if (sides.length === 0 || counts(page.variants).length < 2) return null;
  const key = h("div", { class: "keys" });
  const draw = () => key.replaceChildren(...page.focused().map((v) => named(page, v.name)));
  page.onRedraw(draw);
  draw();
  return section("saturation", "Saturation",
    h("p", { class: "note" }, `Counts and rates are sums over the machines of a side, shares are their mean.`), key,
    sides.map((side) => [h("h3", { class: "side" }, sideNames[side]), h("div", { class: "multiples" }, shown(page, side).map((m) => multiple(page, side, m)))]),
    lazily("Numbers", () => numbers(page, sides)).element);
}

/** shown are the measures of a side that are not 0 throughout. */
export function shown(page: { variants: Variant[] }, side: string): Measure[] {
  const known = (of: string) => page.variants.some((v) => rungs(v).some((r) => (valueOf(r, side, of) ?? 0) > 0));
  return measures.filter((m) => known(m.of) && !(m.unless && known(m.unless)));
}

function valueOf(r: Rung, side: string, of: string): Num {
  return r.sides?.find((s: Side) => s.side === side)?.values?.[of] ?? null;
}

function multiple(page: Page, side: string, m: Measure): HTMLElement {
  const name = `${sideNames[side]}: ${m.title}`;
  return figure(page, {
    id: `saturation-${side}-${m.of}`, title: m.title,
    draw: (width) => drawChart({
      label: `${name} against ${page.noun}s`, description: page.focused().map((v) => describe(v, side, m)).join(" "),
      width, height: Math.round(Math.min(200, Math.max(160, width * 0.5))), scale: "linear", unit: m.unit, format: m.write, xLabel: page.noun + "s",
      counts: counts(page.variants), lines: page.focused().map((v) => lineOf(page, v, side, m)), top: m.share ? 1 : undefined,
    }),
  });
}

function describe(v: Variant, side: string, m: Measure): string {
  return `${label(v)}: ${rungs(v).map((r) => [r.instances, valueOf(r, side, m.of)] as const).filter(([, value]) => value !== null).map(([n, value]) => `${m.write(value!)} at ${n}`).join(", ")}.`;
}

function lineOf(page: Page, v: Variant, side: string, m: Measure): Line {
  const look = page.look(v.name);
  const dots = rungs(v).flatMap((r): Dot[] => {
    const value = valueOf(r, side, m.of);
    return value === null ? [] : [{ n: r.instances, value, low: value, high: value, kept: true, title: `${label(v)}, ${plural(r.instances, page.noun)}\n${m.write(value)}` }];
  });
  return { key: v.name, variant: v.name, label: "", color: look.color, dash: look.dash, symbol: look.symbol, dots };
}

function numbers(page: Page, sides: string[]): HTMLElement {
  const columns = sides.flatMap((side) => shown(page, side).map((m) => ({ side, m })));
  const rows = page.variants.flatMap((v) => rungs(v).filter((r) => r.sides?.length).map((r) => [
    named(page, v.name), thousands(r.instances), ...columns.map(({ side, m }) => {
      const value = valueOf(r, side, m.of);
      return value === null ? "–" : m.write(value);
    })]));
  return table("What the machines did", ["<Variant", capital(page.noun) + "s", ...columns.map(({ side, m }) => `${sideNames[side]}: ${m.title.toLowerCase()}`)], rows, true);
}
