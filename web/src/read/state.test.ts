import assert from "node:assert/strict";
import { test } from "node:test";
import { format, parse, State, type Choices } from "./state.ts";

test("choices survive the address", () => {
  const all: Choices = {
    anchor: "model-ssd, 16 CPU?", variants: ["ssd & more", "hdd=2", "a#b"], rung: 48, trials: ["ssd/48/1", "hdd/48/3"],
    hidden: ["CPU: user", "Ämter: 100 %"], controls: { "response-scale": "log", "percentiles-operation": "add: a review?" }, theme: "dark",
  };
  assert.deepEqual(parse(format(all)), all);
});

test("no choice is an empty address", () => {
  assert.equal(format(parse("")), "");
  assert.equal(format(parse("#trust")), "#trust");
  assert.deepEqual(parse("#trial-ssd-1-1").anchor, "trial-ssd-1-1");
});

test("no variant in focus is not the variants at first", () => {
  assert.deepEqual(parse(format({ ...parse(""), variants: [] })).variants, []);
  assert.equal(parse("#").variants, null);
});

test("a broken address is read as far as it goes", () => {
  assert.deepEqual(parse("#%E0%A4%A?rung=many&theme=pink&trial=a&trial=b&trial=c"), {
    anchor: "%E0%A4%A", variants: null, rung: null, trials: ["a", "b"], hidden: [], controls: {}, theme: "",
  });
});

test("a state begins with the address that it is given", () => {
  assert.equal(new State("#series?rung=4").choices.rung, 4);
});
