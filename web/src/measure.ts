// How wide a text will be, to leave room for labels beside a chart.

let context: CanvasRenderingContext2D | null | undefined;

/** textWidth measures a text in the page's font at the size in px. */
export function textWidth(text: string, size = 12, weight = 400): number {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * size * 0.55;
  context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}

/** fit shortens a text to the width. */
export function fit(text: string, width: number, size = 12, weight = 400): string {
  if (textWidth(text, size, weight) <= width) return text;
  let cut = text;
  while (cut.length > 1 && textWidth(cut + "…", size, weight) > width) cut = cut.slice(0, -1);
  return cut.trimEnd() + "…";
}
