// Bars of parts: what each value consists of, one row a value.

import { svg } from "./dom.ts";
import { numbered, type Numbers } from "./export.ts";
import { fit, textWidth } from "./measure.ts";

/** Segment is a part of a stack. */
export interface Segment { name: string; color: string; value: number; text: string }

/** Stack is a value with its parts. Whole is the value as it was measured, which parts may not reach or may exceed. */
export interface Stack { label: string; whole: number; text: string; segments: Segment[] }

/** Stacks says what to draw. */
export interface Stacks { label: string; unit: string; description: string; width: number; stacks: Stack[]; limit?: { value: number; text: string } }

const rowHeight = 26;
const keyHeight = 18;

/** drawStacks draws horizontal bars from zero, with a key above them. */
export function drawStacks(s: Stacks): Element {
  const left = Math.max(...s.stacks.map((one) => textWidth(one.label, 12.5, 600))) + 10;
  const right = Math.max(...s.stacks.map((one) => textWidth(one.text, 12))) + 14;
  const most = Math.max(s.limit?.value ?? 0, ...s.stacks.map((one) => Math.max(one.whole, sum(one))));
  const x = (v: number) => left + (v / most) * (s.width - left - right);
  const keys = placed(keysOf(s), s.width);
  const top = ((keys.at(-1)?.row ?? 0) + 1) * keyHeight + (s.limit ? 20 : 6);
  const height = top + s.stacks.length * rowHeight + 4;
  return numbered(svg("svg", { width: s.width, height, viewBox: `0 0 ${s.width} ${height}`, role: "img", "aria-label": s.label, class: "bars" },
    svg("desc", {}, s.description),
    keys.map((k) => svg("g", {},
      svg("rect", { x: k.x, y: k.row * keyHeight + 2, width: 11, height: 11, fill: k.color }),
      svg("text", { x: k.x + 16, y: k.row * keyHeight + 12, class: "axis-label" }, k.name))),
    svg("line", { x1: left, x2: left, y1: top - 4, y2: height, stroke: "var(--muted)" }),
    s.stacks.map((one, i) => row(one, top + i * rowHeight, left, x)),
    s.limit ? svg("line", { x1: x(s.limit.value), x2: x(s.limit.value), y1: top - 6, y2: height, stroke: "var(--bad)", "stroke-width": 1.25 }) : null,
    s.limit ? svg("text", { x: x(s.limit.value), y: top - 9, "text-anchor": x(s.limit.value) > s.width * 0.7 ? "end" : "middle", class: "limit-label" }, s.limit.text) : null), () => numbersOf(s));
}

function sum(one: Stack): number {
  return one.segments.reduce((all, part) => all + part.value, 0);
}

function row(one: Stack, y: number, left: number, x: (v: number) => number): SVGElement {
  let from = 0;
  const middle = y + rowHeight / 2 - 3;
  const parts = one.segments.map((part) => {
    const begin = from;
    from += part.value;
    return svg("rect", { x: x(begin), y, width: Math.max(x(from) - x(begin), 0), height: rowHeight - 8, fill: part.color, "fill-opacity": 0.85, stroke: "var(--page)", "stroke-width": 0.5 },
      svg("title", {}, `${one.label}: ${part.name}, ${part.text}`));
  });
  return svg("g", {},
    svg("text", { x: left - 8, y: middle + 4, "text-anchor": "end", class: "line-label", fill: "var(--ink)" }, fit(one.label, left - 10, 12.5, 600)),
    parts,
    svg("line", { x1: x(one.whole), x2: x(one.whole), y1: y - 3, y2: y + rowHeight - 5, stroke: "var(--ink)", "stroke-width": 1.75 }),
    svg("text", { x: Math.max(x(one.whole), x(from)) + 6, y: middle + 4, class: "bar-text" }, one.text));
}

interface Key { name: string; color: string }

/** keysOf are the parts of all stacks, each once. */
function keysOf(s: Stacks): Key[] {
  const all = new Map<string, string>();
  for (const part of s.stacks.flatMap((one) => one.segments)) all.set(part.name, part.color);
  return [...all].map(([name, color]) => ({ name, color }));
}

/** placed puts keys side by side, in as many rows as the width needs. */
export function placed(keys: Key[], width: number): (Key & { x: number; row: number })[] {
  let x = 0;
  let row = 0;
  return keys.map((k) => {
    const wide = textWidth(k.name, 12) + 32;
    if (x > 0 && x + wide > width) {
      x = 0;
      row++;
    }
    const at = { ...k, x, row };
    x += wide;
    return at;
  });
}

function numbersOf(s: Stacks): Numbers {
  return { heads: ["name", "part", "value", "unit"], rows: s.stacks.flatMap((one) => [...one.segments.map((part) => [one.label, part.name, part.value, s.unit]), [one.label, "measured", one.whole, s.unit]]) };
}
