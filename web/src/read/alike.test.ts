import assert from "node:assert/strict";
import test from "node:test";
import { joined } from "./alike.ts";
import { said } from "./sample.ts";

test("texts that differ in figures only are said once", () => {
  const texts = [said("users woke {180 µs} late, {3 %} of an order's time", 180e-6, 0.03), said("users woke {1.2 ms} late, {12 %} of an order's time", 1.2e-3, 0.12), said("users woke {900 µs} late, {7.5 %} of an order's time", 900e-6, 0.075)];
  assert.equal(joined(texts), "users woke 180 µs to 1.2 ms late, 3 to 12 % of an order's time");
  assert.equal(joined([said("😀 {1,024} of p95 in peer1", 1024), said("😀 {24} of p95 in peer1", 24)]), "😀 24 to 1,024 of p95 in peer1");
});
