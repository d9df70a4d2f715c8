import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clustersOf,
  keyOf,
  newestMarks,
  placeOfMark,
  signsOf,
  type Mark,
  type MarkKind,
} from "./marks.ts";

const mark = (part: Partial<Mark> = {}): Mark => ({ kind: "annotation", words: "w", ...part });

test("a mark stands where its step or its time is known, on every axis", () => {
  const anchors = {
    firstMs: 1_000,
    firstStep: 10,
    stepAt: (timeMs: number) => (timeMs >= 1_000 ? timeMs / 100 : undefined),
  };
  const places = (one: Mark) =>
    (["step", "offset", "timestamp", "elapsed", "metric"] as const).map((axis) =>
      placeOfMark(one, axis, anchors),
    );
  assert.deepEqual(places(mark({ step: 30 })), [30, 20, undefined, undefined, undefined]);
  assert.deepEqual(places(mark({ timeMs: 4_000 })), [40, 30, 4_000, 3_000, undefined]);
  assert.deepEqual(places(mark({ timeMs: 500 })).slice(0, 2), [undefined, undefined]);
  assert.equal(placeOfMark(mark({ timeMs: 500 }), "step", {}), undefined);
  assert.equal(placeOfMark(mark({ step: 5 }), "offset", {}), undefined);
});

test("of too many marks the newest are taken, whatever they are and however they come", () => {
  const placed = [
    { mark: mark({ kind: "start", timeMs: 1 }), x: 0 },
    { mark: mark({ kind: "version", timeMs: 2 }), x: 9 },
    { mark: mark({ timeMs: 4 }), x: 1 },
    { mark: mark({ timeMs: 3 }), x: 2 },
    { mark: mark({ step: 7 }), x: 7 },
  ];
  assert.deepEqual(
    newestMarks(placed, 2).map(({ x }) => x),
    [1, 2],
  );
  assert.equal(newestMarks(placed, 9).length, 5);
});

test("marks nearer than a target is wide are one, with the sign of what weighs most", () => {
  const placed = [
    { mark: mark({ kind: "version" }), left: 20 },
    { mark: mark({ kind: "done" }), left: 0 },
    { mark: mark({ kind: "error" }), left: 10 },
    { mark: mark(), left: 43.9 },
    { mark: mark(), left: 101 },
    { mark: mark(), left: -1 },
  ];
  assert.deepEqual(
    clustersOf(placed, 100).map(({ left, marks }) => [left, marks.map(({ kind }) => kind)]),
    [
      [0, ["error", "version", "done"]],
      [43.9, ["annotation"]],
    ],
  );
});

test("a sign's number is that of its own kind, and a start or an end stays one", () => {
  const shown = (...kinds: MarkKind[]) => {
    const [cluster] = clustersOf(
      kinds.map((kind) => ({ mark: mark({ kind }), left: 10 })),
      100,
    );
    const { shown: signed, hasMore } = signsOf(cluster);
    return signed.map(({ kind, count }) => `${kind} ${count}`).join(", ") + (hasMore ? " +" : "");
  };
  assert.equal(shown("nonfinite", "annotation", "nonfinite"), "nonfinite 2 +");
  assert.equal(shown("start", "done"), "start 1, done 1");
  assert.equal(shown("annotation", "error", "start"), "start 1, error 1 +");
  assert.equal(shown("version", ...Array<MarkKind>(85).fill("annotation")), "version 1 +");
  assert.equal(shown("annotation", "annotation"), "annotation 2");
  assert.equal(shown("version", "done"), "version 1, done 1");
  // A sign of media stands for several steps where there are very many.
  assert.equal(shown("media", "media", "media"), "media 1");
  assert.equal(shown("media", "annotation", "media"), "annotation 1 +");
});

test("a lasting mark reaches to the end, also where it began before the plot", () => {
  const lasting = mark({ kind: "nonfinite", isLasting: true });
  assert.deepEqual(clustersOf([{ mark: lasting, left: -50 }], 100), [
    { left: 0, right: 100, marks: [lasting] },
  ]);
  assert.deepEqual(clustersOf([{ mark: lasting, left: 101 }], 100), []);
});

test("a metric that stays NaN has its sign at the end of its axis, but not in a zoom", () => {
  const nan = mark({ kind: "nonfinite" });
  const leftsAt = (left: number, isWhole: boolean) =>
    clustersOf([{ mark: nan, left }], 100, isWhole).map((cluster) => cluster.left);
  assert.deepEqual([leftsAt(101, true), leftsAt(-1, true)], [[100], [0]]);
  assert.deepEqual([leftsAt(101, false), leftsAt(-1, false)], [[], []]);
  assert.deepEqual(clustersOf([{ mark: mark(), left: 101 }], 100, true), []);
});

test("a cluster is known by what it tells first, wherever that stands", () => {
  const marks = [mark({ step: 5 }), mark({ kind: "done", timeMs: 9 }), mark({ step: 6 })];
  const keysAt = (scale: number) =>
    clustersOf(
      marks.map((each, at) => ({ mark: each, left: (at + 1) * scale })),
      1_000,
    ).map(keyOf);
  assert.deepEqual(keysAt(100), keysAt(33.3));
  assert.equal(new Set(keysAt(100)).size, 3);
});
