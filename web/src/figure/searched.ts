// Long lists: a table of the first rows, and a search by name for the others.

import { h, type Child } from "../chart/dom.ts";
import { table } from "./figure.ts";
import { thousands } from "../read/format.ts";

/** shown is how many rows a list has at once; one of no more has no search. */
const shown = 30;

/** Entry is a row: its search text, and its cells. */
export interface Entry { name: string; cells: () => Child[] }

/** found are the entries with all words of the text in their names, in any order. */
export function found<E extends { name: string }>(all: E[], text: string): E[] {
  const parts = text.toLowerCase().split(/\s+/).filter((part) => part !== "");
  return parts.length === 0 ? all : all.filter((e) => { const name = e.name.toLowerCase(); return parts.every((part) => name.includes(part)); });
}

/** searched is a table of the entries; of more than some, those that are searched for. */
export function searched(caption: string, heads: string[], all: Entry[]): HTMLElement {
  if (all.length <= shown) return table(caption, heads, all.map((e) => e.cells()));
  const holder = h("div", {});
  const input = h("input", { type: "search", placeholder: "part of a name", oninput: () => draw() });
  const count = h("span", { class: "note", role: "status" });
  const draw = () => {
    const some = found(all, input.value);
    count.textContent = some.length > shown ? `the first ${shown} of ${thousands(some.length)}` : `${some.length} of ${thousands(all.length)}`;
    holder.replaceChildren(table(caption, heads, some.slice(0, shown).map((e) => e.cells())));
  };
  draw();
  return h("div", { class: "searched" }, h("div", { class: "controls" }, h("label", {}, "Search by name ", input), " ", count), holder);
}

/** parsed reads comma-separated values into rows of cells. */
export function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    if (match[0] === "" && row.length === 0) break;
    row.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : match[2]!);
    if (match[3] === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
