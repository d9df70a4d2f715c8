import assert from "node:assert/strict";
import { test } from "node:test";
import type { Partition } from "../lines/line.ts";
import { membersAt } from "./members-at.ts";

const raster = { start: 0, end: 10, columns: 10 };

function groupOf(
  values: readonly number[][],
  lines: number,
  recorded: readonly number[] = [],
): Partition {
  const members = values.map((value, at) => ({
    experimentId: `e${at}`,
    seriesName: "loss",
    metadata: {},
    points: value.length,
    exact: { x: value.map((_, step) => step), value },
  }));
  const looks = members.map(({ experimentId }) => ({
    name: experimentId,
    kind: { colour: 0, pattern: 0 },
  }));
  const placed = recorded.map((column) => ({ column, members: 1, x: column }));
  const group = { members, looks, lines, count: [], recorded: placed, around: {} };
  return { experimentId: "", seriesName: "", metadata: {}, points: 0, group };
}

test("members are listed by their values at the place, the largest first", () => {
  const line = groupOf([[1, 9], [5, 2], [3]], 3);
  const namesAt = (x: number) => {
    const { members, more } = membersAt(line, raster, x);
    return [members.map(({ look, value }) => [look.name, value]), more];
  };
  assert.deepEqual(namesAt(0), [
    [
      ["e1", 5],
      ["e2", 3],
      ["e0", 1],
    ],
    0,
  ]);
  assert.deepEqual(namesAt(1.2), [
    [
      ["e0", 9],
      ["e1", 2],
    ],
    1,
  ]);
});

test("of many members the first are listed, and all others counted", () => {
  const line = groupOf(
    Array.from({ length: 40 }, (_, at) => [at]),
    2_000,
  );
  const { members, more } = membersAt(line, raster, 0);
  assert.deepEqual(
    members.map(({ value }) => value),
    Array.from({ length: 12 }, (_, at) => 39 - at),
  );
  assert.equal(more, 1_988);
});

test("a group is listed where it is read: at the nearest place that is recorded", () => {
  const line = groupOf([[1, 9]], 1, [0, 1]);
  const valueAt = (x: number) => membersAt(line, raster, x).members.map(({ value }) => value);
  assert.deepEqual([valueAt(0.4), valueAt(7)], [[1], [9]]);
});
