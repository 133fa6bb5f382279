// How far to trust the numbers: grade, warnings, audit, trials, machine,
// method.

import { range } from "../read/alike.ts";
import { also } from "./also.ts";
import { h, type Child } from "../chart/dom.ts";
import { section, table } from "./figure.ts";
import { numbers, tables } from "./finished.ts";
import { capital, plural, sentence, size, thousands, time, known } from "../read/format.ts";
import type { TrialInfo, Unit, Group } from "../read/model.ts";
import { faultNames, faultsText } from "../read/moments.ts";
import { key, trialAnchor, trialLinks, type Page } from "./page.ts";
import { searched } from "./searched.ts";

/** audit is the section on what the databases were asked afterwards. */
export function audit(page: Page): HTMLElement | null {
  const audited = [...page.trials.values()].filter((t) => t.audit);
  const { correctness } = page.profile;
  if (audited.length === 0) return correctness ? section("audit", "Correctness", h("p", {}, sentence(correctness))) : null;
  const counted = audited.filter((t) => !t.uncounted);
  const failed = audited.filter((t) => t.status === "failed");
  return section("audit", "Audit",
    h("p", {}, correctness ? sentence(correctness) : `After every trial each instance is asked whether every acknowledged ${page.work.name} is there, once and complete.`, " ",
      counted.length ? `${plural(counted.length, "trial was", "trials were")} audited. ` : ""),
    failed.length ? h("ul", {}, failed.map((t) => h("li", {}, trialLinks([t.id], page), ": ", t.audit))) : null);
}

/** trust is the section with the grade, the doubts that its bound is the sum of, and the warnings. */
export function trust(page: Page): HTMLElement {
  const { grade, grade_reason, bound } = page.analysis;
  return section("trust", "How far to trust this",
    grade ? h("p", {}, h("b", { class: `grade-${grade}` }, `Grade ${grade}`), `: ${page.grades[grade]}. `, grade_reason ? page.prose(capital(sentence(grade_reason))) : null) : null,
    bound?.cure ? h("p", {}, page.prose(capital(sentence(bound.cure.text)))) : null,
    tables(page, "doubts"),
    page.warnings.length === 0 ? h("p", {}, "No warnings.") : list(page.warnings, (g) => {
      const { trials = [] } = g;
      return [several(g), page.prose(several(g) ? g.text : sentence(g.text)), " ", trialLinks(trials, page, trials.length < 2)];
    }));
}

/** warningList shows warnings without their trials. */
export function warningList(groups: Group[]): HTMLElement {
  return list(groups, (g) => sentence(g.text));
}

function list(groups: Group[], text: (g: Group) => Child): HTMLElement {
  return h("ul", { class: "warnings" }, groups.map((g) =>
    h("li", { class: g.severity }, h("span", { class: "severity" }, g.severity), h("span", {}, text(g)))));
}

/** several says of how many trials a warning speaks. */
function several({ trials = [] }: Group): string {
  return trials.length > 1 ? `${plural(trials.length, "trial")}: ` : "";
}

/** trials is the table that every number leads back to. */
export function trials(page: Page): HTMLElement | null {
  const all = [...page.trials.values()].sort((a, b) => a.position - b.position);
  if (all.length === 0) return null;
  const unit = page.analysis.study.unit;
  const heads = ["<Trial", "Position", "<Variant", capital(page.noun) + "s", "Run", "<Status", unit, ...also(page).map((a) => a.head), "Mean", "p95", "p99", "Grade", "<Started", "<Audit and notes"];
  const usual = usualNotes(all, page.work);
  const rows = all.map((t) => row(page, t, usual));
  const box = table(`All ${plural(all.length, "trial")} in the order in which they ran`, heads, rows);
  sortable(box.querySelector("table")!);
  if (all.length > 40) box.querySelector(".scroll")!.classList.add("tall");
  return section("trials", "Trials", usualList(usual, all.length), box);
}

/** Remark is a statement of a trial other than its figures. */
interface Remark {
  text: string;
  /** what remarks of other trials that say the same have in common */
  alike: string;
  /** that they say together */
  together: (all: TrialInfo[]) => string;
  trial: TrialInfo;
}

/** usualNotes are the remarks that more than half of the trials make, by what they
 * have in common. */
