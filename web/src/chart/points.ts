// The points of a figure: reached by pointer and by keyboard, each with its tip.

import { svg } from "./dom.ts";
import { textWidth } from "./measure.ts";

/** Point lies at x and y in pixels; points of one line share its key. */
export interface Point { x: number; y: number; n: number; key: string; title: string }

const reach = 50; // px from the pointer within which a point shows its tip
const lineHeight = 16;

/** drawing makes a plot something to be read: a group with a name whose points
 * can be focused, or an image where it has none. What else is in it is for the
 * eye alone; the description says it in words. */
export function drawing(plot: Element, points: Point[] = []): Element {
  for (const child of plot.children) child.setAttribute("aria-hidden", "true");
  plot.setAttribute("role", points.length ? "group" : "img");
  if (points.length) addPoints(plot, points);
  return plot;
}

/** addPoints lays the points over a plot. Tab reaches the first of them, the
 * arrows lead from one to the next. */
function addPoints(plot: Element, points: Point[]): void {
  const tip = svg("g", { class: "tip", "aria-hidden": "true", "pointer-events": "none" });
  const marks = points.map((p, i) => svg("circle", {
    class: "point", cx: p.x, cy: p.y, r: 8, fill: "none", "pointer-events": "none", role: "img", tabindex: i ? -1 : 0,
    "aria-label": p.title.replaceAll("\n", ", "), "data-n": p.n, "data-line": p.key,
  }));
  const show = (p: Point | undefined) => tip.replaceChildren(...(p ? [tipOf(p, Number(plot.getAttribute("width")))] : []));
  const focus = (i: number) => {
    marks.forEach((mark, at) => mark.setAttribute("tabindex", at === i ? "0" : "-1"));
    marks[i]!.focus();
  };
  plot.append(svg("g", { class: "points" }, marks), tip);
  plot.addEventListener("pointermove", (event) => show(nearest(points, ...within(plot, event as PointerEvent))));
  plot.addEventListener("pointerleave", () => show(undefined));
  plot.addEventListener("focusin", (event) => show(points[marks.indexOf(event.target as SVGCircleElement)]));
  plot.addEventListener("focusout", () => show(undefined));
  plot.addEventListener("keydown", (event) => {
    const { key } = event as KeyboardEvent;
    if (key === "Escape") show(undefined);
    const to = next(points, marks.indexOf(event.target as SVGCircleElement), key);
    if (to < 0) return;
    event.preventDefault();
    focus(to);
  });
}

/** within is where the pointer is, in the plot's own pixels. */
function within(plot: Element, event: PointerEvent): [number, number] {
  const box = plot.getBoundingClientRect();
  const scale = Number(plot.getAttribute("width")) / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
}

function nearest(points: Point[], x: number, y: number): Point | undefined {
  const distance = (p: Point) => Math.hypot(p.x - x, p.y - y);
  const best = points.reduce<Point | undefined>((a, b) => (a && distance(a) <= distance(b) ? a : b), undefined);
  return best && distance(best) <= reach ? best : undefined;
}

/** next is the point to which a key leads from another: left and right along
 * the line, up and down to the next line, -1 for none. */
export function next(points: { n: number; key: string; y: number }[], from: number, key: string): number {
  const at = points[from];
  if (!at) return -1;
  const index = (list: typeof points, i: number) => (list[i] ? points.indexOf(list[i]) : -1);
  const line = points.filter((p) => p.key === at.key).sort((a, b) => a.n - b.n);
  const rung = points.filter((p) => p.n === at.n).sort((a, b) => a.y - b.y);
  switch (key) {
    case "ArrowLeft": return index(line, line.indexOf(at) - 1);
    case "ArrowRight": return index(line, line.indexOf(at) + 1);
    case "ArrowUp": return index(rung, rung.indexOf(at) - 1);
    case "ArrowDown": return index(rung, rung.indexOf(at) + 1);
    case "Home": return index(line, 0);
    case "End": return index(line, line.length - 1);
    default: return -1;
  }
}

/** tipOf draws a point's tip above it, or below where there is no room. */
function tipOf(p: Point, width: number): SVGElement {
  const lines = p.title.split("\n");
  const w = Math.max(...lines.map((text, i) => textWidth(text, 12, i ? 400 : 600))) + 20;
  const tall = lines.length * lineHeight + 12;
  const x = Math.max(2, Math.min(p.x - w / 2, width - w - 2));
  const y = p.y - tall - 12 < 0 ? p.y + 12 : p.y - tall - 12;
  return svg("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
    svg("rect", { width: w, height: tall, rx: 4, fill: "var(--surface)", stroke: "var(--faint)" }),
    lines.map((text, i) => svg("text", { x: 10, y: 6 + lineHeight * (i + 0.75), fill: "var(--ink)", "font-weight": i ? 400 : 600 }, text)));
}
