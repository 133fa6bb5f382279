import assert from "node:assert/strict";
import test from "node:test";
import { chartNumbers, type Chart } from "./chartdata.ts";
import { csv } from "./export.ts";

test("the numbers of a chart are its lines, failures and models, with their unit", () => {
  const line = { key: "v", label: "", color: "", dash: "", symbol: "circle" as const, dots: [{ n: 4, value: 2, low: 1, high: 3, kept: false, title: "" }], failed: [8], model: [{ n: 5, value: 2.5, low: 2, high: 3 }] };
  const numbers = chartNumbers({ lines: [line], unit: "OPM", xLabel: "instances" } as unknown as Chart);
  assert.equal(csv(numbers), "series,kind,instances,value,low,high,unit,objectives kept\nv,measured,4,2,1,3,OPM,no\nv,failed,8,,,,OPM,\nv,model,5,2.5,2,3,OPM,\n");
});
