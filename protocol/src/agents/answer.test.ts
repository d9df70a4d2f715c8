import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../limits.ts";
import { answerOf, answerText } from "./answer.ts";
import type { Asking, Paged } from "./tool.ts";

const asking = {} as Asking;
const numbers = [...Array(100).keys()];

function read(text: string) {
  assert.ok(Buffer.byteLength(text) <= limits.toolAnswerBytesMax);
  return JSON.parse(text) as Record<string, object> & { leftOut?: Record<string, string> };
}

test("what fits is the answer, and nothing is left out", () => {
  const answer = { total: 3, lines: ["a", "b"], config: { lr: "0.1" } };
  assert.deepEqual(read(answerText(answer)), answer);
});

test("of a large config the texts are shortened, and the metrics stay", () => {
  const config = Object.fromEntries(numbers.map((key) => [`key${key}`, "é".repeat(1_024)]));
  const metrics = numbers.slice(0, 50).map((at) => ({ name: `m${at}`, last: at / 3, points: 7 }));
  const shown = read(answerText({ slug: "a", config, metrics }));
  assert.deepEqual(shown["metrics"], metrics);
  assert.ok(Object.keys(shown["config"]).length >= 50);
  assert.match(JSON.stringify(shown["config"]), /é… \(1024 characters\)/);
  assert.match(shown.leftOut!["config"], /texts have 256 characters at most/);
});

test("one entry with much in it keeps a part of each", () => {
  const texts = [...numbers, ...numbers].map((key, at) => [`${key} ${at}`, "x".repeat(900)]);
  const meta = Object.fromEntries(texts) as object;
  const shown = read(answerText({ versions: [{ number: 7, meta, files: numbers }], next: "n" }));
  assert.partialDeepStrictEqual(shown, { versions: [{ number: 7, files: [0, 1] }], next: "n" });
  assert.match(shown.leftOut!["versions"], /have \d+ entries at most.*256 characters/);
});

test("answers are JSON whatever is too long", () => {
  const wide = Object.fromEntries([...Array(3_000).keys()].map((key) => [`key ${key}`, key]));
  for (const answer of [{ text: "😀".repeat(50_001) }, { wide }, wide, { deep: [[wide, wide]] }])
    assert.ok(read(answerText(answer)).leftOut);
});

test("pages that are too long are asked for with fewer entries, until all were seen", async () => {
  for (const keeps of ["first", "last"] as const) {
    const paged: Paged = { lists: ["lines"], limit: "most", keeps };
    const run = (_: Asking, { most = 100, at }: { most?: number; at?: number }) => {
      const [from, to] =
        keeps === "first" ? [at ?? 0, (at ?? 0) + most] : [Math.max(0, (at ?? 100) - most), at];
      const lines = numbers.slice(from, to).map((line) => ({ line, text: "x".repeat(line * 50) }));
      return Promise.resolve({ lines, next: keeps === "first" ? to : from, page: "p" });
    };
    const seen: number[] = [];
    let at: number | undefined;
    do {
      const given = at === undefined ? {} : { at };
      const shown = read(await answerOf({ run, paged }, asking, given));
      const lines = shown["lines"] as { line: number; text: string }[];
      assert.ok(lines.every(({ line, text }) => text.length === line * 50));
      const page = lines.map(({ line }) => line);
      if (keeps === "first") seen.push(...page);
      else seen.unshift(...page);
      if (at === undefined)
        assert.match(shown.leftOut!["lines"], /of 100 entries are left out.*`more`/);
      at = shown["next"] as unknown as number;
    } while (at > 0 && at < 100);
    assert.deepEqual(seen, numbers);
  }
});

test("a single entry that is too long is shortened", async () => {
  const paged: Paged = { lists: ["lines"], limit: "most", keeps: "first" };
  const run = () => Promise.resolve({ lines: [{ text: "x".repeat(99_000) }], next: 1 });
  const shown = read(await answerOf({ run, paged }, asking, {}));
  assert.match(JSON.stringify(shown["lines"]), /… \(99000 characters\)/);
});
