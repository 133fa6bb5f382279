// Tables, and sections that consist of them, as the report has them.

import { h } from "../chart/dom.ts";
import { section, table } from "./figure.ts";
import { named, type Page } from "./page.ts";

/** tables are those of a section. */
export function tables(page: Page, id: string): HTMLElement[] {
  return (page.sections[id]?.tables ?? []).map((t) => h("div", {},
    t.text ? h("p", { class: "note" }, page.prose(t.text)) : null,
    table(t.title, t.heads ?? [], (t.rows ?? []).map((row) => (row ?? []).map((cell, i) => t.named && i === 0 ? named(page, cell) : cell)))));
}

/** finished makes the section of that id; null if there is none. */
export const finished = (id: string) => (page: Page): HTMLElement | null => {
  const s = page.sections[id];
  return s ? section(id, s.title!, h("p", { class: "note" }, s.note), h("div", { class: "parts" }, tables(page, id))) : null;
};
