// What a unit of work spends its time on at each rung, one panel a variant.

import { h } from "../chart/dom.ts";
import { label } from "../chart/palette.ts";
import { drawStacks, type Segment, type Stack } from "../chart/stack.ts";
import { figure, section } from "./figure.ts";
import { numbers } from "./finished.ts";
import { plural, seconds, thousands } from "../read/format.ts";
import type { Portion, Rung, Variant } from "../read/model.ts";
import type { Page } from "./page.ts";
import { rungs } from "../read/reading.ts";

/** components have one colour in every panel. */
const components: Record<Portion["component"], { text: string; color: string }> = {
  running: { text: "on a CPU", color: "var(--c2)" },
  cpu_wait: { text: "waiting for a CPU", color: "var(--c1)" },
  quota_wait: { text: "held back by a CPU limit", color: "var(--c3)" },
  device_wait: { text: "waiting for a device", color: "var(--c0)" },
  memory_wait: { text: "waiting for memory", color: "var(--c5)" },
  lock_wait: { text: "waiting for a lock", color: "var(--c4)" },
  network_wait: { text: "waiting for the network", color: "var(--c6)" },
  peer_wait: { text: "waiting for another server", color: "var(--ink)" },
  other_wait: { text: "waiting for something else", color: "var(--muted)" },
};

/** leastShown is the share of a response time below which a part is not drawn. */
const leastShown = 0.002;

/** timeProfile is the section; there is none where it was not measured. */
export function timeProfile(page: Page): HTMLElement | null {
  const able = page.variants.filter((v) => timed(v).length > 0);
  if (able.length === 0) return null;
  return section("time", `What ${page.work.name ? `${article(page.work.name)} ${page.work.name}` : "the time"} spends its time on`,
    h("p", { class: "note" }, `Mean response time by what servers and the driver did meanwhile, by Little’s law. The mark is the measured mean; parts may reach less, which is unexplained, or more, where something else was counted too.`),
    h("div", { class: able.length > 1 ? "pair" : "" }, able.map((v, i) => panel(page, v, i))));
}

function article(word: string): string {
  return /^[aeiou]/i.test(word) ? "an" : "a";
}

function timed(v: Variant): Rung[] {
  return rungs(v).filter((r) => r.time?.counted && (r.time.parts ?? []).length > 0);
}

function panel(page: Page, v: Variant, i: number): HTMLElement {
  const title = label(v);
  return figure(page, {
    id: `time-${i + 1}`, title,
    draw: (width) => drawStacks({
      label: `${title}: response time by what it is spent on`, unit: "s", width, stacks: timed(v).map((r) => stack(r)), limit: limitOf(v),
      description: timed(v).map((r) => `${plural(r.instances, page.noun)}: ${stack(r).segments.map((s) => `${s.name} ${s.text}`).join(", ")}.`).join(" "),
    }),
    numbers: () => numbers(page, `time ${v.name}`),
  });
}

/** limitOf is the objective for the mean, if there is one. */
function limitOf(v: Variant): { value: number; text: string } | undefined {
  const mean = rungs(v).flatMap((r) => r.objectives ?? []).find((o) => o.metric === "mean" && !o.operation);
  return mean?.limit ? { value: mean.limit, text: `mean ≤ ${seconds(mean.limit)}` } : undefined;
}

function stack(r: Rung): Stack {
  const whole = r.time!.response ?? 0;
  const sums = new Map<Portion["component"], number>();
  for (const part of r.time!.parts ?? []) sums.set(part.component, (sums.get(part.component) ?? 0) + (part.seconds.value ?? 0));
  const segments = (Object.keys(components) as Portion["component"][]).flatMap((component): Segment[] => {
    const [look, value] = [components[component], sums.get(component) ?? 0];
    return value < leastShown * whole ? [] : [{ name: look.text, color: look.color, value, text: seconds(value) }];
  });
  return { label: thousands(r.instances), whole, text: seconds(whole), segments };
}
