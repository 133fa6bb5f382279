// Places labels inside a frame where they do not cover the drawing.

import { textWidth } from "./measure.ts";

/** Area is a rectangle in pixels. */
export interface Area { left: number; top: number; right: number; bottom: number }

/** Spot is where a text may stand: its baseline begins or ends at x. */
export interface Spot { x: number; y: number; anchor: "start" | "end" }

/** areaOf is what a text covers in a spot. */
export function areaOf(text: string, spot: Spot, size: number): Area {
  const width = textWidth(text, size);
  const left = spot.anchor === "start" ? spot.x : spot.x - width;
  return { left, right: left + width, top: spot.y - size, bottom: spot.y + 3 };
}

/** around is the square of a point. */
export function around(x: number, y: number, r: number): Area {
  return { left: x - r, right: x + r, top: y - r, bottom: y + r };
}

/** along are small squares on the way through the points. */
export function along(points: { x: number; y: number }[], r = 2): Area[] {
  return points.slice(1).flatMap((b, i) => {
    const a = points[i]!;
    const steps = Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 6));
    return Array.from({ length: steps + 1 }, (_, k) => around(a.x + ((b.x - a.x) * k) / steps, a.y + ((b.y - a.y) * k) / steps, r));
  });
}

/** clearest is the area that covers fewest of the obstacles, the first of
 * several. */
export function clearest(areas: Area[], obstacles: Area[]): number {
  const hits = areas.map((a) => obstacles.filter((o) => a.left < o.right && o.left < a.right && a.top < o.bottom && o.top < a.bottom).length);
  return hits.indexOf(Math.min(...hits));
}
