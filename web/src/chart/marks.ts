// Places and draws the marks of what happened in a trial: names and bars above a
// panel of time series, and how faults are told apart.

import { svg } from "./dom.ts";
import { fit, textWidth } from "./measure.ts";
import { clock, effect, type Moment } from "../read/moments.ts";
import { drawing, type Point } from "./points.ts";

const rowHeight = 19;
const fontSize = 11.5;
const iconWidth = 11;
const gap = 6;

/** Placed is a mark above a panel: a bar over the time of a fault's effect with
 * its name, or the numbers of events that are too close to be told apart. */
export interface Placed { moments: Moment[]; row: number; from: number; to: number; text: string; x: number; width: number }

/** Frame is the part of the axis that is seen: x in pixels, and what is written. */
export interface Frame { left: number; right: number; x: (seconds: number) => number; width: (text: string) => number; fit: (text: string, width: number) => string }

/** placed gives every moment in the frame a mark. Faults have rows of their own
 * wherever their bars or names would overlap; all others share the last row. */
export function placed(all: Moment[], f: Frame): Placed[] {
  const seen = all.filter((m) => f.x(m.until ?? m.at) >= f.left - 0.5 && f.x(m.at) <= f.right + 0.5);
  const faults: Placed[] = [];
  for (const m of seen.filter((m) => m.fault)) faults.push(inRow(bar(m, f), faults));
  const rows = 1 + Math.max(-1, ...faults.map((p) => p.row));
  return [...faults, ...numbers(seen.filter((m) => !m.fault), f).map((p) => ({ ...p, row: rows }))];
}

/** rowCount is how many rows marks stand in. */
export function rowCount(marks: Placed[]): number {
  return 1 + Math.max(-1, ...marks.map((p) => p.row));
}

function bar(m: Moment, f: Frame): Placed {
  const inside = (x: number) => Math.min(Math.max(x, f.left), f.right);
  const [from, to] = [inside(f.x(m.at)), inside(f.x(m.until ?? m.at))];
  const text = f.fit(m.fault, f.right - f.left - iconWidth);
  const width = f.width(text) + iconWidth;
  return { moments: [m], row: 0, from, to, text, x: Math.max(f.left, Math.min(from, f.right - width)), width };
}

/** inRow puts a mark into the first row where it overlaps no other. */
function inRow(p: Placed, others: Placed[]): Placed {
  const covers = (o: Placed) => [Math.min(o.from, o.x) - gap / 2, Math.max(o.to, o.x + o.width) + gap / 2] as const;
  const [low, high] = covers(p);
  let row = 0;
  while (others.some((o) => o.row === row && covers(o)[0] < high && low < covers(o)[1])) row++;
  return { ...p, row };
}

/** numbers puts each event's number at its time, and joins those that would overlap. */
function numbers(events: Moment[], f: Frame): Placed[] {
  const groups: Placed[] = [];
  for (const m of [...events].sort((a, b) => a.at - b.at)) {
    let own = number([m], f);
    for (let last = groups.at(-1); last && own.x < last.x + last.width + gap; last = groups.at(-1)) {
      groups.pop();
      own = number([...last.moments, ...own.moments], f);
    }
    groups.push(own);
  }
  return groups;
}

function number(events: Moment[], f: Frame): Placed {
  const [first, last] = [events[0]!, events.at(-1)!];
  const text = first === last ? `${first.number}` : `${first.number}…${last.number}`;
  const width = f.width(text);
  const [from, to] = [f.x(first.at), f.x(last.at)];
  const x = Math.max(f.left, Math.min((from + to - width) / 2, f.right - width));
  return { moments: events, row: 0, from, to, text, x, width };
}

/** icons stand before the name of a fault and of a repair. */
export const icons = { fault: "M1.5,-5.5 L-3.2,1 H-0.4 L-1.5,5.5 L3.2,-1.4 H0.5 Z", repair: "M-1.4,-4.5 H1.4 V-1.4 H4.5 V1.4 H1.4 V4.5 H-1.4 V1.4 H-4.5 V-1.4 H-1.4 Z" };

/** edges are the dashes that tell one fault's lines from another's. */
const edges = [[], [6, 3], [2, 2], [8, 2, 2, 2]];

/** edgeOf is the dash of a fault among all of its trial. */
export function edgeOf(m: Moment, all: Moment[]): number[] {
  return edges[all.filter((o) => o.fault).indexOf(m) % edges.length] ?? [];
}

/** eventOpacity is the opacity of event lines: there may be many at one moment. */
export const eventOpacity = 0.5;

/** colorOf names the colour of a moment. */
export function colorOf(m: Moment): string {
  return m.repairs ? "--good" : m.fault ? "--bad" : "--muted";
}

/** frameOf is what an axis shows. */
export function frameOf(left: number, right: number, x: (seconds: number) => number): Frame {
  return { left, right, x, width: (text) => textWidth(text, fontSize), fit: (text, width) => fit(text, width, fontSize) };
}

/** heightOf is what marks need above a panel. */
export function heightOf(marks: Placed[]): number {
  return marks.length ? rowCount(marks) * rowHeight + 1 : 0;
}

/** drawMarks draws the marks in a group, from y = 0 on. */
export function drawMarks(marks: Placed[], all: Moment[]): SVGElement {
  return svg("g", { class: "moments", "text-anchor": "start" }, marks.map((p) => p.moments[0]!.fault ? named(p, all) : counted(p)));
}

function named(p: Placed, all: Moment[]): SVGElement {
  const m = p.moments[0]!;
  const color = `var(${colorOf(m)})`;
  const [y, below] = [p.row * rowHeight, p.row * rowHeight + 16.5];
  return svg("g", { class: "fault" },
    svg("path", { d: icons[m.repairs ? "repair" : "fault"], transform: `translate(${p.x + 4} ${y + 7})`, fill: color }),
    svg("text", { x: p.x + iconWidth, y: y + 11, "font-size": fontSize, fill: color }, p.text),
    p.to > p.from ? svg("line", { x1: p.from, x2: p.to, y1: below, y2: below, stroke: color, "stroke-width": 3, "stroke-dasharray": edgeOf(m, all).join(" ") }) : null,
    svg("line", { x1: p.from, x2: p.from, y1: below - 2.5, y2: below + 2.5, stroke: color }));
}

function counted(p: Placed): SVGElement {
  return svg("text", { x: p.x, y: p.row * rowHeight + 13, "font-size": fontSize, fill: "var(--muted)" }, p.text);
}

/** strip draws the marks as a drawing of their own above a panel, each with a
 * tip for pointer and keyboard. */
export function strip(all: Moment[], f: Frame, width: number): Element {
  const marks = placed(all, f);
  const height = heightOf(marks);
  const points = [...marks].sort((a, b) => a.moments[0]!.at - b.moments[0]!.at).map((p): Point => ({
    x: p.x + Math.min(4, p.width / 2), y: p.row * rowHeight + 7, n: p.moments[0]!.number, key: "moments", title: tip(p, width),
  }));
  return drawing(svg("svg", { class: "strip", width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": "Faults and events" }, drawMarks(marks, all)), points);
}

const tipLines = 6;

function tip(p: Placed, width: number): string {
  const m = p.moments[0]!;
  if (m.fault) return `${m.fault}\n${effect(m)}`;
  const lines = p.moments.map((e) => fit(`${e.number}  ${clock(e.at)}  ${e.text}`, width - 28, 12, 600));
  return lines.length > tipLines ? [...lines.slice(0, tipLines - 1), `and ${lines.length - tipLines + 1} more`].join("\n") : lines.join("\n");
}
