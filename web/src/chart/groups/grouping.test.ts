import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsOf } from "./grouping.ts";
import type { Grouping } from "../view.ts";

const metas = new Map([
  [
    "a",
    new Map([
      ["meta.lr", "0.1"],
      ["meta.seed", "1"],
    ]),
  ],
  [
    "b",
    new Map([
      ["meta.lr", "0.1"],
      ["meta.seed", "2"],
    ]),
  ],
  [
    "c",
    new Map([
      ["meta.lr", "0.2"],
      ["meta.seed", "1"],
      ["meta.extra", "null"],
    ]),
  ],
  ["d", new Map([["meta.seed", "1"]])],
]);
const line = (experimentId: string, metadata: Record<string, string> = {}) => ({
  experimentId,
  metadata,
});
const namesOf = (lines: ReturnType<typeof line>[], kind: Grouping["kind"], ...keys: string[]) =>
  groupsOf(lines, { kind, keys }, metas).map(({ name, members }) => [name.name, members.join()]);

test("experiments with one value of a key are a group, those without it too", () => {
  const lines = ["a", "b", "c", "d"].map((id) => line(id));
  assert.deepEqual(namesOf(lines, "by", "meta.lr"), [
    ["0.1", "0,1"],
    ["0.2", "2"],
    ["none", "3"],
  ]);
  assert.deepEqual(namesOf(lines, "by", "meta.lr", "meta.seed").length, 4);
});

test("all but a key: what else differs tells groups apart and names them", () => {
  const lines = ["a", "b", "c", "d"].map((id) => line(id));
  assert.deepEqual(namesOf(lines, "without", "meta.seed"), [
    ["none, 0.1", "0,1"],
    ["null, 0.2", "2"],
    ["none, none", "3"],
  ]);
});

test("partitions have keys, too", () => {
  const lines = ["a", "b"].flatMap((id) => [line(id, { rank: "0" }), line(id, { rank: "1" })]);
  assert.deepEqual(namesOf(lines, "by", "rank"), [
    ["0", "0,2"],
    ["1", "1,3"],
  ]);
  assert.deepEqual(namesOf(lines, "without", "meta.seed"), [
    ["0", "0,2"],
    ["1", "1,3"],
  ]);
  assert.deepEqual(
    namesOf(lines, "without", "rank").map(([, members]) => members),
    ["0,1", "2,3"],
  );
});
