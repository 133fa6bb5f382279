// Requests for data by layer, from the workload down to the disks, at the rung where a line ends.

import { h } from "../chart/dom.ts";
import { label } from "../chart/palette.ts";
import { section, table } from "./figure.ts";
import { number, percent, plural, size } from "../read/format.ts";
import type { Flow, Layer, Rung, Variant } from "../read/model.ts";
import type { Page } from "./page.ts";
import { rungs } from "../read/reading.ts";

/** requests is the section; there is none where fewer than two layers are known. */
export function requests(page: Page): HTMLElement | null {
  const parts = page.variants.flatMap((v) => {
    const r = limiting(v);
    return r?.io ? [part(page, v, r)] : [];
  });
  return parts.length === 0 ? null : section("requests", "Requests by layer",
    h("p", { class: "note" }, "How requests for data change on their way. Sequential ones begin where an earlier one ended; × bytes is against what the workload asks for, or else against what its servers move past the page cache."),
    h("div", { class: "parts" }, parts));
}

/** limiting is the first rung beyond the line, or the largest that was measured. */
function limiting(v: Variant): Rung | undefined {
  const measured = rungs(v).filter((r) => r.repetitions > 0);
  return measured.find((r) => r.instances === v.load_line.next) ?? measured.at(-1);
}

function part(page: Page, v: Variant, r: Rung): HTMLElement {
  const rows = (r.io!.layers ?? []).flatMap((l) => [row(l, "reads", l.reads), row(l, "writes", l.writes)].flat());
  return h("div", {},
    table(`${label(v)}${v.simulated ? " (simulated medium)" : ""} at ${plural(r.instances, page.noun)}`,
      ["<Layer", "<", `Per ${page.work.name}`, "Size", "Bytes", "× bytes", "Merged", "Sequential"], rows),
    r.io!.text ? h("p", {}, r.io!.text) : null);
}

function row(l: Layer, direction: string, f: Flow | null | undefined): string[][] {
  if (!f) return [];
  return [[
    name(l), direction, f.per_unit ? number(f.per_unit) : "", f.bytes ? size(Math.round(f.bytes)) : "", size(Math.round(f.bytes_per_unit ?? 0)),
    f.amplification ? number(f.amplification) : "", share(f.merged), share(f.sequential),
  ]];
}

function share(v: number | null | undefined): string {
  return v === null || v === undefined ? "" : percent(v);
}

function name(l: Layer): string {
  const disks = l.of ? ` (${l.of})` : "";
  switch (l.layer) {
    case "application": return "made by the workload";
    case "calls": return `calls of ${l.of}`;
    case "caused": return `${l.of}, past the page cache`;
    case "passed_on": return `handed to the disks${disks}`;
    default: return `at the disks${disks}`;
  }
}
