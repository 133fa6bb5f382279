// Tables, and sections that consist of them, as the report has them.

import { h, type Child } from "../chart/dom.ts";
import { lazily, section, table, tableRow } from "./figure.ts";
import { plural } from "../read/format.ts";
import type { TableCell, Section, Table } from "../read/model.ts";
import { named, trialLinks, type Page } from "./page.ts";

/** tables are those of a section. */
export function tables(page: Page, id: string): HTMLElement[] {
  return tablesOf(page, page.sections[id]);
}

/** numbers are the tables of a section that is unpacked when it is asked for, of the variants in
 * focus if they name any. */
export function numbers(page: Page, id: string): HTMLElement {
  const holder = h("div", { class: "parts" }, h("p", { class: "note" }, "The table is being unpacked."));
  void page.packed.then(({ sections }) => holder.replaceChildren(...tablesOf(page, sections[id], (row) => row[0]!.kind !== "variant" || page.focus.has(row[0]!.text))));
  return holder;
}

function tablesOf(page: Page, of: Section | undefined, shown: (row: TableCell[]) => boolean = () => true): HTMLElement[] {
  return (of?.tables ?? []).map((t) => {
    const rows = (t.rows ?? []).map((row) => row ?? []).filter(shown);
    if (t.folded) return lazily(t.title, () => drawn(page, t, rows, true)).element;
    const rest = t.rest ? rows.slice(t.rest) : [];
    return h("div", {},
      t.text ? h("p", { class: "note" }, page.prose(t.text)) : null,
      drawn(page, t, rest.length ? rows.slice(0, t.rest) : rows),
      rest.length ? h("details", {}, h("summary", {}, plural(rest.length, "more row")), drawn(page, t, rest, true)) : null);
  });
}

function drawn(page: Page, t: Table, rows: TableCell[][], hidden = false): HTMLElement {
  const heads = t.heads ?? [];
  const left = heads.map((head) => !!head.left);
  const made = table(t.title, heads.map((head) => ({ left: !!head.left, text: content(page, head) })), rows.map((row) => {
    const drawn = tableRow(row.map((cell) => content(page, cell)), left);
    row.forEach((cell, i) => shade(drawn.cells[i]!, cell));
    return drawn;
  }), hidden);
  if (rows.some((row) => row.some((cell) => cell.kind === "shaded"))) made.querySelector("table")!.className = "heat items";
  return made;
}

/** content is what a cell holds. */
function content(page: Page, cell: TableCell): Child {
  if (cell.trials) return trialLinks(cell.trials, page, false);
  const first = cell.kind === "variant" ? named(page, cell.text) : cell.kind === "best" || cell.kind === "shaded" && cell.below ? h("b", {}, cell.text)
    : cell.kind === "code" ? h("code", {}, cell.text) : cell.kind === "kept" || cell.kind === "broken" ? h("span", { class: cell.kind }, cell.text) : cell.text;
  return cell.below ? h("span", { class: "figure" }, first, cell.below.map((line) => h("small", {}, line))) : first;
}

function shade(place: HTMLTableCellElement, cell: TableCell): void {
  if (cell.title) place.title = cell.title;
  if (cell.kind !== "shaded") return;
  place.classList.add("cell");
  place.style.setProperty("--share", `${((cell.share ?? 0) * 100).toFixed(0)}%`);
}

/** finished makes the section of that id; null if there is none. */
export const finished = (id: string) => (page: Page): HTMLElement | null => {
  const s = page.sections[id];
  return s ? section(id, s.title!, h("p", { class: "note" }, s.note), h("div", { class: "parts" }, tables(page, id))) : null;
};
