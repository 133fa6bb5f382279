// Figures of several trials, said once.

/** range writes the lowest and the highest of several figures, and their unit once. */
export function range(all: { value: number; text: string }[]): string {
  const sorted = [...all].sort((a, b) => a.value - b.value);
  const [low, high] = [sorted[0]!.text, sorted.at(-1)!.text];
  if (low === high) return low;
  const unit = (text: string) => /(?: .*)?$/.exec(text)![0];
  return `${unit(low) === unit(high) ? low.slice(0, low.length - unit(low).length) : low} to ${high}`;
}
