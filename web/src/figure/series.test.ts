import assert from "node:assert/strict";
import test from "node:test";
import type { Panel } from "./panels.ts";
import { rowsOf } from "./series.ts";

test("panels of two trials stand side by side by title", () => {
  const panel = (title: string) => ({ title, lines: [], share: false }) as unknown as Panel;
  const rows = rowsOf([[panel("CPU"), panel("Network")], [panel("Network"), panel("Memory")]]);
  assert.deepEqual(rows.map((r) => [r.title, ...r.panels.map((p) => p?.title)]), [["CPU", "CPU", undefined], ["Network", "Network", "Network"], ["Memory", undefined, "Memory"]]);
});
