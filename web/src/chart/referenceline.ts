// The line of another run behind one of ours: thin and dashed, with small open
// points, so that nobody takes it for a measurement of this run.

import { svg } from "./dom.ts";
import type { Interval } from "../read/model.ts";

/** ReferenceLine is what another run, or a publication, measured in place of a line. */
export interface ReferenceLine {
  key: string;
  label: string; // at its end
  kind: string; // in the numbers of the chart
  dash: string;
  dots: { n: number; value: number; low: number; high: number; title: string; change?: Interval; verdict?: string }[];
}

interface Place { x: number; y: number }

interface Frame { left: number; right: number; top: number; bottom: number }

/** within cuts a way through places at the edges of a frame. It gives the pieces
 * that lie inside. */
export function within(places: Place[], f: Frame): Place[][] {
  const pieces: Place[][] = [[]];
  const fine = places.flatMap((a, i) => i + 1 < places.length ? between(a, places[i + 1]!) : [a]);
  for (const p of fine) {
    if (p.x >= f.left - 0.5 && p.x <= f.right + 0.5 && p.y >= f.top - 0.5 && p.y <= f.bottom + 0.5) pieces.at(-1)!.push(p);
    else if (pieces.at(-1)!.length) pieces.push([]);
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** between are places about 2 px apart, from a to just before b. */
function between(a: Place, b: Place): Place[] {
  const steps = Math.min(2000, Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 2)));
  return Array.from({ length: steps }, (_, k) => ({ x: a.x + ((b.x - a.x) * k) / steps, y: a.y + ((b.y - a.y) * k) / steps }));
}

/** referenceLine draws it: its way in pieces, and its points with their intervals. */
export function referenceLine(g: ReferenceLine, color: string, way: Place[][], dots: (Place & { low: number; high: number })[], f: Frame): SVGElement {
  const clamp = (y: number) => Math.min(Math.max(y, f.top), f.bottom);
  return svg("g", { class: "reference", "data-line": g.key, stroke: color, fill: "none" },
    way.map((piece) => svg("path", { d: "M" + piece.map((p) => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join("L"), "stroke-width": 1.25, "stroke-dasharray": g.dash, "stroke-opacity": 0.8 })),
    dots.filter((d) => d.low !== d.high).map((d) => svg("line", { x1: d.x, x2: d.x, y1: clamp(d.low), y2: clamp(d.high), "stroke-opacity": 0.5 })),
    dots.map((d) => svg("circle", { cx: d.x, cy: d.y, r: 2.25, fill: "var(--page)" })));
}
