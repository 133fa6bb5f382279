// Measures the width of a text, to leave room for labels next to a chart.

let context: CanvasRenderingContext2D | null | undefined;
let family: string | undefined;

/** fontFamily is the font family of the page. It is read once, because each read makes
 * the browser compute the style of the whole page. */
export function fontFamily(): string {
  return family ??= getComputedStyle(document.body).fontFamily;
}

/** textWidth measures a text in the page's font at the size in px. */
export function textWidth(text: string, size = 12, weight = 400): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * size * 0.55;
  context.font = `${weight} ${size}px ${fontFamily()}`;
  return context.measureText(text).width;
}

/** fit cuts the middle out of a text that is wider than the width, since names
 * of variants often differ at their ends. */
export function fit(text: string, width: number, size = 12, weight = 400): string {
  if (textWidth(text, size, weight) <= width) return text;
  for (let kept = text.length - 1; kept > 1; kept--) {
    const head = text.slice(0, Math.ceil(kept / 2)).trimEnd();
    const cut = head + "…" + text.slice(text.length - Math.floor(kept / 2)).trimStart();
    if (textWidth(cut, size, weight) <= width) return cut;
  }
  return text.slice(0, 1) + "…";
}
