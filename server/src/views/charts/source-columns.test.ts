import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { columnOf, type Raster } from "@lossless/protocol/raster";
import { DrawnSources, type DrawnSource } from "../../points/drawn-sources.ts";
import { emptyColumns, writePartition } from "../../points/encode-points.ts";
import { readSegmentIndex, SegmentWriter } from "../../points/segment.ts";
import { concatenate, sortPoints, type Axis } from "../../points/sorted-points.ts";
import type { Points } from "../../points/tail.ts";
import { aligned } from "./alignment.ts";
import { type Curve, SourceLine } from "./line.ts";

/** Points of one seal or of the tail: in order, or not; with ties, or gaps; dense or sparse. */
const batch = fc.record({
  count: fc.oneof(fc.integer({ min: 1, max: 2_600 }), fc.integer({ min: 2_048, max: 3_000 })),
  firstStep: fc.constantFrom(0, 0, 700, 5_000),
  stepsApart: fc.constantFrom(0, 1, 1, 3, 1_000),
  shuffledBy: fc.constantFrom(0, 0, 3, 900),
  lateBy: fc.constantFrom(0, 40, 100_000),
  values: fc.constantFrom(2, 1_000, 1e308),
  hasGrains: fc.boolean(),
  seed: fc.nat(),
});
const history = fc.record({
  sealed: fc.array(batch, { minLength: 1, maxLength: 4 }),
  tail: fc.option(batch),
  axis: fc.constantFrom<Axis>("step", "timestamp"),
  origin: fc.constantFrom(0, 0, 7, 1_000),
  xScale: fc.constantFrom<"linear" | "log">("linear", "linear", "log"),
  from: fc.double({ min: -0.1, max: 0.9, noNaN: true }),
  share: fc.constantFrom(0.01, 0.4, 1.3),
  columns: fc.integer({ min: 1, max: 20 }),
});

test("columns are those of all points, whatever holds them, and no more is read than is said", async () => {
  let [summarized, compared] = [0, 0];
  const property = fc.asyncProperty(history, async ({ sealed, tail, axis, origin, ...view }) => {
    const store = new Store();
    const parts = sealed.map(pointsOf);
    const sources: DrawnSource[] = [];
    for (const [at, points] of parts.entries()) {
      sources.push(...(await store.seal(points, sealed[at].hasGrains)));
    }
    if (tail !== null) {
      const points = pointsOf(tail);
      parts.push(points);
      sources.push(sourceOf(points));
    }
    const line = new SourceLine(sources, axis, origin);
    const raster = rasterOf(line.bounds()!, view);
    const inOrder = sortPoints(concatenate(parts), axis);
    await assertCurve(line, { x: inOrder[axis].map((x) => x - origin), value: inOrder.value });
    const expected = expectedDrawing(inOrder, axis, origin, raster);
    const dense = line.dense(raster, 0);
    if (dense === undefined) return;
    compared++;
    // The second time it comes from what is kept in memory.
    for (let round = 0; round < 2; round++) {
      store.pointsRead = 0;
      const merged = await dense.columns();
      // Grains whose sum is beyond any double have to be opened for their mean.
      const isHuge = sealed.some(({ values }) => values === 1e308);
      assert.ok(store.pointsRead <= dense.pointsToRead || isHuge);
      if (store.pointsRead < merged.points && round === 0) summarized++;
      assert.deepEqual(merged.bounds(), expected.bounds);
      assert.deepEqual(merged.neighbours(), expected.neighbours);
      assertReduced(merged.drawn().reduced!, expected.reduced);
      if (axis === "step") assert.deepEqual(merged.repeated(), expected.repeated);
    }
  });
  await fc.assert(property, { numRuns: 150 });
  assert.ok(summarized > 40, `grains served ${summarized} times of ${compared}`);
});

test("columns that begin and end with cells need no point of a segment that has grains", async () => {
  const store = new Store();
  const column = (at: (row: number) => number) =>
    Float64Array.from({ length: 60_000 }, (_, row) => at(row));
  const points = {
    step: column((row) => 5_003 + row),
    timestamp: column((row) => row),
    value: column(Math.sin),
  };
  const sources = await store.seal(points, true);
  // Enough sources to make it worth while; the columns are those of one of them.
  const often = Array.from({ length: 80 }, () => sources).flat();
  for (const [start, end, columns] of [
    [5_003, 65_003, 60],
    [20_000, 50_001, 50],
    // One grain a column.
    [5_003, 65_003, 480],
  ]) {
    const raster = aligned({ start, end, columns }, [{ sources: often, origin: 0 }]);
    assert.notDeepEqual(raster, { start, end, columns });
    assert.ok(raster.start <= start && raster.end >= end && raster.columns <= columns);
    assert.ok(raster.end - raster.start <= (end - start) * 1.026);
    store.pointsRead = 0;
    const dense = new SourceLine(sources, "step", 0).dense(raster, 0)!;
    assert.equal(dense.pointsToRead, 0);
    const expected = expectedDrawing(points, "step", 0, raster);
    assertReduced((await dense.columns()).drawn().reduced!, expected.reduced);
    assert.equal(store.pointsRead, 0);
    const moved = { ...raster, start: raster.start + 1, end: raster.end + 1 };
    assert.ok(new SourceLine(sources, "step", 0).dense(moved, 0)!.pointsToRead > 0);
  }
});

