// Texts that differ in nothing but their figures, said once.

import type { Figure } from "./model.ts";

/** Said is a text with the figures in it. */
export interface Said { text: string; figures?: Figure[] }

/** joined says once what texts of one form and with the same names say: "3 to 12 %" where their
 * figures differ. */
export function joined(all: Said[]): string {
  return replaced(all[0]!, (i) => range(all.map((said) => {
    const figure = said.figures![i]!;
    return { value: figure.value ?? 0, text: part(said, figure) };
  })));
}

function part(said: Said, f: Figure): string {
  return [...said.text].slice(f.at, f.at + f.length).join("");
}

/** replaced is a text with others in the place of its figures. */
function replaced(said: Said, by: (i: number) => string): string {
  const characters = [...said.text];
  const figures = said.figures ?? [];
  const parts = figures.map((f, i) => characters.slice(i ? figures[i - 1]!.at + figures[i - 1]!.length : 0, f.at).join("") + by(i));
  const last = figures.at(-1);
  return parts.join("") + characters.slice(last ? last.at + last.length : 0).join("");
}

/** range writes the lowest and the highest of several figures, and their unit once. */
export function range(all: { value: number; text: string }[]): string {
  const sorted = [...all].sort((a, b) => a.value - b.value);
  const [low, high] = [sorted[0]!.text, sorted.at(-1)!.text];
  if (low === high) return low;
  const unit = (text: string) => /(?: .*)?$/.exec(text)![0];
  return `${unit(low) === unit(high) ? low.slice(0, low.length - unit(low).length) : low} to ${high}`;
}
