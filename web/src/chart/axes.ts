// Which scale suits the numbers, and where its ticks go.

export type Scale = "linear" | "log";

/** ladderScale spreads the rungs evenly: logarithmic where the ladder
 * multiplies, linear where it adds. */
export function ladderScale(counts: number[]): Scale {
  const all = [...new Set(counts)].sort((a, b) => a - b);
  const [low, high] = [all[0] ?? 0, all.at(-1) ?? 0];
  if (all.length < 3 || low <= 0 || high / low < 8) return "linear";
  return unevenness(all.map(Math.log)) < unevenness(all) ? "log" : "linear";
}

/** unevenness is the coefficient of variation of the gaps. */
function unevenness(sorted: number[]): number {
  const gaps = sorted.slice(1).map((v, i) => v - sorted[i]!);
  const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length;
  return Math.sqrt(gaps.reduce((sum, g) => sum + (g - mean) ** 2, 0) / gaps.length) / mean;
}

/** valueScale is logarithmic where values span more than a decade. */
export function valueScale(values: number[]): Scale {
  const positive = values.filter((v) => v > 0);
  return positive.length > 1 && Math.max(...positive) / Math.min(...positive) > 12 ? "log" : "linear";
}

/** ladderTicks are the measured counts that fit the width, the first and the
 * last among them. */
export function ladderTicks(counts: number[], scale: Scale, width: number, gap = 26): number[] {
  const all = [...new Set(counts)].sort((a, b) => a - b);
  if (all.length < 2) return all;
  const map = scale === "log" ? Math.log : (v: number) => v;
  const [first, last] = [map(all[0]!), map(all.at(-1)!)];
  const at = (v: number) => ((map(v) - first) / (last - first)) * width;
  const kept = [all[0]!];
  for (const v of all.slice(1, -1)) {
    if (at(v) - at(kept.at(-1)!) >= gap && width - at(v) >= gap) kept.push(v);
  }
  return [...kept, all.at(-1)!];
}

/** reach is how far a frame makes room for ends of intervals, reference lines and the
 * like, but never so far that the values are squeezed together. */
export function reach(values: number[], others: number[]): number[] {
  const known = others.filter((v) => v > 0);
  return known.length && values.length ? [Math.max(Math.min(...known), Math.min(...values) / 2), Math.min(Math.max(...known), Math.max(...values) * 2)] : [];
}

/** logTicks are 1, 2, 5 or only decades within the domain. */
export function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const steps = decades > 3.5 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8];
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const step of steps) {
      const v = Number((step * 10 ** e).toPrecision(6));
      if (v >= low * 0.999 && v <= high * 1.001) ticks.push(v);
    }
  }
  return ticks;
}

/** spread moves labels apart that would overlap: at are wanted positions, the
 * result keeps their order, a gap between them and the range. */
export function spread(at: number[], gap: number, low: number, high: number): number[] {
  const order = at.map((_, i) => i).sort((a, b) => at[a]! - at[b]!);
  const placed = order.map((i) => at[i]!);
  for (let i = 0; i < placed.length; i++) {
    placed[i] = Math.max(placed[i]!, i === 0 ? low : placed[i - 1]! + gap);
  }
  for (let i = placed.length - 1; i >= 0; i--) {
    placed[i] = Math.min(placed[i]!, i === placed.length - 1 ? high : placed[i + 1]! - gap);
  }
  const out: number[] = new Array(at.length);
  order.forEach((i, rank) => { out[i] = placed[rank]!; });
  return out;
}
