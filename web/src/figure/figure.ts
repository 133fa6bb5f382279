// A figure: a descriptive title, the drawing, controls, and the numbers behind it as a
// table.

import { cue } from "../chart/cue.ts";
import { h, type Child } from "../chart/dom.ts";
import { saveMenu } from "../chart/export.ts";
import type { Redraws } from "./page.ts";

export interface Figure {
  id: string;
  title: string;
  note?: Child;
  draw: (width: number) => Element;
  controls?: Child[];
  numbers?: () => Element;
}

/** figure makes it and draws it again when its width or the page changes. */
export function figure(page: Redraws, f: Figure): HTMLElement {
  const holder = h("div", { class: "drawing" });
  const simulated = page.simulated();
  const numbers = f.numbers ? lazily("Numbers", f.numbers) : null;
  const element = h("figure", { id: f.id },
    h("div", { class: "top" },
      h("figcaption", {}, h("h3", {}, f.title, simulated ? h("span", { class: "badge caution" }, simulated) : null), f.note ? h("p", {}, f.note) : null),
      f.controls?.length ? h("div", { class: "controls" }, f.controls) : null,
      saveMenu({ file: `${page.name}-${f.id}`, title: simulated ? `${f.title} (${simulated})` : f.title, source: page.source, drawing: () => holder.firstElementChild, keys: () => page.keys(holder.firstElementChild!) })),
    holder, numbers?.element);
  let width = 0;
  let last = new AbortController();
  const draw = (to: number) => {
    if (to <= 0) return;
    width = to;
    last.abort();
    last = new AbortController();
    const drawing = f.draw(width);
    holder.replaceChildren(drawing);
    page.drawn(f.id, drawing, last.signal);
  };
  // The observer knows the width: asking the holder would lay the page out
  // again after every figure.
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry!.contentRect.width);
    if (now === width) return;
    if (width > 0 || page.atOnce || element.closest(".first")) draw(now);
    else page.later.add(() => draw(now));
  }).observe(holder);
  page.onRedraw(() => {
    draw(holder.clientWidth);
    numbers?.renew();
  });
  return element;
}

/** Lazy is a closed part of the page whose content is made when it is opened. */
export interface Lazy { element: HTMLDetailsElement; renew: () => void }

/** lazily makes one; renew makes its content again if it is open. */
export function lazily(name: string, make: () => Element): Lazy {
  const element: HTMLDetailsElement = h("details", { class: "numbers", ontoggle: () => renew() }, h("summary", {}, name));
  const renew = () => {
    if (element.open) element.replaceChildren(element.firstElementChild!, make());
  };
  return { element, renew };
}

/** choice is a row of buttons, one of them pressed. */
export function choice<T extends string>(
  label: string, options: readonly { value: T; text: string }[], current: T, choose: (value: T) => void,
): HTMLElement {
  const buttons = options.map((option) => h("button", {
    type: "button", value: option.value, "aria-pressed": String(option.value === current),
    onclick: () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === buttons[options.indexOf(option)]));
      choose(option.value);
    },
  }, option.text));
  return h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}

/** select is a labelled list to choose from. */
export function select<T extends string>(label: string, options: readonly { value: T; text: string; group?: string }[], current: T, choose: (value: T) => void, quiet = false): HTMLElement {
  const list = h("select", { "aria-label": label, onchange: (event) => choose((event.target as HTMLSelectElement).value as T) });
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const o of options) {
    if (o.group && !groups.has(o.group)) {
      groups.set(o.group, h("optgroup", { label: o.group }));
      list.append(groups.get(o.group)!);
    }
    (groups.get(o.group ?? "") ?? list).append(h("option", { value: o.value, selected: o.value === current }, o.text));
  }
  return h("label", { class: "select" }, quiet ? null : h("span", {}, label), list);
}

/** pick is a row of buttons or, for many options, a list. */
export function pick<T extends string>(label: string, options: readonly { value: T; text: string }[], current: T, choose: (value: T) => void): HTMLElement {
  return options.length <= 6 ? choice(label, options, current, choose) : select(label, options, current, choose);
}

/** section is a part of the page with its heading. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title" }, title), children);
}

/** Head is the head of a column. */
export interface Head { left: boolean; text: Child }

/** table makes a table in a box that scrolls sideways by itself. Columns are
 * aligned to the right unless their head starts with "<". */
export function table(caption: string, named: (string | Head)[], rows: (Child[] | HTMLTableRowElement)[], hidden = false): HTMLElement {
  const heads = named.map((head): Head => typeof head === "string" ? { left: head.startsWith("<"), text: head.replace(/^</, "") } : head);
  const left = heads.map((head) => head.left);
  const body = rows.map((row) => row instanceof HTMLTableRowElement ? row : tableRow(row, left));
  return captioned(caption, hidden,
    h("table", {},
      h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: head.left ? "left" : "" }, head.text)))),
      h("tbody", {}, body)));
}

/** captioned puts a table into its box, below its caption. The caption that is
 * seen stands outside: it must not grow as wide as the table. */
export function captioned(caption: string, hidden: boolean, element: HTMLTableElement): HTMLElement {
  return h("div", { class: "tabled" },
    hidden ? null : h("p", { class: "caption", "aria-hidden": "true" }, caption),
    cue(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, element)));
}

/** tableRow makes a row; its first cell is its head. */
export function tableRow(cells: Child[], left: boolean[], attributes: Record<string, string> = {}): HTMLTableRowElement {
  return h("tr", attributes, cells.map((cell, i) => i === 0
    ? h("th", { scope: "row", class: left[0] ? "left" : "" }, cell)
    : h("td", { class: left[i] ? "left" : "" }, cell)));
}
