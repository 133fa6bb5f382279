// How a variant looks in every figure: colour, dash and symbol. The colours
// are Okabe and Ito's, darkened for light pages and lightened for dark ones
// until each has a contrast of at least 4.5:1 with the page; style.css holds
// them as --c0 to --c6. Dash and symbol tell variants apart without colour.

import type { Variant } from "../read/model.ts";

export interface Look { color: string; dash: string; symbol: Symbol; index: number }

export type Symbol = "circle" | "square" | "triangle" | "diamond" | "star" | "wye" | "times";

/** shapes are the symbols as paths around the origin. */
export const shapes: Record<Symbol, string> = {
  circle: "M-4,0 a4,4 0 1,0 8,0 a4,4 0 1,0 -8,0",
  triangle: "M0,-5 L4.6,3.2 L-4.6,3.2 Z",
  square: "M-3.6,-3.6 h7.2 v7.2 h-7.2 Z",
  diamond: "M0,-5 L3.6,0 L0,5 L-3.6,0 Z",
  star: "M0,-5.4 L1.3,-1.7 L5.1,-1.7 L2,0.7 L3.2,4.4 L0,2.1 L-3.2,4.4 L-2,0.7 L-5.1,-1.7 L-1.3,-1.7 Z",
  wye: "M-1.2,5 V1 L-4.6,-1.2 L-3.4,-3.2 L0,-1.2 L3.4,-3.2 L4.6,-1.2 L1.2,1 V5 Z",
  times: "M-3.6,-3.6 L3.6,3.6 M-3.6,3.6 L3.6,-3.6",
};

const symbols: Symbol[] = ["circle", "triangle", "square", "diamond", "star", "wye", "times"];
const dashes = ["", "7 3", "2 3", "10 3 2 3", "12 4", "4 2", "1 2"];
export const colors = 7;

/** looks gives every variant its look. Where the variants are made of two
 * factors, colour stands for one and dash and symbol for the other, so that
 * what belongs together looks alike. */
export function looks(variants: Variant[]): Map<string, Look> {
  const pair = variants.length > 2 ? twoFactors(variants) : null;
  return new Map(variants.map((variant, index) => {
    const color = pair ? pair.first.indexOf(level(variant, pair.colorBy)) : index;
    const form = pair ? pair.second.indexOf(level(variant, pair.formBy)) : index;
    return [variant.name, {
      color: `var(--c${color % colors})`,
      dash: dashes[form % dashes.length]!,
      symbol: symbols[form % symbols.length]!,
      index,
    }];
  }));
}

interface Pair { colorBy: string; formBy: string; first: string[]; second: string[] }

function level(variant: Variant, factor: string): string {
  return variant.factors?.[factor] ?? "";
}

/** twoFactors finds the two factors that vary, if there are just two and every
 * combination is there once. The one named storage gets the colour. */
function twoFactors(variants: Variant[]): Pair | null {
  const names = new Set(variants.flatMap((v) => Object.keys(v.factors ?? {})));
  const varying = [...names].filter((name) => distinct(variants, name).length > 1).sort();
  if (varying.length !== 2) return null;
  const colorBy = varying.includes("storage") ? "storage" : varying[0]!;
  const formBy = varying.find((name) => name !== colorBy)!;
  const first = distinct(variants, colorBy);
  const second = distinct(variants, formBy);
  const once = new Set(variants.map((v) => `${level(v, colorBy)}\n${level(v, formBy)}`)).size === variants.length;
  return once && first.length <= colors && second.length <= symbols.length ? { colorBy, formBy, first, second } : null;
}

function distinct(variants: Variant[], factor: string): string[] {
  return [...new Set(variants.map((v) => level(v, factor)))];
}

/** label is what people call the variant. */
export function label(variant: Variant): string {
  return variant.label || variant.name;
}