test("a range stays as it was asked for where cells would cost too much of it", async () => {
  const source = (count: number, exponent?: number): DrawnSource => ({
    ...sourceOf({
      step: Float64Array.of(0, 1e7 - 1),
      timestamp: new Float64Array(2),
      value: new Float64Array(2),
    }),
    count,
    ...(exponent !== undefined && {
      summary: { exponent, isOrdered: true, isStored: true, grains: never, open: never },
    }),
  });
  const never = () => Promise.reject(new Error("nothing is read"));
  const raster = { start: 0, end: 1e7, columns: 1_600 };
  const line = (origin: number, ...sources: DrawnSource[]) => ({ sources, origin });
  const kept: [string, Parameters<typeof aligned>[1]][] = [
    ["few points", [line(0, source(2_000_000, 7))]],
    ["no grains", [line(0, source(9_000_000))]],
    ["cells of most of a column", [line(0, source(8_000_000, 12))]],
    ["lines whose cells lie differently", [line(0, source(9_000_000, 7)), line(5, source(9, 7))]],
  ];
  for (const [why, lines] of kept) assert.deepEqual(aligned(raster, lines), raster, why);
  const narrow = { start: 0, end: 1e7, columns: 10 };
  assert.deepEqual(aligned(narrow, [line(0, source(9_000_000, 19))]), narrow, "wide columns");
  assert.deepEqual(aligned(raster, [line(0, source(9_000_000, 7))]), {
    start: 0,
    end: 6_272 * 1_595,
    columns: 1_595,
  });
  // A growing source is drawn again and again.
  const tail = { ...source(5), isGrowing: true as const };
  const growing = [line(0, source(2_000_000, 7), tail)];
  assert.equal(aligned(raster, growing).columns, 1_595);
  const few = [line(0, source(65_530, 7), tail)];
  assert.deepEqual(aligned(raster, few), raster, "few points, though they grow");
  // The price may be higher where many points would have to be read.
  assert.equal(aligned(raster, [line(0, source(9_000_000, 12))]).columns, 1_221);
});

/** Asserts the curve twice: the second one is the cached one, which must be unchanged. */
async function assertCurve(line: SourceLine, expected: Curve): Promise<void> {
  for (let round = 0; round < 2; round++) {
    let count = 0;
    const whole = { start: -Infinity, end: Infinity, before: 0, after: 0 };
    for await (const { x, value } of line.curve(whole)) {
      assert.deepEqual(x, expected.x.subarray(count, count + x.length));
      assert.deepEqual(value, expected.value.subarray(count, (count += value.length)));
    }
    assert.equal(count, expected.x.length);
  }
}

/** Segments in memory, which count the points that are read. */
class Store {
  pointsRead = 0;
  readonly #objects = new Map<string, Uint8Array>();
  /** Points of each chunk, by its place. */
  readonly #counts = new Map<string, number>();
  readonly #drawn = new DrawnSources(this.#bucket(), 2 ** 24, 2 ** 20);

  async seal(points: Points, hasGrains: boolean): Promise<DrawnSource[]> {
    const key = String(this.#objects.size);
    const writer = new SegmentWriter();
    const columns = { ...emptyColumns(points.step.length), ...points };
    writePartition(writer, 3, columns);
    writePartition(writer, 4, columns);
    this.#objects.set(key, Buffer.concat(writer.finish()));
    const written = await readSegmentIndex(this.#bucket(), key);
    const without = { ...written, grainBytes: written.grainBytes.map(() => 0) };
    const index = hasGrains ? written : without;
    const [first, last] = index.chunksOf(4);
    return Array.from({ length: last - first }, (_, row) => {
      const at = first + row;
      this.#counts.set(`${key} ${index.offset[at]}`, index.count[at]);
      return this.#drawn.source(key, index, at, {
        count: index.count[at],
        min: { step: index.minStep[at], timestamp: index.minTimestamp[at] },
        max: { step: index.maxStep[at], timestamp: index.maxTimestamp[at] },
        read: () => Promise.reject(new Error("it is read through the cache")),
      });
    });
  }

