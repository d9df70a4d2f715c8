import assert from "node:assert/strict";
import { test } from "node:test";
import type { Compared, ComparedExperiment } from "../use-compared.ts";
import { allSides, bestSides, firstSides, markedSides, usualCount } from "./sides.ts";

function comparedOf(ids: string, hidden = ""): Compared {
  const experiments = Array.from(ids, (id) => {
    const one = { experimentId: id, slug: `slug-${id}`, name: null, isHidden: hidden.includes(id) };
    return one as ComparedExperiment;
  });
  return { experiments, reference: experiments[0], cut: undefined, unknown: [] };
}

const loss = { name: "loss", stat: "min", descending: false } as const;

test("the best are those with the least, or the most, whoever is compared first", () => {
  const values = new Map(Object.entries({ a: 3, b: 1, c: 2, d: 4 }));
  const least = bestSides(comparedOf("abcd"), 2, loss, values);
  assert.deepEqual([least.a, least.b, least.said], [["b", "c"], ["a", "d"], []]);
  const most = bestSides(comparedOf("abcd"), 1, { ...loss, descending: true }, values);
  assert.deepEqual([most.a, most.b], [["d"], ["a", "b", "c"].toSorted(by(values))]);
});

test("who is as good as the last of the best is one of them; who has no value is named", () => {
  const values = new Map(Object.entries({ a: 1, b: 2, c: 2, d: 3 }));
  const { a, b, said } = bestSides(comparedOf("abcdefghi", "i"), 2, loss, values);
  assert.deepEqual([a, b], [["a", "b", "c"], ["d"]]);
  assert.deepEqual(said, [
    "A includes 1 more experiment as good as its last one.",
    "On neither side, because they have no loss: slug-e, slug-f, slug-g and 1 more.",
  ]);
});

test("without any value, and with the same value for all, a side is empty", () => {
  const none = bestSides(comparedOf("ab"), 1, loss, new Map());
  assert.deepEqual([none.a, none.b], [[], []]);
  const same = bestSides(comparedOf("ab"), 1, loss, new Map(Object.entries({ a: 1, b: 1 })));
  assert.deepEqual([same.a, same.b], [["a", "b"], []]);
});

test("groups that were marked, the first ones, and all: hidden ones are on no side", () => {
  const address = (marked: [string, "a" | "b"][]) => ({
    asked: undefined,
    hidden: new Set<string>(),
    reference: undefined,
    marked: new Map(marked),
  });
  const compared = comparedOf("abcde", "e");
  const both = markedSides(
    compared,
    address([
      ["c", "a"],
      ["a", "b"],
      ["e", "b"],
      ["gone", "a"],
    ]),
  );
  assert.deepEqual([both.a, both.b, both.said.length], [["c"], ["a"], 1]);
  const alone = markedSides(compared, address([["c", "a"]]));
  assert.deepEqual([alone.a, alone.b, alone.said], [["c"], ["a", "b", "d"], []]);
  const first = firstSides(compared, 1);
  assert.deepEqual([first.a, first.b], [["a"], ["b", "c", "d"]]);
  assert.deepEqual([allSides(compared).a.length, allSides(compared).b], [4, undefined]);
});

test("a quarter is usual, and never nobody", () => {
  assert.deepEqual([1, 2, 5, 8, 100].map(usualCount), [1, 1, 1, 2, 25]);
});

test("a value that is not finite is told as such, and never the best", () => {
  const values = new Map(Object.entries({ a: 1, b: NaN, c: -Infinity, d: 2 }));
  const { a, b, said } = bestSides(comparedOf("abcde"), 1, loss, values);
  assert.deepEqual([a, b], [["a"], ["d"]]);
  assert.deepEqual(said, [
    "On neither side, because they have no loss: slug-e.",
    "On neither side, because their loss min is NaN or infinite: slug-b, slug-c.",
  ]);
});

function by(values: ReadonlyMap<string, number>) {
  return (one: string, other: string) => values.get(other)! - values.get(one)!;
}
