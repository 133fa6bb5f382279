import assert from "node:assert/strict";
import { test } from "node:test";
import { stepped } from "./cursor.ts";
import { chartNumbers, type Chart } from "./chartdata.ts";
import { csv } from "./export.ts";
import { rowsOf } from "./series.ts";
import type { Panel } from "./panels.ts";

test("the numbers of a chart are its lines, failures and models, with their unit", () => {
  const line = { key: "v", label: "", color: "", dash: "", symbol: "circle" as const, dots: [{ n: 4, value: 2, low: 1, high: 3, kept: false, title: "" }], failed: [8], model: [{ n: 5, value: 2.5, low: 2, high: 3 }] };
  const numbers = chartNumbers({ lines: [line], unit: "OPM", xLabel: "instances" } as unknown as Chart);
  assert.equal(csv(numbers), "series,kind,instances,value,low,high,unit,objectives kept\nv,measured,4,2,1,3,OPM,no\nv,failed,8,,,,OPM,\nv,model,5,2.5,2,3,OPM,\n");
});

test("a cell is no formula and keeps its commas", () => {
  assert.equal(csv({ heads: ["1-2", "3E5", "0012", "ssd"], rows: [["MAR1", "50%", "0.14", 1e21]] }), "'1-2,'3E5,'0012,ssd\n'MAR1,'50%,0.14,1e+21\n");
  assert.equal(csv({ heads: ["=1+1"], rows: [['a,"b"']] }), "'=1+1\n\"a,\"\"b\"\"\"\n");
});

test("keys step through the rungs and stop at the ends", () => {
  const at = (n: number | null, key: string) => stepped([1, 2, 8], n, key);
  assert.deepEqual([at(null, "ArrowRight"), at(2, "ArrowRight"), at(8, "ArrowRight"), at(3, "ArrowLeft"), at(1, "ArrowLeft"), at(null, "End"), at(8, "Home"), at(1, "a")], [1, 8, 8, 2, 1, 8, 1, undefined]);
});

test("panels of two trials stand side by side by title", () => {
  const panel = (title: string) => ({ title, lines: [], share: false }) as unknown as Panel;
  const rows = rowsOf([[panel("CPU"), panel("Network")], [panel("Network"), panel("Memory")]]);
  assert.deepEqual(rows.map((r) => [r.title, ...r.panels.map((p) => p?.title)]), [["CPU", "CPU", undefined], ["Network", "Network", "Network"], ["Memory", undefined, "Memory"]]);
});
