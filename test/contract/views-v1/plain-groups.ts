import assert from "node:assert/strict";
import {
  columnOf,
  type GroupCurve,
  type GroupsBody,
  type GroupsReply,
  shareOf,
} from "@lossless/protocol";
import type { JsonObject } from "../../http.ts";
import type { Random } from "../../random.ts";
import type { ExperimentCaller } from "../callers.ts";
import {
  plainLine,
  type PlainPoint,
  plainSmooth,
  randomPoints,
  type RecordedPoint,
} from "./plain-lines.ts";

/** Groups of curves as docs/views.md has them, from all points, member by member. */

export interface GroupedRun {
  experimentId: string;
  meta: JsonObject;
  /** Points by the rank of their partition; "" has none. */
  partitions: ReadonlyMap<string, { points: RecordedPoint[]; partners: RecordedPoint[] }>;
  firstTimestampMs: number;
  firstStep: number;
}

/** Records a run of 0 to some hundred points, in requests of which segments overlap. */
export async function recordGroupedRun(
  experiment: ExperimentCaller,
  meta: JsonObject,
  random: Random,
): Promise<GroupedRun> {
  const partitions = new Map<string, { points: RecordedPoint[]; partners: RecordedPoint[] }>();
  const first = 1_000_000 + random.below(1_000);
  for (const rank of [[""], ["0", "1"], []][random.below(3)]) {
    const steps = 1 + random.below(900);
    const points = randomPoints(random, [1, 3, 60, 400][random.below(4)], first, steps);
    const partners = randomPoints(random, 300, first, 1_000);
    partitions.set(rank, { points, partners });
    const ranked = rank === "" ? {} : { rank };
    for (let start = 0; start < 400; start += 150) {
      const own = points
        .slice(start, start + 150)
        .map((point) => experiment.metric({ ...point, meta: ranked }));
      const others = partners
        .slice(start, start + 150)
        .map((point) => experiment.metric({ ...point, meta: ranked, metricName: "tokens" }));
      if (own.length + others.length > 0) await experiment.send(...own, ...others);
    }
  }
  const all = [...partitions.values()];
  const times = all
    .flatMap(({ points, partners }) => [...points, ...partners])
    .map(({ timestampMs }) => timestampMs);
  const steps = all.flatMap(({ points }) => points).map(({ step }) => step);
  return {
    experimentId: experiment.experimentId,
    meta,
    partitions,
    firstTimestampMs: Math.min(...times),
    firstStep: Math.min(...steps),
  };
}

interface PlainMember {
  identity: string;
  experimentId: string;
  line: PlainPoint[];
  /** As it is drawn: smoothed, where that is asked for. */
  drawn: PlainPoint[];
  unplaced: number;
}

/** Compares a reply with the groups of these runs, and their columns with those of all points. */
export function assertGroups(
  reply: GroupsReply,
  body: GroupsBody,
  runs: readonly GroupedRun[],
): void {
  const members = smoothed(
    runs.flatMap((run) => membersOf(run, body)),
    body,
  );
  const experiments = new Set(members.map(({ experimentId }) => experimentId));
  assert.equal(reply.experiments, runs.length);
  assert.equal(reply.withoutSeries, runs.length - experiments.size);
  assert.deepEqual(reply.others, { groups: 0, members: 0 });
  assertRange(reply, body, members);
  const groups = Map.groupBy(members, ({ identity }) => identity);
  const found = new Map(reply.groups.map((group) => [identityOf(group), group]));
  assert.deepEqual([...found.keys()].toSorted(), [...groups.keys()].toSorted());
  const sizes = reply.groups.map((group) => group.members);
  assert.deepEqual(
    sizes,
    sizes.toSorted((one, other) => other - one),
  );
  for (const [identity, own] of groups) assertGroup(found.get(identity)!, own, reply, body);
}

function membersOf(run: GroupedRun, body: GroupsBody): PlainMember[] {
  const { xAxis, by, byPartition = [], filter = [] } = body;
  return [...run.partitions].flatMap(([rank, { points, partners }]) => {
    const metadata: Record<string, string> = rank === "" ? {} : { rank };
    if (!filter.every(({ metadataKey, metadataValue }) => metadata[metadataKey] === metadataValue))
      return [];
    const { line, unplaced } = plainLine(points, xAxis, partners, run.firstTimestampMs);
    // An offset counts from the first step of all partitions.
    const shift =
      xAxis === "offset" ? Math.min(...points.map(({ step }) => step)) - run.firstStep : 0;
    const placed = line.map(({ x, value }) => ({ x: x + shift, value }));
    const values = [
      ...by.map((field) => valueText(run.meta, field)),
      ...byPartition.map((key) => (key in metadata ? `text ${metadata[key]}` : "none ")),
    ];
    const identity = values.join("\n");
    const { experimentId } = run;
    return [{ identity, experimentId, line: placed, drawn: placed, unplaced }];
  });
}

/** The unit of a smoothing by x is that of all members together. */
function smoothed(
  members: readonly PlainMember[],
  { smooth, xScale }: GroupsBody,
): readonly PlainMember[] {
  if (smooth === undefined) return members;
  const all = members.flatMap(({ line }) => line);
  return members.map((member) => {
    return { ...member, drawn: plainSmooth(member.line, smooth, xScale, all) };
  });
}

