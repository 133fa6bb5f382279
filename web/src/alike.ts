// Texts that differ in nothing but their numbers, said once.

const units: Record<string, number> = { "µs": 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** quantity finds a number with its unit, but none that is a part of a name. */
const quantity = new RegExp(`(?<![\\w/.-])(?:\\d+(?:,\\d{3})*(?:\\.\\d+)?)(?: ?(?:${Object.keys(units).join("|")}|%))?(?![\\w/])`, "g");

/** shape is a text without its numbers. */
export function shape(text: string): string {
  return text.replace(quantity, "#");
}

/** joined says once what texts of one shape say: "3 to 12 %" where their
 * numbers differ. */
export function joined(texts: string[]): string {
  const found = texts.map((text) => text.match(quantity) ?? []);
  let at = 0;
  return texts[0]!.replace(quantity, () => {
    const i = at++;
    return range(found.map((all) => all[i]!));
  });
}

function range(all: string[]): string {
  const sorted = [...all].sort((a, b) => size(a) - size(b));
  const [low, high] = [sorted[0]!, sorted.at(-1)!];
  if (low === high) return low;
  const unit = (text: string) => text.replace(/^[\d,.]+/, "");
  return `${unit(low) === unit(high) ? low.slice(0, low.length - unit(low).length) : low} to ${high}`;
}

function size(text: string): number {
  const unit = text.replace(/^[\d,.]+ ?/, "");
  return Number(/^[\d,.]+/.exec(text)![0].replaceAll(",", "")) * (units[unit] ?? 1);
}
