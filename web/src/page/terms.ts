// What the words on the card mean.

import { h, type Child } from "../chart/dom.ts";
import { capital } from "../read/format.ts";
import type { Page } from "../figure/page.ts";

/** explained is a list of the words that need it, folded. */
export function explained(page: Page): HTMLElement {
  const { study, grade } = page.analysis;
  const judged = (study.objectives ?? []).length > 0;
  const terms: ([string, Child] | false)[] = [
    judged && ["Load line", `The largest number of ${page.noun}s that keeps every objective (${objectives(page)}). The bracket spans the counts between which it lies; ≥ means that the largest rung tried kept them.`],
    judged && ["Headroom", `How far the tightest objective was below its limit at the largest rung that kept all of them.`],
    unit(page),
    !!grade && ["Grade", "A to F, how far the answer may be off by everything that was seen: A at most 5 %, B 10 %, C 25 %, D 50 %, E more, F if nothing tells. No better than C where the answer could be the opposite. Figures of grade D and below are muted: repeat the trials before you decide."],
    ["Bottleneck", "The resource that is used up first as load grows."],
  ];
  return h("details", { class: "terms" }, h("summary", {}, "What do these words mean?"),
    h("dl", {}, terms.filter((t) => t !== false).map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
}

function objectives(page: Page): string {
  return (page.analysis.study.objectives ?? []).map((o) => o.text).join(", ");
}

/** unit says what the throughput counts: "OPM: orders per minute". */
function unit(page: Page): [string, string] {
  const { throughput, plural, seconds, bytes } = page.work;
  const period = seconds === 60 ? "minute" : seconds === 3600 ? "hour" : seconds === 1 ? "second" : `${seconds} s`;
  const counts = bytes ? "payload" : plural;
  return [throughput || page.analysis.study.unit || "Throughput", `${capital(counts)} per ${period} over the measured phase, of all ${page.noun}s together; only committed work counts.`];
}
