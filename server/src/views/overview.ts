import { setImmediate } from "node:timers/promises";
import { limits } from "@lossless/protocol/limits";
import type { OverviewBody } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import type { Reader } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { searchPoints, type PointSource } from "../points/search.ts";
import type { Axis } from "../points/sorted-points.ts";
import { matchingSeries } from "../series/matching-series.ts";
import { Reduction } from "./reduction.ts";

export interface ReadOverview {
  organizationId: string;
  body: OverviewBody;
}

/** What the reader thread brings: the points of partitions as of one moment. */
export interface OverviewContext {
  snapshots: {
    take(
      reader: Reader,
      experimentId: string,
      partitions: Iterable<number>,
    ): Promise<{ sources(partition: number): PointSource[] }>;
  };
}

/** The event loop runs after so many points: a few milliseconds of decoding. */
const pointsPerTurn = 131_072;

/** `views/overview`. An unknown or foreign experiment has no series, as in `query.series`. */
export async function readOverview(
  reader: Reader,
  { organizationId, body }: ReadOverview,
  text: ReplyText,
  { snapshots }: OverviewContext,
): Promise<void> {
  const { xAxis, columns } = body;
  const partitions = await findPartitions(reader, organizationId, body, snapshots);
  const raster = { ...rangeOf(body, partitions), columns };
  requireReadable(partitions, xAxis, raster);
  const opening = JSON.stringify({ xAxis, ...raster });
  await text.add(`${opening.slice(0, -1)},"series":[`);
  let points = 0;
  for (const [at, partition] of partitions.entries()) {
    const reduction = await reduce(within(partition.sources, xAxis, raster), xAxis, raster);
    points += reduction.points;
    await text.add(`${at === 0 ? "" : ","}${printed(partition, reduction)}`);
  }
  await text.add(`],"points":${points}}`);
}

interface Partition {
  experimentId: string;
  seriesName: string;
  /** JSON, as it is stored. */
  meta: string;
  sources: PointSource[];
}

/** In the order of the request; all that is asked of one experiment is of one moment. */
async function findPartitions(
  reader: Reader,
  organizationId: string,
  { series, columns }: OverviewBody,
  snapshots: OverviewContext["snapshots"],
): Promise<Partition[]> {
  const found: { experimentId: string; seriesName: string; number: number; meta: string }[] = [];
  for (const { experimentId, seriesName, filter = [] } of series) {
    const selection = { organizationId, experimentId, seriesNames: [seriesName], filter };
    const [{ partitions }] = await matchingSeries(reader, selection);
    for (const partition of partitions) found.push({ experimentId, seriesName, ...partition });
    if (found.length * columns <= limits.overviewColumnsTogetherMax) continue;
    throw tooMuch(
      `These are ${found.length} partitions or more in ${columns} columns each; ` +
        `together they may have ${limits.overviewColumnsTogetherMax} columns.`,
    );
  }
  const partitions: Partition[] = [];
  const taken = new Map<string, Awaited<ReturnType<typeof snapshots.take>>>();
  for (const { experimentId, seriesName, number, meta } of found) {
    let snapshot = taken.get(experimentId);
    if (snapshot === undefined) {
      const numbers = found.filter((one) => one.experimentId === experimentId);
      snapshot = await snapshots.take(
        reader,
        experimentId,
        numbers.map((one) => one.number),
      );
      taken.set(experimentId, snapshot);
    }
    partitions.push({ experimentId, seriesName, meta, sources: snapshot.sources(number) });
  }
  return partitions;
}

/** What is left out reaches to the first and the last point. A range without points is one wide. */
function rangeOf(body: OverviewBody, partitions: Partition[]): { start: number; end: number } {
  const sources = partitions.flatMap((partition) => partition.sources);
  const first = sources.reduce((least, { min }) => Math.min(least, min[body.xAxis]), Infinity);
  const last = sources.reduce((most, { max }) => Math.max(most, max[body.xAxis]), -Infinity);
  const begin = body.start ?? Math.min(first, (body.end ?? Infinity) - 1);
  const start = Number.isFinite(begin) ? Math.max(0, begin) : 0;
  const end = body.end ?? Math.max(last, start) + 1;
  if (start < end) return { start, end };
  throw new ServiceError("bad_request", "`end` must be above `start`.");
}

function within(sources: PointSource[], axis: Axis, { start, end }: Raster): PointSource[] {
  return sources.filter(({ min, max }) => max[axis] >= start && min[axis] < end);
}

function requireReadable(partitions: Partition[], axis: Axis, raster: Raster): void {
  let points = 0;
  for (const { sources } of partitions) {
    for (const { count } of within(sources, axis, raster)) points += count;
  }
  if (points <= limits.overviewPointsMax) return;
  throw tooMuch(
    `About ${points} points lie in this range; an overview looks at ${limits.overviewPointsMax} at most.`,
  );
}

function tooMuch(sentence: string): ServiceError {
  return new ServiceError("bad_request", `${sentence} Ask for fewer series or a smaller range.`);
}

async function reduce(sources: PointSource[], axis: Axis, raster: Raster): Promise<Reduction> {
  const reduction = new Reduction(raster, axis);
  let turn = 0;
  for await (const block of searchPoints(sources, axis)) {
    reduction.add(block);
    turn += block.step.length;
    if (turn < pointsPerTurn) continue;
    turn = 0;
    await setImmediate();
  }
  return reduction;
}

function printed({ experimentId, seriesName, meta }: Partition, reduction: Reduction): string {
  const identity = JSON.stringify({ experimentId, seriesName });
  const rest = JSON.stringify(reduction.reply());
  return `${identity.slice(0, -1)},"metadata":${meta},${rest.slice(1)}`;
}
