import assert from "node:assert/strict";
import { test } from "node:test";
import { InTurn } from "./in-turn.ts";

test("each holder's first is taken in turn, its own in their order", () => {
  const waiting = new InTurn<string>();
  for (const item of ["a1", "a2", "a3"]) waiting.add("a", item);
  waiting.add("b", "b1");
  const taken = [waiting.next(), waiting.next()];
  waiting.add("c", "c1");
  waiting.add("b", "b2");
  for (let item = waiting.next(); item !== undefined; item = waiting.next()) taken.push(item);
  assert.deepEqual(taken, ["a1", "b1", "a2", "c1", "b2", "a3"]);
});
