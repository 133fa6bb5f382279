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

/** looks gives every variant its look. Colour stands for the level of the factor that is compared,
 * so that a level has one colour in every figure; dash and symbol stand for the rest. Without such a
 * factor each variant has a colour of its own. */
export function looks(variants: Variant[], compared = ""): Map<string, Look> {
  const [by, form] = variants.length > 2 ? factorsOf(variants, compared) : [];
  const levels = distinct(variants, by);
  const colored = by !== undefined && levels.length <= colors && levels.length < variants.length;
  const forms = distinct(variants, form);
  const before = new Map<string, number>();
  return new Map(variants.map((variant, index) => {
    const [color, place] = colored ? [levels.indexOf(level(variant, by)), form !== undefined ? forms.indexOf(level(variant, form)) : next(before, level(variant, by))] : [index, index];
    return [variant.name, {
      color: `var(--c${color % colors})`,
      dash: dashes[place % dashes.length]!,
      symbol: symbols[place % symbols.length]!,
      index,
    }];
  }));
}

function level(variant: Variant, factor: string | undefined): string {
  return variant.factors?.[factor ?? ""] ?? "";
}

/** next counts how often a level came before. */
function next(before: Map<string, number>, level: string): number {
  const n = before.get(level) ?? 0;
  before.set(level, n + 1);
  return n;
}

/** factorsOf are the factor that colour stands for and, where just one other varies, that one. */
function factorsOf(variants: Variant[], compared: string): string[] {
  const names = new Set(variants.flatMap((v) => Object.keys(v.factors ?? {})));
  const varying = [...names].filter((name) => distinct(variants, name).length > 1).sort();
  const by = [compared, "storage", varying[0]].find((name) => name !== undefined && varying.includes(name));
  if (by === undefined) return [];
  const [form, ...more] = varying.filter((name) => name !== by);
  const once = new Set(variants.map((v) => `${level(v, by)}\n${level(v, form)}`)).size === variants.length;
  return form !== undefined && more.length === 0 && once ? [by, form] : [by];
}

function distinct(variants: Variant[], factor: string | undefined): string[] {
  return [...new Set(variants.map((v) => level(v, factor)))];
}

/** label is what people call the variant. */
export function label(variant: Variant): string {
  return variant.label || variant.name;
}
