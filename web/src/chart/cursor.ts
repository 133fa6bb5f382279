// The rung cursor: one count of instances at which every chart against the
// ladder shows its values; and what a point of a chart leads to.

import type * as Plot from "@observablehq/plot";
import { spread } from "./axes.ts";
import { chartOf } from "./chart.ts";
import type { Chart, Dot, Line } from "./chartdata.ts";
import { svg } from "./dom.ts";
import { thousands } from "../read/format.ts";
import { textWidth } from "./measure.ts";
import type { State } from "../read/state.ts";

/** Rung is where the cursor of a page stands: where the pointer is or else where
 * it was pinned. */
export class Rung {
  /** open shows the trial of a variant at a count, next to the current one if asked;
   * false if there is no such trial. */
  open: (variant: string, n: number, beside: boolean) => boolean = () => false;
  private pointed: number | null = null;
  private readonly moves = new Set<() => void>();

  constructor(private readonly state: State) {}

  get at(): number | null {
    return this.pointed ?? this.pinned;
  }

  get pinned(): number | null {
    return this.state.choices.rung;
  }

  onMove(move: () => void, signal: AbortSignal): void {
    this.moves.add(move);
    signal.addEventListener("abort", () => this.moves.delete(move));
  }

  /** point moves the cursor while the pointer or the focus is on a chart. */
  point(n: number | null): void {
    if (n === this.pointed) return;
    this.pointed = n;
    this.moved();
  }

  /** pin leaves the cursor at a count; figure is where that was done. */
  pin(n: number | null, figure: string): void {
    this.pointed = null;
    this.state.set({ rung: n, ...(figure ? { anchor: figure } : {}) });
    this.moved();
  }

  moved(): void {
    this.moves.forEach((move) => move());
  }
}

/** near is how close to a point the pointer means it, in px. */
const near = 14;

/** follow gives a chart against the ladder the cursor of its page; signal ends
 * when it is drawn anew. */
export function follow(rung: Rung, figure: string, drawing: Element, signal: AbortSignal): void {
  const c = chartOf.get(drawing);
  if (!c || c.xFormat) return;
  const frame = frameOf(c, drawing as unknown as Plot.Plot);
  const layer = svg("g", { class: "cursor", "aria-hidden": "true", "text-anchor": "start" });
  const tip = drawing.querySelector('.points, [aria-label="tip"]');
  if (tip) tip.before(layer);
  else drawing.append(layer);
  const draw = () => layer.replaceChildren(...(rung.at === null ? [] : marks(c, frame, rung.at)));
  rung.onMove(draw, signal);
  draw();
  byPointer(rung, figure, drawing as SVGSVGElement, frame, signal);
  byKeys(rung, figure, drawing as SVGSVGElement, c, signal);
}

/** Frame is the geometry of a chart: its scales and its edges in px, and where
 * its points are. */
interface Frame { x: (n: number) => number; y: (v: number) => number; left: number; right: number; top: number; bottom: number; counts: number[]; points: Point[] }

interface Point { line: Line; dot: Dot; x: number; y: number }

function frameOf(c: Chart, plot: Plot.Plot): Frame {
  const [xs, ys] = [plot.scale("x")!, plot.scale("y")!];
  const [left, right] = xs.range as [number, number];
  const [bottom, top] = ys.range as [number, number];
  const [x, y] = [xs.apply as Frame["x"], ys.apply as Frame["y"]];
  const points = c.lines.filter((l) => !l.faint).flatMap((line) => line.dots.map((dot) => ({ line, dot, x: x(dot.n), y: y(dot.value) })));
  return { x, y, left, right, top, bottom, counts: [...new Set(c.counts)].sort((a, b) => a - b), points };
}

/** marks are the cursor's line, the count on the axis, and each line's value. */
function marks(c: Chart, f: Frame, n: number): SVGElement[] {
  const x = f.x(n);
  if (!(x >= f.left - 1 && x <= f.right + 1)) return [];
  const name = thousands(n);
  const half = textWidth(name, 12, 600) / 2 + 5;
  const here = f.points.filter((p) => p.dot.n === n && p.y >= f.top - 1);
  return [
    svg("line", { x1: x, x2: x, y1: f.top, y2: f.bottom, stroke: "var(--ink)", "stroke-opacity": 0.55 }),
    svg("rect", { x: x - half, y: f.bottom + 3, width: 2 * half, height: 17, rx: 3, fill: "var(--ink)" }),
    svg("text", { x, y: f.bottom + 16, "text-anchor": "middle", class: "cursor-count" }, name),
    ...values(c, f, here, x),
  ];
}

