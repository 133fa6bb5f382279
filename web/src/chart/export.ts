// Figures to take away: SVG that needs nothing else, PNG of twice the size, and
// the numbers as CSV.

import { h, slug, svg } from "./dom.ts";
import { fit, textWidth } from "./measure.ts";

/** Numbers are what a figure shows, as a table; units are in the heads or in a
 * column of their own. */
export interface Numbers { heads: string[]; rows: (string | number | null | undefined)[][] }

const numbersOf = new WeakMap<Element, () => Numbers>();

/** numbered notes the numbers of a drawing, so that they can be saved. */
export function numbered<E extends Element>(drawing: E, numbers: () => Numbers): E {
  numbersOf.set(drawing, numbers);
  return drawing;
}

/** csv writes numbers as comma-separated values. */
export function csv(n: Numbers): string {
  return [n.heads, ...n.rows].map((row) => row.map((cell) => cell === null || cell === undefined ? "" : quote(cell)).join(",")).join("\n") + "\n";
}

const month = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

/** mistaken are texts that spreadsheets turn into dates, times or other numbers, as in internal/report/csv.go. */
const mistaken = new RegExp(`^(?:${[
  String.raw`\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?`, String.raw`\d{1,2}\.\d{1,2}\.\d{1,4}`,
  String.raw`\d{1,4}[-/. ]?${month}`, String.raw`${month}[-/. ]?\d{1,4}`,
  String.raw`\d+:\d+(?::\d+)?(?: ?[ap]m)?`,
  String.raw`\d*\.?\d+e[+-]?\d+`, String.raw`0\d+`, String.raw`\d{17,}`, String.raw`\d+(?:[.,]\d+)? ?%`,
].join("|")})$`, "i");

/** quote writes a cell; an apostrophe keeps a spreadsheet from taking text for something else. */
function quote(value: string | number): string {
  const text = typeof value === "string" && (/^[=+\-@\t\r]/.test(value) || mistaken.test(value)) ? `'${value}` : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** save hands a file to the browser. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Key names a line of a drawing that does not name its lines itself. */
export interface Key { label: string; color: string; dash: string }

/** Saved is a drawing with the text above it. */
export interface Saved { file: string; title: string; source: string; drawing: () => Element | null; keys?: () => Key[] }

/** saveMenu offers a drawing in three formats. */
export function saveMenu(s: Saved): HTMLElement {
  const menu = h("details", { class: "save" }, h("summary", { "aria-label": `Save ${s.title}`, title: "Save this figure" }, icon()));
  const button = (format: string, make: (drawing: SVGSVGElement) => void) => h("button", {
    type: "button", onclick: () => {
      const drawing = s.drawing();
      if (drawing instanceof SVGSVGElement) make(drawing);
      menu.open = false;
    },
  }, format);
  const name = slug(s.file);
  menu.append(h("div", {},
    button("SVG", (d) => save(`${name}.svg`, new Blob([standalone(d, s)], { type: "image/svg+xml" }))),
    button("PNG", (d) => void png(standalone(d, s)).then((image) => save(`${name}.png`, image))),
    button("CSV", (d) => save(`${name}.csv`, new Blob([csv(numbersOf.get(d)?.() ?? { heads: [], rows: [] })], { type: "text/csv" })))));
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")!.focus();
  });
  return menu;
}

function icon(): Element {
  return svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" },
    svg("path", { d: "M7,1 V9 M3.5,5.8 L7,9.2 L10.5,5.8 M1.5,12.5 H12.5", fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}

const margin = 16;
const titleHeight = 44;
const keyHeight = 20;

/** standalone is a drawing as a file of its own: with its title, and colours and
 * fonts as they are on the page now. */
export function standalone(drawing: SVGSVGElement, s: Saved): string {
  const keys = s.keys?.() ?? [];
  const [width, height] = [drawing.width.baseVal.value, drawing.height.baseVal.value];
  const top = titleHeight + (keys.length ? keyHeight : 0);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("y", String(top));
  copy.setAttribute("x", String(margin));
  copy.setAttribute("overflow", "visible");
  const [w, h2] = [Math.ceil(width) + 2 * margin, Math.ceil(height) + top + margin];
  const outer = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: w, height: h2, viewBox: `0 0 ${w} ${h2}`, "font-family": "inherit" },
    svg("title", {}, s.title), svg("desc", {}, drawing.getAttribute("aria-description") ?? drawing.querySelector("desc")?.textContent ?? ""),
    svg("rect", { width: w, height: h2, fill: "var(--page)" }),
    svg("text", { x: margin, y: 20, "font-size": 15, "font-weight": 600, fill: "var(--ink)" }, fit(s.title, w - 2 * margin, 15, 600)),
    svg("text", { x: margin, y: 37, "font-size": 12, fill: "var(--muted)" }, fit(s.source, w - 2 * margin, 12)),
    keyRow(keys, w), copy);
  const stage = h("div", { style: "position:absolute;left:-99999px;top:0", "aria-hidden": "true" }, outer);
  document.body.append(stage);
  copy.querySelectorAll('.cursor, .points, .tip, [aria-label="tip"], style').forEach((e) => e.remove());
  resolve(outer);
  stage.remove();
  return new XMLSerializer().serializeToString(outer);
}

function keyRow(keys: Key[], width: number): SVGElement {
  let x = margin;
  return svg("g", {}, keys.map((k) => {
    const at = x;
    x += textWidth(k.label, 12) + 46;
    return x > width + 20 ? null : svg("g", { transform: `translate(${at} ${titleHeight + 10})` },
      svg("line", { x1: 0, x2: 22, y1: 0, y2: 0, stroke: k.color, "stroke-width": 2, "stroke-dasharray": k.dash }),
      svg("text", { x: 27, y: 4, "font-size": 12, fill: "var(--ink)" }, k.label));
  }));
}

/** inherited are properties that the page's style sets; they are written where
 * they change. own are those that are not handed down, with their usual value. */
const inherited = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order",
  "font-family", "font-size", "font-weight", "font-variant-numeric", "text-anchor", "visibility"];
const own = { opacity: "1", "dominant-baseline": "auto", display: "inline" };

/** resolve writes the looks of an element and all below it as attributes. */
function resolve(root: SVGElement): void {
  const looks = new Map([root, ...root.querySelectorAll<SVGElement>("*:not(title, desc)")].map((e) => [e as Element, read(e)]));
  for (const [e, look] of looks) {
    const outside = e === root ? undefined : looks.get(e.parentElement!);
    e.removeAttribute("style");
    e.removeAttribute("class");
    for (const name of inherited) {
      if (look[name] !== outside?.[name]) e.setAttribute(name, look[name]!);
      else e.removeAttribute(name);
    }
    for (const [name, usual] of Object.entries(own)) if (look[name] !== usual && e !== root) e.setAttribute(name, look[name]!);
  }
}

function read(e: Element): Record<string, string> {
  const style = getComputedStyle(e);
  return Object.fromEntries([...inherited, ...Object.keys(own)].map((name) => [name, style.getPropertyValue(name)]));
}

/** png draws an SVG at twice its size. The image is a data: address, as the
 * page's policy allows. */
async function png(text: string): Promise<Blob> {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  await image.decode();
  const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  context.drawImage(image, 0, 0);
  return new Promise((done, failed) => canvas.toBlob((blob) => blob ? done(blob) : failed(new Error("The image could not be written.")), "image/png"));
}
