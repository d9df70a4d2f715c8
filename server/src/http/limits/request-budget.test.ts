import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { RequestBudget } from "./request-budget.ts";

suite("request budget", () => {
  test("refuses what does not fit, and gives back once", () => {
    const budget = new RequestBudget(100, 10);
    const first = budget.reserve("a", 0);
    first.growTo(50);
    assert.throws(() => first.growTo(51), { code: "overloaded" });
    const second = budget.reserve("b", 50);
    assert.throws(() => second.growTo(51), { code: "overloaded" });
    second.growTo(40);
    assert.deepEqual([budget.usedBytes, budget.requests], [90, 2]);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    first.growTo(1_000);
    assert.deepEqual([budget.usedBytes, budget.requests], [40, 1]);
    second[Symbol.dispose]();
    assert.deepEqual([budget.usedBytes, budget.requests], [0, 0]);
  });

  test("what is announced takes nothing, but is refused where it would not fit", () => {
    const budget = new RequestBudget(100, 10);
    for (let turn = 0; turn < 10; turn++) budget.reserve("a", 50);
    assert.equal(budget.usedBytes, 0);
    assert.throws(() => budget.reserve("a", 51), { code: "overloaded" });
    budget.reserve("a", 50).growTo(30);
    assert.throws(() => budget.reserve("a", 21), { code: "overloaded" });
    budget.reserve("b", 35);
  });

  test("one body alone always fits", () => {
    const budget = new RequestBudget(100, 500);
    using reservation = budget.reserve("a", 500);
    reservation.growTo(500);
    assert.throws(() => budget.reserve("b", 1), { code: "overloaded" });
    assert.deepEqual([budget.usedBytes, budget.maximumBytes], [500, 500]);
  });
});