export function usualNotes(all: TrialInfo[], work: Unit): Map<string, Remark[]> {
  const found = new Map<string, Remark[]>();
  for (const r of all.flatMap((t) => remarks(t, work))) found.set(r.alike, [...(found.get(r.alike) ?? []), r]);
  return new Map([...found].filter(([, same]) => same.length > 2 && same.length > all.length / 2));
}

function remarks(t: TrialInfo, work: Unit): Remark[] {
  const plain = (text: string): Remark => ({ text, alike: text, together: () => text, trial: t });
  const audit = plain(t.audit ?? "");
  if (t.present !== undefined) Object.assign(audit, { alike: "passed audit", together: (all: TrialInfo[]) => presentText(all, work) });
  const names = faultNames(t);
  const faults = { ...plain(faultsText(t)), alike: `faults: ${names}`, together: () => names };
  return [faults, audit, ...(t.notes ?? []).map(plain)].filter((r) => r.text !== "");
}

/** presentText says what the passed audits of several trials found. */
function presentText(all: TrialInfo[], work: Unit): string {
  const counts = all.map((t) => ({ value: t.present!, text: thousands(t.present!) }));
  return counts.every((c) => c.value === 0) ? `no acknowledged ${work.plural} to look for, all checks passed` : `all ${range(counts)} acknowledged ${work.plural} present, all checks passed`;
}

/** usualList says once what most trials say. */
function usualList(usual: Map<string, Remark[]>, trials: number): Child {
  if (usual.size === 0) return null;
  return h("ul", { class: "usual" }, [...usual.values()].map((same) =>
    h("li", {}, same.length >= trials ? "Every trial: " : `${thousands(same.length)} of ${plural(trials, "trial")}: `, sentence(same[0]!.together(same.map((r) => r.trial))).replace(/^./, (c) => c.toLowerCase()))));
}

function row(page: Page, t: TrialInfo, usual: Map<string, Remark[]>): HTMLTableRowElement {
  const cells: Child[] = [
    h("span", { class: "id" }, t.id, h("button", { type: "button", class: "draw", "data-trial": t.id, hidden: true }, "series")),
    thousands(t.position), h("span", { class: "named" }, key(page.look(t.variant)), page.labelOf(t.variant)), thousands(t.rung), thousands(t.repetition),
    h("span", { class: t.status === "failed" ? "broken" : "" }, t.status), known(t.throughput), ...also(page).map((a) => known(a.trial(t))), time(t.mean), time(t.p95), time(t.p99), t.grade || "–",
    started(t, page), notes(t, page.work, usual),
  ];
  const last = cells.length - 1;
  const left = [0, 2, 5, last - 1, last];
  return h("tr", { id: trialAnchor(t.id) }, cells.map((cell, i) => i === 0
    ? h("th", { scope: "row", class: "left" }, cell)
    : h("td", { class: left.includes(i) ? "left" + (i === last ? " long" : "") : "" }, cell)));
}

/** started is the time of day, with the day where it is not the run's. */
function started(t: TrialInfo, page: Page): string {
  if (!t.start) return "";
  const [day, time] = [t.start.slice(0, 10), t.start.slice(11, 19)];
  return day === page.analysis.run.started?.slice(0, 10) ? time : `${day} ${time}`;
}

/** notes are what a trial says that most do not, and the rest folded. */
function notes(t: TrialInfo, work: Unit, usual: Map<string, Remark[]>): Child {
  const texts = (folded: boolean) => remarks(t, work).filter((r) => usual.has(r.alike) === folded).map((r) => r.text);
  const own = [t.cause ?? "", ...texts(false)].filter((text) => text !== "");
  const folded = texts(true);
  return [brief(own.join("; ")), folded.length ? h("details", { class: "folded" }, h("summary", {}, own.length ? "as most" : "as most trials"), folded.join("; ")) : null];
}

const long = 90; // characters of a note that are shown at once

/** brief folds a note that would make its row tall. */
function brief(text: string): Child {
  if (text.length <= long) return text;
  return h("details", { class: "folded" }, h("summary", {}, text.slice(0, text.lastIndexOf(" ", long)) + " …"), text);
}

