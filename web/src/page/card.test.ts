import assert from "node:assert/strict";
import test from "node:test";
import { without } from "./card.ts";
import { variant } from "../read/sample.ts";

test("a variant whose trials are yet to come has not failed", () => {
  assert.equal(without(variant("later", {})), "not measured");
  const [begun] = variant("begun", {}, [[]]).rungs!;
  assert.equal(without({ ...variant("begun", {}), rungs: [begun!] }), "");
  assert.equal(without({ ...variant("failed", {}), rungs: [{ ...begun!, repetitions: 0, failed: 2 }] }), "failed");
});
