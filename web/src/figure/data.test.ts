import assert from "node:assert/strict";
import test from "node:test";
import { seriesTable } from "./data.ts";
import type { Packed } from "../read/reading.ts";

test("time series as CSV", () => {
  const packed: Packed = { tables: {}, sections: {}, buckets: 200, left: [], notices: "", trials: [{ id: 'a,"b', begin: 500, step: 1000, series: [{ kind: "cpu", metric: "user", unit: "1", mean: [0.5, null, 0.25], min: [0.4, null, 0.2], max: [0.6, null, 0.3] }] }] };
  assert.deepEqual(seriesTable(packed).trim().split("\n").slice(1), ['"a,""b",cpu,,1,user,1,0.5,0.5,0.4,0.6', '"a,""b",cpu,,1,user,1,2.5,0.25,0.2,0.3']);
});

test("time series as CSV hold no formulas", () => {
  const packed: Packed = { tables: {}, sections: {}, buckets: 200, left: [], notices: "", trials: [{ id: "=1+1", begin: 0, step: 1000, series: [{ kind: "cpu", metric: "user", name: "@x", unit: "1", mean: [-0.5] }] }] };
  assert.equal(seriesTable(packed).trim().split("\n")[1], "'=1+1,cpu,'@x,1,user,1,0,-0.5,-0.5,-0.5");
});
