import assert from "node:assert/strict";
import test from "node:test";
import { looks } from "./palette.ts";
import { variant } from "../read/sample.ts";

test("variants of two factors share colours and forms", () => {
  const all = [["hdd", "4"], ["ssd", "4"], ["hdd", "16"], ["ssd", "16"]].map(([storage, cpu]) => variant(`${storage}-${cpu}`, { storage: storage!, "storage.cpu": cpu! }));
  const look = looks(all);
  assert.equal(look.get("hdd-4")!.color, look.get("hdd-16")!.color);
  assert.notEqual(look.get("hdd-4")!.color, look.get("ssd-4")!.color);
  assert.equal(look.get("hdd-4")!.symbol, look.get("ssd-4")!.symbol);
  assert.notEqual(look.get("hdd-4")!.dash, look.get("hdd-16")!.dash);
});

test("other variants differ in colour, dash and symbol", () => {
  const look = looks([variant("a", {}), variant("b", {}), variant("c", {})]);
  assert.equal(new Set([...look.values()].map((l) => l.color)).size, 3);
  assert.equal(new Set([...look.values()].map((l) => l.symbol)).size, 3);
});
