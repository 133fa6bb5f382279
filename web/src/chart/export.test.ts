import assert from "node:assert/strict";
import test from "node:test";
import { csv } from "./export.ts";

test("a cell is no formula and keeps its commas", () => {
  assert.equal(csv({ heads: ["1-2", "3E5", "0012", "ssd"], rows: [["MAR1", "50%", "0.14", 1e21]] }), "'1-2,'3E5,'0012,ssd\n'MAR1,'50%,0.14,1e+21\n");
  assert.equal(csv({ heads: ["=1+1"], rows: [['a,"b"']] }), "'=1+1\n\"a,\"\"b\"\"\"\n");
});