/** sortable lets the reader sort a table by a column's head. */
function sortable(element: HTMLTableElement): void {
  const body = element.tBodies[0]!;
  element.querySelectorAll("thead th").forEach((th, column) => {
    let up = true;
    const button = h("button", {
      type: "button", class: "sort", onclick: () => {
        const sorted = [...body.rows].sort((a, b) => compare(a.cells[column]!.textContent!, b.cells[column]!.textContent!) * (up ? 1 : -1));
        body.append(...sorted);
        element.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        up = !up;
      },
    }, th.textContent);
    th.replaceChildren(button);
  });
}

const unitFactors: Record<string, number> = { "µs": 1e-6, ms: 1e-3, s: 1 };

/** compare orders cells by number (times in any unit) or else by text. */
export function compare(a: string, b: string): number {
  const [x, y] = [value(a), value(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) {
    return Number.isNaN(x) && Number.isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : Number.isNaN(x) ? -1 : 1;
  }
  return x - y;
}

function value(text: string): number {
  const match = /^([\d,.]+)(?: (µs|ms|s))?$/.exec(text.trim());
  return match ? Number(match[1]!.replaceAll(",", "")) * (unitFactors[match[2] ?? "s"] ?? 1) : NaN;
}

/** machine is the section on where it ran. */
export function machine(page: Page): HTMLElement | null {
  const m = page.analysis.machine;
  const media = page.variants.filter((v) => v.description || v.media);
  const hosts = page.analysis.machines ?? [];
  if (!m && hosts.length === 0 && media.length === 0 && !page.analysis.settings?.length) return null;
  return section("machine", "Machines and versions",
    media.length ? h("dl", { class: "variants" }, media.map((v) => [
      h("dt", {}, key(page.look(v.name)), page.labelOf(v.name)),
      h("dd", {}, v.description || v.media, v.simulated ? h("span", { class: "badge caution" }, "simulated medium") : null)])) : null,
    m ? h("dl", { class: "pairs" }, pairs([
      ["Host", m.hostname], ["System", `${m.os}, kernel ${m.kernel}, ${m.arch}`], ["CPU", `${m.cpu_model}, ${plural(m.cores, "core")}`],
      ["Memory", size(m.memory_bytes)], ["Virtualisation", m.virtual], ["cgroups", m.cgroup], ["Run as root", m.root ? "yes" : "no"],
      ["Clock", m.clock_source], ["Governor", m.governor], ["Plimsoll", m.plimsoll],
      ...Object.entries(m.programs ?? {}).map(([name, version]): [string, string] => [name, version]),
      ...Object.entries(m.system_limits ?? {}).map(([name, limit]): [string, string] => [name, limit]),
    ])) : null,
    hosts.length ? searched("Machines of the trials", ["<Machine", "<Roles", "Cores", "Memory"], hosts.map((x) => ({
      name: x.name,
      cells: () => [x.simulated ? `${x.name} (simulated)` : x.name, x.roles?.join(", ") || "unknown", x.cores ? thousands(x.cores) : "–", x.memory ? size(x.memory) : "–"],
    }))) : null,
    page.analysis.settings?.length ? numbers(page, "settings") : null,
    m?.disks?.length ? table("Block devices", ["<Device", "<Model", "Size", "<Kind", "<Scheduler"],
      m.disks.map((d) => [d.name, d.model || "–", size(d.bytes), d.rotational ? "rotating" : "not rotating", d.scheduler || "–"])) : null,
    m?.file_systems?.length ? table("File systems", ["<Mounted at", "<Type", "Size", "Free", "<Options"],
      m.file_systems.map((f) => [f.mount, f.type, size(f.bytes), size(f.free), h("span", { class: "options" }, f.options)])) : null);
}

function pairs(all: [string, string | undefined][]): Child[] {
  return all.filter(([, text]) => text).map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);
}

/** method says how it was measured and where it comes from. */
export function method(page: Page): HTMLElement | null {
  const { study, run } = page.analysis;
  const all = page.analysis.method ?? [];
  if (all.length === 0 && !study.source && !run.reference) return null;
  return section("method", "Method", h("ul", {}, all.map((text) => h("li", {}, page.prose(text)))),
    run.reference ? h("p", {}, "Source of the numbers: ", run.reference, ".") : null,
    study.source ? h("p", {}, "The experiment re-enacts: ", study.source, ".") : null);
}
