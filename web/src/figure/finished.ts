// Sections that consist of tables, as the report has them.

import { h } from "../chart/dom.ts";
import { section, table } from "./figure.ts";
import type { Page } from "./page.ts";

/** finished makes the section of that id; null if there is none. */
export const finished = (id: string) => (page: Page): HTMLElement | null => {
  const s = page.sections[id];
  return s ? section(id, s.title, h("p", { class: "note" }, s.note), h("div", { class: "parts" }, (s.tables ?? []).map((t) =>
    h("div", {}, t.text ? h("p", { class: "note" }, page.prose(t.text)) : null, table(t.title, t.heads ?? [], (t.rows ?? []).map((r) => r ?? [])))))) : null;
};
