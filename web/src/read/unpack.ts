// Unpacks tables and time series: gzipped JSON lines in base64, the first line
// the tables, every other one a trial.

import type { Packed, PackedTrial } from "./reading.ts";

/** unpack decodes the text of the packed script element. */
export async function unpack(text: string): Promise<Packed> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const lines = (await new Response(stream).text()).split("\n").filter((line) => line !== "");
  const head = JSON.parse(lines[0]!) as Omit<Packed, "trials">;
  return { ...head, trials: lines.slice(1).map((line) => JSON.parse(line) as PackedTrial) };
}
