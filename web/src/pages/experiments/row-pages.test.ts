import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { RowPages } from "./row-pages.ts";

interface Row {
  experimentId: string;
  revision: number;
  text: string;
}

/** A service whose rows change, and which replies in the next turn. */
class Table {
  rows: Row[];
  asked: number[] = [];
  isBroken = false;
  readonly aborted: number[] = [];

  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, at) => row(`e${at}`));
  }

  pages(): RowPages<Row, { rows: Row[]; total: number }> {
    return new RowPages(async (offset, limit, signal) => {
      this.asked.push(offset);
      signal.addEventListener("abort", () => this.aborted.push(offset));
      await setImmediate();
      if (this.isBroken) throw new Error("no answer");
      return { rows: this.rows.slice(offset, offset + limit), total: this.rows.length };
    });
  }
}

function row(experimentId: string, text = ""): Row {
  return { experimentId, revision: 1, text };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

test("of many rows only the pages on screen are read, and those that were left are let go", async () => {
  const table = new Table(100_000);
  const pages = table.pages();
  await settled();
  pages.show(50_020, 50_060);
  pages.show(99_990, 100_000);
  await settled();
  assert.deepEqual(table.asked, [0, 50_000, 99_900]);
  assert.deepEqual(table.aborted, [50_000]);
  assert.equal(pages.rows.value.get(99_999)?.experimentId, "e99999");
  assert.equal(pages.rows.value.has(50_020), false);
  assert.equal(pages.isWhole, false);
  pages.show(50_020, 50_060);
  pages.show(50_030, 50_070);
  await settled();
  assert.deepEqual(table.asked, [0, 50_000, 99_900, 50_000]);
});

test("what is followed are the rows on screen, once they are read", async () => {
  const pages = new Table(100_000).pages();
  assert.deepEqual(pages.seen.value, []);
  await settled();
  pages.show(150, 220);
  assert.deepEqual(pages.seen.value, []);
  await settled();
  const ids = pages.seen.value.map(({ experimentId }) => experimentId);
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [200, "e100", "e299"]);
});

test("few rows are read whole", async () => {
  const table = new Table(318);
  const pages = table.pages();
  await settled();
  assert.deepEqual(table.asked, [0, 100, 200, 300]);
  assert.equal(pages.isWhole, true);
  const empty = new Table(0).pages();
  await settled();
  assert.equal(empty.isWhole, true);
  assert.equal(empty.total.value, 0);
});

test("a refresh changes rows where they stand, and says what has come", async () => {
  const table = new Table(150);
  const pages = table.pages();
  await settled();
  table.rows[1] = row("e1", "changed");
  assert.equal(await pages.refresh(), true);
  assert.equal(pages.news.value, undefined);
  assert.equal(pages.rows.value.get(1)?.text, "changed");
  table.rows.unshift(row("new"), row("newer"));
  table.rows[3] = row("e1", "again");
  await pages.refresh();
  assert.deepEqual(pages.news.value, { more: 2 });
  assert.equal(pages.rows.value.get(1)?.text, "again");
  assert.equal(pages.rows.value.get(0)?.experimentId, "e0");
  assert.equal(pages.total.value, 150);
});

test("another order of the same rows is news, and no row stands twice", async () => {
  const table = new Table(3);
  const pages = table.pages();
  await settled();
  table.rows.reverse();
  await pages.refresh();
  assert.deepEqual(pages.news.value, { more: 0 });
  const ids = [...pages.rows.value.values()].map(({ experimentId }) => experimentId);
  assert.deepEqual(ids, ["e0", "e1", "e2"]);
});

test("a list that shifts between two pages leaves no place empty, and no row out", async () => {
  const table = new Table(1_000);
  const pages = table.pages();
  await settled();
  table.rows.unshift(row("new"), row("newer"));
  for (const first of [100, 200]) {
    pages.show(first, first + 40);
    await settled();
  }
  const idAt = (place: number) => pages.rows.value.get(place)?.experimentId;
  for (const place of Array(300).keys()) assert.equal(idAt(place), `e${place}`);
  assert.equal(pages.rows.value.size, 300);
  assert.deepEqual(pages.news.value, { more: 2 });
});

test("rows that moved while pages were read end the reading all the same", async () => {
  const table = new Table(250);
  const pages = table.pages();
  table.rows.unshift(row("before"));
  await settled();
  table.rows.unshift(row("new"));
  pages.show(100, 140);
  await settled();
  const asked = table.asked.length;
  pages.show(100, 140);
  await settled();
  assert.equal(table.asked.length, asked);
});

test("a failure is said, and a refresh that succeeds takes it away", async () => {
  const table = new Table(10);
  table.isBroken = true;
  const pages = table.pages();
  await settled();
  assert.equal(pages.problem.value, "no answer");
  assert.deepEqual(table.asked, [0]);
  assert.equal(await pages.refresh(), false);
  table.isBroken = false;
  assert.equal(await pages.refresh(), true);
  assert.equal(pages.problem.value, undefined);
  assert.equal(pages.rows.value.size, 10);
});

test("what is known of a row before it is read again is shown where the row stands", async () => {
  const table = new Table(3);
  const pages = table.pages();
  await settled();
  pages.apply([
    { experimentId: "e1", revision: 7 },
    { experimentId: "elsewhere", revision: 2 },
  ]);
  assert.deepEqual(
    [...pages.rows.value.values()].map(({ experimentId, revision }) => [experimentId, revision]),
    [
      ["e0", 1],
      ["e1", 7],
      ["e2", 1],
    ],
  );
  assert.deepEqual(table.asked, [0]);
  assert.equal(pages.news.value, undefined);
});

test("rows that could not be read are asked for again, without anything that changes", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const table = new Table(3);
  table.isBroken = true;
  const pages = table.pages();
  await settled();
  assert.equal(pages.problem.value, "no answer");
  context.mock.timers.tick(1_999);
  await settled();
  assert.deepEqual(table.asked, [0]);
  context.mock.timers.tick(1);
  await settled();
  assert.deepEqual(table.asked, [0, 0]);
  table.isBroken = false;
  context.mock.timers.tick(2_000);
  await settled();
  assert.equal(pages.rows.value.size, 3);
  assert.equal(pages.problem.value, undefined);
  context.mock.timers.tick(10_000);
  await settled();
  assert.deepEqual(table.asked, [0, 0, 0]);
});

test("a table that was left asks for nothing again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const table = new Table(3);
  table.isBroken = true;
  const pages = table.pages();
  await settled();
  pages.stop();
  context.mock.timers.tick(10_000);
  await settled();
  assert.deepEqual(table.asked, [0]);
});
