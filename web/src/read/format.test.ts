import assert from "node:assert/strict";
import test from "node:test";
import { bounds, compact, interval, inWords, money, number, percent, readable, seconds, sentence, significant, size, span, time, unit } from "./format.ts";

test("lists read as sentences do", () => {
  assert.deepEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(inWords), ["", "a", "a and b", "a, b and c"]);
});

test("numbers carry the digits they deserve", () => {
  const cases: [string, string][] = [
    [number(536220), "536,220"], [number(99.96), "100"], [number(12), "12"], [number(12.04), "12.0"], [number(0.01234), "0.0123"],
    [number(null), "–"], [number(NaN), "–"], [number(-1234), "-1,234"], [significant(827100.4, 2), "830,000"],
    [seconds(0.024), "24 ms"], [seconds(0.01204), "12.0 ms"], [seconds(1.1805), "1.18 s"], [seconds(0.00035), "350 µs"],
    [seconds(0.99996), "1.00 s"], [seconds(691), "691 s"], [seconds(-1), "–"], [time(0), "–"],
    [percent(0.97), "97 %"], [percent(0.0234), "2.3 %"], [percent(0.0011), "0.11 %"], [percent(-0.05), "−5 %"], [percent(0.0598), "6.0 %"], [percent(null), "–"],
    [money(46.263), "46.26"], [money(638353), "638,353"], [money(0), "–"],
    [size(32 * 2 ** 30), "32 GiB"], [size(1536), "1.5 KiB"],
    [compact(536220), "536k"], [compact(0), "0"], [compact(2.5), "2.5"],
    [unit(22_400_000, "B/s"), "22.4 MB/s"], [unit(0.5, "1"), "50 %"], [unit(null, "s"), "–"],
    [span(41 * 60_000), "41 min"], [span(3_725_000), "1 h 2 min"], [span(59_000), "59 s"],
  ];
  for (const [got, want] of cases) assert.equal(got, want);
});

test("intervals are rounded to two digits of their half width", () => {
  const i = { value: 99262, low: 98043, high: 100481, confidence: 0.95 };
  assert.equal(interval(i, number), "99,300 (98,000–100,500)");
  assert.equal(bounds({ low: 0.0241, high: 0.0262 }, seconds), "24.1–26.2 ms");
  assert.equal(interval({ value: 7, low: 7, high: 7 }, number), "7");
});

test("sentences start and end as sentences do", () => {
  assert.equal(sentence("carries 41"), "Carries 41.");
  assert.equal(sentence("Done!"), "Done!");
  assert.equal(sentence(""), "");
});

test("limits are written one way", () => {
  assert.equal(readable("text", "p95 <= 200ms, errors <= 0.1%"), "p95 ≤ 200 ms, errors ≤ 0.1 %");
  assert.equal(readable("fragment", "p95 <= 200ms"), "p95 <= 200ms");
  assert.equal(readable("text", "rate >= 99%"), "rate ≥ 99 %");
  assert.equal(readable("n", 5), 5);
});
