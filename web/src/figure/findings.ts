// Leading questions answered, and the findings with what to try next.

import { h, type Child } from "../chart/dom.ts";
import { section } from "./figure.ts";
import { significant } from "../read/format.ts";
import type { Finding } from "../read/model.ts";
import { key, trialLinks, type Page } from "./page.ts";

/** answers are the leading questions, a paragraph each. */
export function answers(page: Page): HTMLElement | null {
  const all = page.analysis.answers ?? [];
  if (all.length === 0) return null;
  return section("answers", "Questions and answers",
    h("dl", { class: "answers" }, all.map((a) => [
      h("dt", {}, a.question),
      h("dd", {}, answer(page, a.text), a.figure ? [" ", h("a", { href: "#" + a.figure, class: "proof" }, "see the figure")] : null),
    ])));
}

/** long is how many characters of an answer are read without a click. */
const long = 420;

/** answer folds away what goes beyond the first sentences of a long one. */
function answer(page: Page, text: string): Child {
  const cut = text.length > long * 1.3 ? text.indexOf(". ", long) : -1;
  if (cut < 0) return page.prose(text);
  return [page.prose(text.slice(0, cut + 1)), " ", h("details", { class: "rest" }, h("summary", {}, "more"), page.prose(text.slice(cut + 2)))];
}

const kinds: Record<Finding["kind"], string> = {
  "load-line": "Load line", bottleneck: "Bottleneck", effect: "Effect", confirmation: "Experiment", scalability: "Scalability", price: "Price", spike: "Spike",
  fairness: "Fairness", balance: "Requests by server", "disk-requests": "Requests at the disks", deployment: "Deployment",
};

/** elsewhere are the kinds of findings that have sections of their own. */
const elsewhere: Finding["kind"][] = ["bottleneck", "confirmation", "price"];

/** findings lists the findings without a section of their own, each with its
 * numbers, trials and next step. */
export function findings(page: Page): HTMLElement | null {
  const all = page.inOrder(page.analysis.findings ?? []).filter((f) => !elsewhere.includes(f.kind));
  if (all.length === 0) return null;
  return section("findings", "Further findings", h("ol", { class: "findings" }, all.map((f) => finding(page, f))));
}

/** finding shows one with its numbers, trials and next step. */
export function finding(page: Page, f: Finding): HTMLElement {
  return h("li", { id: "finding-" + f.id },
    h("span", { class: "kind" }, f.variant ? key(page.look(f.variant)) : null, kinds[f.kind]),
    h("div", {},
      h("p", {}, page.prose(f.text), " ", trialLinks(f.trials, page)),
      numbers(f),
      f.next ? h("p", { class: "next" }, h("b", {}, "Next: "), page.prose(f.next)) : null,
      f.fragment ? h("details", {}, h("summary", {}, "The change to the study"), h("pre", { tabindex: 0 }, f.fragment)) : null));
}

function numbers(f: Finding): HTMLElement | null {
  const all = Object.entries(f.numbers ?? {});
  if (all.length === 0) return null;
  return h("details", {}, h("summary", {}, "Numbers"),
    h("dl", { class: "pairs" }, all.map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, significant(value, 4))])));
}
