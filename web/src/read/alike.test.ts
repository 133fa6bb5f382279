import assert from "node:assert/strict";
import test from "node:test";
import { range } from "./alike.ts";

test("figures that differ are said as a range, with their unit once", () => {
  const said = (...all: [number, string][]) => range(all.map(([value, text]) => ({ value, text })));
  assert.equal(said([0.12, "12 %"], [0.03, "3 %"], [0.075, "7.5 %"]), "3 to 12 %");
  assert.equal(said([180e-6, "180 µs"], [1.2e-3, "1.2 ms"]), "180 µs to 1.2 ms");
  assert.equal(said([24, "24"], [1024, "1,024"]), "24 to 1,024");
  assert.equal(said([1, "1 s"], [1, "1 s"]), "1 s");
});
