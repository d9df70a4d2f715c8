import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskSearch, Search } from "./search.ts";

const query = { text: "hit", isPattern: false, matchesCase: false };

test("a search that is not complete goes on until it is, and on with what comes", async () => {
  const service = searched([10, 2_500, 9_999], 10_000);
  const search = new Search(service.ask, query);
  await search.run();
  assert.deepEqual(search.hits.value, [10, 2_500, 9_999]);
  assert.equal(search.isComplete.value, true);
  assert.equal(service.asked, 10);
  assert.equal(search.numberOf(2_500), 2);
  assert.equal(search.numberOf(2_501), undefined);
  service.hits.push(10_400);
  service.total = 10_500;
  search.goOn(10_500);
  assert.equal(search.isComplete.value, false);
  while (search.isRunning.value) await Promise.resolve();
  assert.deepEqual(search.hits.value.at(-1), 10_400);
});

test("next and previous find what has not been counted yet, and begin anew at the ends", async () => {
  const search = new Search(searched([10, 2_500, 9_999], 10_000).ask, query);
  assert.equal(await search.next(10), 2_500);
  assert.equal(await search.previous(9_000), 2_500);
  assert.equal(await search.previous(10), 9_999);
  assert.equal(await search.next(9_999), 10);
  await search.run();
  assert.equal(await search.next(9_999), 10);
  assert.equal(await search.previous(10), 9_999);
  assert.equal(await search.previous(10_000), 9_999);
  assert.equal(await new Search(searched([], 5_000).ask, query).next(0), undefined);
});

test("a text is marked in every line, an expression only where the service has tried it", async () => {
  const { ask } = searched([3], 10);
  const text = new Search(ask, { ...query, text: "a.b" });
  assert.equal(text.expressionFor(0)!.test("a.B"), true);
  assert.equal(text.expressionFor(0)!.test("axb"), false);
  const pattern = new Search(ask, { text: "a.b", isPattern: true, matchesCase: true });
  await pattern.run();
  assert.equal(pattern.expressionFor(0), undefined);
  assert.equal(pattern.expressionFor(3)!.test("axb"), true);
});

/** A service that searches a thousand lines a request. */
function searched(hits: number[], total: number) {
  const service = { asked: 0, hits, total, ask: undefined as unknown as AskSearch };
  service.ask = async ({ first, before, limit = 200 }) => {
    service.asked++;
    const end = Math.min(before ?? service.total, service.total);
    const from =
      before === undefined ? Math.min(first ?? 0, service.total) : Math.max(0, end - 1_000);
    const to = before === undefined ? Math.min(service.total, from + 1_000) : end;
    const inside = service.hits.filter((line) => line >= from && line < to);
    const found = before === undefined ? inside.slice(0, limit) : inside.slice(-limit);
    const lines = found.map((line) => ({
      line,
      source: 0,
      timestampMs: 0,
      stream: "stdout" as const,
      text: "hit",
    }));
    const isComplete = before === undefined ? to === service.total : from === 0;
    return { lines, first: from, next: to, total: service.total, isComplete };
  };
  return service;
}