/** values are written next to the points, on the side with room. */
function values(c: Chart, f: Frame, here: Point[], x: number): SVGElement[] {
  const texts = here.map((p) => (c.write ?? c.format)(p.dot.value));
  const room = Math.max(0, ...texts.map((t) => textWidth(t, 12, 600))) + 12;
  const leftwards = x + room > f.right && x - room > f.left;
  const placed = spread(here.map((p) => p.y), 14, f.top + 4, f.bottom - 4);
  return here.flatMap((p, i) => [
    svg("circle", { cx: p.x, cy: p.y, r: 7, fill: "none", stroke: p.line.color, "stroke-width": 1.5 }),
    svg("text", { x: leftwards ? x - 11 : x + 11, y: placed[i]! + 4, "text-anchor": leftwards ? "end" : "start", fill: p.line.color, class: "cursor-value halo" }, texts[i]),
  ]);
}

function byPointer(rung: Rung, figure: string, drawing: SVGSVGElement, f: Frame, signal: AbortSignal): void {
  const at = (event: PointerEvent | MouseEvent) => {
    const box = drawing.getBoundingClientRect();
    const scale = drawing.width.baseVal.value / box.width || 1;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  };
  const inside = (p: { x: number; y: number }) => p.x >= f.left - near && p.x <= f.right + near && p.y >= f.top - near && p.y <= f.bottom + 24;
  drawing.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const p = at(event);
    rung.point(inside(p) ? nearest(f.counts, (n) => Math.abs(f.x(n) - p.x)) : null);
    drawing.style.cursor = !inside(p) ? "" : pointAt(f, p) ? "pointer" : "crosshair";
  }, { signal });
  drawing.addEventListener("pointerleave", () => rung.point(null), { signal });
  drawing.addEventListener("click", (event) => {
    const p = at(event);
    if (!inside(p)) return;
    const point = pointAt(f, p);
    if (point?.line.variant && rung.open(point.line.variant, point.dot.n, event.shiftKey)) return;
    const n = nearest(f.counts, (count) => Math.abs(f.x(count) - p.x));
    rung.pin(n === rung.pinned ? null : n, figure);
  }, { signal });
}

function nearest<T>(all: T[], distance: (one: T) => number): T {
  return all.reduce((best, one) => distance(one) < distance(best) ? one : best);
}

function pointAt(f: Frame, p: { x: number; y: number }): Point | null {
  if (f.points.length === 0) return null;
  const distance = (one: Point) => Math.hypot(one.x - p.x, one.y - p.y);
  const best = nearest(f.points, distance);
  return distance(best) <= near ? best : null;
}

/** byKeys moves the cursor with the arrow keys, from a chart or a point of it
 * (data-n, data-line), and opens a point's trial with Enter. */
function byKeys(rung: Rung, figure: string, drawing: SVGSVGElement, c: Chart, signal: AbortSignal): void {
  const counts = [...new Set(c.counts)].sort((a, b) => a - b);
  if (!drawing.querySelector("[data-n]")) drawing.setAttribute("tabindex", "0");
  const pointOf = (event: Event) => (event.target as Element).closest<SVGElement>("[data-n]");
  // A chart moves the focus between its points by itself: the cursor follows.
  const focused = () => Number(document.activeElement?.getAttribute("data-n")) || undefined;
  drawing.addEventListener("focusin", (event) => {
    const point = pointOf(event);
    if (point) rung.point(Number(point.dataset["n"]));
  }, { signal });
  drawing.addEventListener("focusout", () => rung.point(null), { signal });
  drawing.addEventListener("keydown", (event) => {
    const point = pointOf(event);
    if (event.key === "Enter" && point) {
      const line = c.lines.find((l) => l.key === point.dataset["line"]);
      if (line?.variant) rung.open(line.variant, Number(point.dataset["n"]), event.shiftKey);
      return;
    }
    const next = event.key === "Escape" ? null : point ? focused() : stepped(counts, rung.at, event.key);
    if (next === undefined) return;
    event.preventDefault();
    rung.pin(next, figure);
  }, { signal });
}

/** stepped is the count that a key leads to, undefined for keys that mean
 * nothing here. */
export function stepped(counts: number[], at: number | null, key: string): number | undefined {
  if (key === "Home") return counts[0];
  if (key === "End") return counts.at(-1);
  if (key === "ArrowRight") return counts.find((n) => at === null || n > at) ?? counts.at(-1);
  if (key === "ArrowLeft") return counts.filter((n) => at === null || n < at).at(-1) ?? counts[0];
  return undefined;
}