function valueText(meta: JsonObject, field: string): string {
  const value = meta[field === "tag" ? "_tags" : field.replace("meta.", "")];
  if (value === undefined) return "none ";
  if (value === null) return "null null";
  const kind = Array.isArray(value) ? "list" : typeof value === "string" ? "text" : typeof value;
  return `${kind} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

function identityOf({ values }: GroupCurve): string {
  return values.map(({ kind, text }) => `${kind} ${text}`).join("\n");
}

function assertRange(
  { start, end, xScale }: GroupsReply,
  body: GroupsBody,
  members: readonly PlainMember[],
): void {
  const places = members
    .flatMap(({ line }) => line.map(({ x }) => x))
    .filter((x) => xScale === "linear" || x > 0);
  assert.equal(start, body.start ?? places.reduce((least, x) => Math.min(least, x), Infinity));
  if (body.end !== undefined) return assert.equal(end, body.end);
  const last = places.reduce((most, x) => Math.max(most, x), start);
  if (body.xAxis !== "metric" || last === start) assert.equal(end, last + 1);
  else assert.ok(end > last && end - last <= Math.abs(last) * 2 ** -51);
}

interface PlainColumn {
  value: number;
  min: number;
  max: number;
}

function assertGroup(
  group: GroupCurve,
  members: readonly PlainMember[],
  raster: GroupsReply,
  body: GroupsBody,
): void {
  const isBelow = raster.xScale === "log" && body.start === undefined;
  const inRange = ({ x }: PlainPoint) => x >= raster.start && x < raster.end;
  const unplaced = members.reduce(
    (sum, one) => sum + one.unplaced + (isBelow ? one.line.filter(({ x }) => x <= 0).length : 0),
    0,
  );
  assert.equal(group.members, members.length);
  assert.equal(group.experiments, new Set(members.map(({ experimentId }) => experimentId)).size);
  assert.equal(
    group.points,
    members.reduce((sum, { line }) => sum + line.filter(inRange).length, 0),
  );
  assert.equal(group.unplaced ?? 0, unplaced);
  const columns = members.map(({ drawn }) => plainColumns(drawn, raster));
  const expected = Array.from({ length: raster.columns }, (_, column) =>
    columns.flatMap((own) => own.get(column) ?? []),
  );
  const filled = [...expected.keys()].filter((column) => expected[column].length > 0);
  assert.deepEqual(group.column, filled);
  for (const [at, column] of filled.entries()) {
    const here = expected[column];
    const mean = here.reduce((sum, { value }) => sum + value / here.length, 0);
    const squares = here.reduce((sum, { value }) => sum + (value - mean) ** 2, 0);
    assert.equal(group.count[at], here.length);
    near(group.mean[at], mean);
    near(group.min[at], Math.min(...here.map(({ min }) => min)));
    near(group.max[at], Math.max(...here.map(({ max }) => max)));
    near(group.deviation[at], here.length === 1 ? 0 : Math.sqrt(squares / (here.length - 1)));
  }
  assertRecorded(group, members, raster);
}

function near(actual: number, expected: number): void {
  assert.ok(
    Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${actual} is not ${expected}`,
  );
}

/** The values of a line in the columns: of its points, and in between those of the drawn line. */
function plainColumns(line: readonly PlainPoint[], raster: GroupsReply): Map<number, PlainColumn> {
  const { start, end, columns, xScale } = raster;
  const placed = line.filter(({ x }) => xScale === "linear" || x > 0);
  const inside = placed.filter(({ x }) => x >= start && x < end);
  const byColumn = Map.groupBy(inside, ({ x }) => columnOf(raster, x));
  // Only the columns of many points are known, which are drawn at their middle.
  const isReduced = inside.length > 4 * columns;
  const placeOf = (point: PlainPoint) => {
    const isInside = point.x >= start && point.x < end;
    return isReduced && isInside
      ? columnOf(raster, point.x) + 0.5
      : shareOf(raster, point.x) * columns;
  };
  const found = new Map<number, PlainColumn>();
  for (let column = 0; column < columns; column++) {
    const own = byColumn.get(column)?.map(({ value }) => value);
    if (own !== undefined) {
      const value = own.reduce((sum, each) => sum + each, 0) / own.length;
      found.set(column, { value, min: Math.min(...own), max: Math.max(...own) });
      continue;
    }
    const isAhead = ({ x }: PlainPoint) => x < start || (x < end && columnOf(raster, x) < column);
    const left = placed.findLast(isAhead);
    const right = placed.find((point) => !isAhead(point));
    if (left === undefined || right === undefined) continue;
    const share = (column + 0.5 - placeOf(left)) / (placeOf(right) - placeOf(left));
    const value = left.value + (right.value - left.value) * share;
    found.set(column, { value, min: value, max: value });
  }
  return found;
}

function assertRecorded(
  group: GroupCurve,
  members: readonly PlainMember[],
  raster: GroupsReply,
): void {
  const { start, end, columns } = raster;
  const places = new Map<number, { members: number; x: Set<number | null> }>();
  for (const { drawn } of members) {
    const inside = drawn.filter(({ x }) => x >= start && x < end);
    const isReduced = inside.length > 4 * columns;
    for (const [column, own] of Map.groupBy(inside, ({ x }) => columnOf(raster, x))) {
      const place = places.get(column) ?? { members: 0, x: new Set() };
      places.set(column, place);
      place.members++;
      for (const { x } of own) place.x.add(isReduced ? null : x);
    }
  }
  const sorted = [...places].toSorted(([one], [other]) => one - other);
  assert.deepEqual(group.recorded, {
    column: sorted.map(([column]) => column),
    members: sorted.map(([, one]) => one.members),
    x: sorted.map(([, { x }]) => (x.size === 1 ? [...x][0] : null)),
  });
}
