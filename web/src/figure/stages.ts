// Stages of a way that items take: how each spent the time of the whole way, at one rung.

import { h } from "../chart/dom.ts";
import { section, table } from "./figure.ts";
import { bytes, percent, plural, seconds } from "../read/format.ts";
import type { Resource, Rung, Variant } from "../read/model.ts";
import type { Page } from "./page.ts";
import { label } from "../chart/palette.ts";
import { rungs } from "../read/reading.ts";

/** stages is the section; there is none where work has no stages. */
export function stages(page: Page): HTMLElement | null {
  const tables = page.variants.flatMap((v) => rungs(v).filter((r) => steps(r).length > 0).map((r) => ofRung(page, v, r)));
  return tables.length === 0 ? null : section("stages", "Stages of the way",
    h("p", { class: "note" }, "Shares of the time of the whole way in which a stage was at work, waited for the one before it and for the one after it. Of the link, the time at work is the shorter of sending and of waiting at its end."),
    h("div", { class: "parts" }, tables));
}

/** steps are a rung's stages, in the order of the way. */
function steps(r: Rung): Resource[] {
  return (r.resources ?? []).filter((one) => one.step).sort((a, b) => a.step!.place - b.step!.place);
}

function ofRung(page: Page, v: Variant, r: Rung): HTMLElement {
  const rows = steps(r).map((one) => {
    const s = one.step!;
    return [s.name, s.side, bytes(s.bytes), seconds(one.demand ?? null), percent(s.busy), percent(s.starved), percent(s.blocked), s.named ? "limits" : ""];
  });
  return table(`${label(v)} at ${plural(r.instances, page.noun)}`,
    ["<Stage", "<Of", "Bytes", `Per ${page.work.name}`, "At work", "Waiting for data", "Waiting for room", "<"], rows);
}
