import assert from "node:assert/strict";
import test from "node:test";
import { placed, rowCount, type Frame } from "./marks.ts";
import { moments, type Moment } from "../read/moments.ts";
import { happened } from "../read/sample.ts";

/** frame shows 100 seconds, 5 px each, with letters of 6 px. */
const frame: Frame = { left: 50, right: 550, x: (s) => 50 + 5 * s, width: (text) => 6 * text.length, fit: (text, width) => text.slice(0, Math.floor(width / 6)) };

test("marks of faults and events overlap nothing", () => {
  const all = moments(happened(["stop brick 1", 5, 40], ["kill instance 0", 14, 16], ["", 14.5], ["", 15], ["restart brick 1", 20], ["", 60], ["drain node of instance 0", 95], ["a name that is longer than the whole axis of this panel, and more than that, and then some", 50, 52]));
  const marks = placed(all, frame);
  const extent = (p: typeof marks[number]) => [Math.min(p.from, p.x), Math.max(p.to, p.x + p.width)] as const;
  marks.forEach((a, i) => marks.slice(i + 1).filter((b) => b.row === a.row).forEach((b) => {
    assert.ok(extent(a)[1] <= extent(b)[0] || extent(b)[1] <= extent(a)[0], `${a.text} and ${b.text} share row ${a.row}`);
  }));
  for (const p of marks) assert.ok(p.x >= 50 && p.x + p.width <= 550.01 && p.from >= 50 && p.to <= 550, p.text);
  assert.deepEqual(marks.filter((p) => !p.moments[0]!.fault).map((p) => [p.text, p.row]), [["3…4", rowCount(marks) - 1], ["6", rowCount(marks) - 1]]);
});

test("numbers that are joined leave room for their neighbours", () => {
  const all = moments(happened(...[18, 21, 22, 80].map((s): [string, number] => ["", s])));
  const marks = placed(all, frame);
  marks.slice(1).forEach((p, i) => assert.ok(p.x >= marks[i]!.x + marks[i]!.width + 6, `${marks[i]!.text} ${p.text}`));
  assert.deepEqual(marks.map((p) => p.text), ["1…3", "4"]);
});

test("marks follow the part of the axis that is seen", () => {
  const all: Moment[] = moments(happened(["before", 1, 3], ["through", 2, 90], ["", 4], ["after", 95]));
  const part = { ...frame, x: (s: number) => 50 + 50 * (s - 10) }; // 10 to 20 s
  assert.deepEqual(placed(all, part).map((p) => [p.text, p.from, p.to]), [["through", 50, 550]]);
  assert.deepEqual(placed([], frame), []);
  assert.equal(rowCount([]), 0);
});