  #bucket() {
    const objectOf = (key: string) => this.#objects.get(key)!;
    return {
      size: async (key: string) => objectOf(key).length,
      read: async (key: string, offset: number, length: number) => {
        this.pointsRead += this.#counts.get(`${key} ${offset}`) ?? 0;
        return objectOf(key).subarray(offset, offset + length);
      },
    };
  }
}

function pointsOf(made: {
  count: number;
  firstStep: number;
  stepsApart: number;
  shuffledBy: number;
  lateBy: number;
  values: number;
  seed: number;
}): Points {
  let state = made.seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const column = (at: (row: number) => number) =>
    Float64Array.from({ length: made.count }, (_, row) => at(row));
  const step = column(
    (row) => made.firstStep + made.stepsApart * Math.floor(row / 2) + random(made.shuffledBy + 1),
  );
  const timestamp = column((row) => 2_000 + 2 * row + random(made.lateBy + 1));
  const value = column(() => (random(2_001) / 2_000 - 0.5) * made.values);
  return sortPoints({ step, timestamp, value }, made.shuffledBy === 3 ? "step" : "timestamp");
}

function sourceOf(points: Points): DrawnSource {
  const { step, timestamp } = points;
  return {
    count: step.length,
    min: { step: Math.min(...step), timestamp: Math.min(...timestamp) },
    max: { step: Math.max(...step), timestamp: Math.max(...timestamp) },
    read: async () => points,
  };
}

function rasterOf(
  { first, last }: { first: number; last: number },
  view: { from: number; share: number; columns: number; xScale: "linear" | "log" },
): Raster {
  const span = last - first + 1;
  const asked = first + Math.floor(view.from * span);
  const start = view.xScale === "log" ? Math.max(0.5, asked) : asked;
  const end = start + Math.max(1, Math.floor(view.share * span));
  return { start, end, columns: view.columns, xScale: view.xScale };
}

/** The same, point by point. */
function expectedDrawing(sorted: Points, axis: Axis, origin: number, raster: Raster) {
  const all = Array.from(sorted[axis], (each, row) => ({
    x: each - origin,
    value: sorted.value[row],
    tie: sorted.timestamp[row],
  }));
  const inside = all.filter(({ x }) => x >= raster.start && x < raster.end);
  const isPlaced = (x: number) => raster.xScale !== "log" || x > 0;
  const before = all.findLast(({ x }) => x < raster.start && isPlaced(x));
  const after = all.find(({ x }) => x >= raster.end && isPlaced(x));
  const best = (isBetter: (one: number, other: number) => boolean) =>
    inside.reduce((found, each) => (isBetter(each.value, found.value) ? each : found), inside[0]);
  const byColumn = Map.groupBy(inside, ({ x }) => columnOf(raster, x));
  const each = (number: (values: number[]) => number) =>
    [...byColumn.values()].map((column) => number(column.map(({ value }) => value)));
  const columns = [...byColumn.values()];
  const isBack = (at: number) => columns[at]?.at(-1)!.tie > (columns[at + 1]?.[0].tie ?? Infinity);
  const isOver = (points: typeof inside) => points.length > points.at(-1)!.x - points[0].x + 1;
  const repeated = [...byColumn.keys()].filter(
    (_, at) => isOver(columns[at]) || (isBack(at) && (isBack(at - 1) || isBack(at + 1))),
  );
  const placed = (point: (typeof inside)[number]) => ({ x: point.x, value: point.value });
  return {
    repeated,
    bounds: {
      points: inside.length,
      ...(inside.length > 0 && {
        min: placed(best((one, other) => one < other)),
        max: placed(best((one, other) => one > other)),
      }),
    },
    neighbours: {
      ...(before && { before: placed(before) }),
      ...(after && { after: placed(after) }),
    },
    reduced: {
      column: [...byColumn.keys()],
      first: each((values) => values[0]),
      last: each((values) => values.at(-1)!),
      min: each((values) => Math.min(...values)),
      max: each((values) => Math.max(...values)),
      mean: each((values) => values.reduce((sum, value) => sum + value / values.length, 0)),
    },
  };
}

type Reduced = ReturnType<typeof expectedDrawing>["reduced"];

/** Means are rounded. */
function assertReduced(actual: Reduced, expected: Reduced): void {
  assert.deepEqual({ ...actual, mean: [] }, { ...expected, mean: [] });
  for (const [at, mean] of actual.mean.entries()) {
    const wide = Math.max(Math.abs(expected.min[at]), Math.abs(expected.max[at]));
    assert.ok(Math.abs(mean - expected.mean[at]) <= 1e-12 * wide, `mean of column ${at}`);
  }
}
