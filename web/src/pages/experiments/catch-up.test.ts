import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { behindMs, CatchUp } from "./catch-up.ts";

class Tab extends EventTarget {
  hidden = false;

  turn(isHidden: boolean): void {
    this.hidden = isHidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

function started(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const table = { reads: 0, isBroken: false };
  const tab = new Tab();
  const read = async () => {
    table.reads++;
    return !table.isBroken;
  };
  const pass = async (ms: number) => {
    context.mock.timers.tick(ms);
    await setImmediate();
  };
  return { table, tab, pass, catchUp: new CatchUp(read, tab) };
}

test("what is owed is read once, when its time has come", async (context) => {
  const { table, pass, catchUp } = started(context);
  catchUp.owe();
  await pass(behindMs - 1);
  catchUp.owe();
  assert.equal(table.reads, 0);
  await pass(1);
  await pass(10 * behindMs);
  assert.equal(table.reads, 1);
});

test("a hidden tab reads nothing, and what it owes at once when it is shown", async (context) => {
  const { table, tab, pass, catchUp } = started(context);
  catchUp.owe();
  tab.turn(true);
  await pass(behindMs);
  catchUp.owe();
  await pass(behindMs);
  assert.equal(table.reads, 0);
  tab.turn(false);
  assert.equal(table.reads, 1);
  await pass(10 * behindMs);
  tab.turn(true);
  tab.turn(false);
  assert.equal(table.reads, 1);
});

test("a read that fails stays owed", async (context) => {
  const { table, pass, catchUp } = started(context);
  table.isBroken = true;
  catchUp.owe();
  await pass(behindMs);
  await pass(behindMs);
  assert.equal(table.reads, 2);
  table.isBroken = false;
  await pass(behindMs);
  await pass(10 * behindMs);
  assert.equal(table.reads, 3);
});

test("who is stopped reads nothing more", async (context) => {
  const { table, tab, pass, catchUp } = started(context);
  catchUp.owe();
  tab.turn(true);
  await pass(behindMs);
  catchUp.stop();
  tab.turn(false);
  catchUp.owe();
  await pass(behindMs);
  assert.equal(table.reads, 0);
});
