// What was tested, as a strip: drivers, servers, storage, and the machines that they ran
// on. The bottleneck is coloured and named.

import { h, type Child } from "../chart/dom.ts";
import { capital } from "../read/format.ts";
import type { Part } from "../read/model.ts";
import { key, type Page } from "./page.ts";

/** Shared is a part with the variants that have it, and the limits that they
 * meet there. */
interface Shared extends Part { variants: string[]; limits: Map<string, string[]> }

const stages: Record<Part["stage"], string> = { driver: "load", role: "servers", storage: "storage", media: "media", machine: "on" };

/** most is how many parts of a stage are shown. */
const most = 4;

/** strip shows the parts of all variants in the order of the work. */
export function strip(page: Page): HTMLElement | null {
  const parts = joined(page);
  if (parts.length === 0) return null;
  const path = parts.filter((p) => p.stage !== "machine");
  const order = [...new Set(path.map((p) => p.stage))];
  const machines = parts.filter((p) => p.stage === "machine");
  return h("div", { class: "topology", role: "group", "aria-label": "What was tested" },
    h("div", { class: "path" }, order.map((stage, i) => [i ? h("span", { class: "arrow", "aria-hidden": "true" }, "→") : null, column(page, stage, path.filter((p) => p.stage === stage))])),
    machines.length ? h("div", { class: "ground" }, h("span", { class: "stage" }, "runs on"), machines.map((p) => box(page, p))) : null,
    parts.some((p) => p.limits.size) ? null : unlimited(page));
}

/** joined merges equal parts of different variants. */
function joined(page: Page): Shared[] {
  const all = new Map<string, Shared>();
  for (const v of page.variants) for (const p of v.topology?.parts ?? []) {
    const id = [p.stage, p.name, p.text, p.simulated].join("\n");
    const part: Shared = all.get(id) ?? { ...p, variants: [], limits: new Map() };
    part.variants.push(v.name);
    if (p.limit) part.limits.set(p.limit, [...(part.limits.get(p.limit) ?? []), v.name]);
    all.set(id, part);
  }
  return [...all.values()].sort((a, b) => order(a) - order(b));
}

function order(p: Part): number {
  return Object.keys(stages).indexOf(p.stage);
}

function column(page: Page, stage: Part["stage"], parts: Shared[]): HTMLElement {
  const limiting = parts.filter((p) => p.limits.size);
  const kept = parts.length <= most ? parts : [...new Set([...limiting, ...parts])].slice(0, most);
  return h("div", { class: parts.length > 2 ? "column many" : "column" },
    h("span", { class: "stage" }, stages[stage]),
    parts.filter((p) => kept.includes(p)).map((p) => box(page, p)),
    parts.length > kept.length ? h("span", { class: "stage" }, `and ${parts.length - kept.length} more`) : null);
}

/** box is a part, dashed where it is simulated. */
function box(page: Page, p: Shared): HTMLElement {
  const some = p.variants.length < page.variants.length;
  return h("div", { class: `part${p.simulated ? " simulated" : ""}${p.limits.size ? " limiting" : ""}` },
    h("span", { class: "name" }, some ? keys(page, p.variants) : null, h("b", {}, p.name), p.simulated ? h("span", { class: "tag" }, "simulated") : null),
    p.text ? h("span", { class: "details" }, p.text) : null,
    [...p.limits].map(([limit, variants]) => h("span", { class: "limit" }, h("b", {}, "Bottleneck"), `: ${limit}`, variants.length < page.variants.length ? of(page, variants) : null)));
}

/** keys are the looks of a few variants. */
function keys(page: Page, variants: string[]): Child {
  return variants.length > 3 ? null : variants.map((name) => h("span", { title: page.labelOf(name) }, key(page.look(name))));
}

function of(page: Page, variants: string[]): Child {
  return variants.length > 3 ? ` (${variants.length} variants)` : ` (${variants.map((name) => page.labelOf(name)).join(", ")})`;
}

/** unlimited says why no part is coloured. */
function unlimited(page: Page): HTMLElement {
  const told = [...new Set(page.variants.map((v) => v.topology?.limit).filter(Boolean))];
  const text = page.published ? "No utilisation was published, so the bottleneck is unknown."
    : told.length === 0 ? "Nothing was sampled, so the bottleneck is unknown."
      : told.length === 1 ? capital(told[0]!) + "." : "No resource is used up on any variant, as far as it was measured.";
  return h("p", { class: "note" }, text);
}
