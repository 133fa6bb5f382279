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

test("a factor has one colour, whatever else the variants differ in", () => {
  const all = [["hdd", "shop"], ["ssd", "shop"], ["hdd", "share"], ["ssd", "share"]].map(([storage, member]) => variant(`${storage}.${member}`, { storage: storage! }));
  const look = looks(all);
  assert.equal(look.get("hdd.shop")!.color, look.get("hdd.share")!.color);
  assert.equal(look.get("hdd.share")!.symbol, look.get("ssd.share")!.symbol);
  assert.notEqual(look.get("hdd.shop")!.symbol, look.get("hdd.share")!.symbol);
  const many = [["a", "1", "x"], ["a", "2", "x"], ["b", "1", "y"], ["b", "2", "x"]].map(([storage, cpu, net]) => variant(storage! + cpu! + net!, { storage: storage!, cpu: cpu!, net: net! }));
  assert.equal(looks(many, "cpu").get("a1x")!.color, looks(many, "cpu").get("b1y")!.color);
});

test("other variants differ in colour, dash and symbol", () => {
  const look = looks([variant("a", {}), variant("b", {}), variant("c", {})]);
  assert.equal(new Set([...look.values()].map((l) => l.color)).size, 3);
  assert.equal(new Set([...look.values()].map((l) => l.symbol)).size, 3);
});
