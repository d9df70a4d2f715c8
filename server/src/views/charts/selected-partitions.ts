import { setImmediate } from "node:timers/promises";
import { limits } from "@lossless/protocol/limits";
import type { OverviewBody, SeriesCombination } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { BoundedCache } from "../../points/bounded-cache.ts";
import type { DrawnSource } from "../../points/drawn-sources.ts";
import { matchesFilter } from "../../experiments/series/filter.ts";
import { matchingSeries, type MatchingSeries } from "../../experiments/series/matching-series.ts";
import { OpenedPoints } from "./opened-points.ts";

/** The context of the reader thread: the points of partitions as of one moment. */
export interface ViewContext {
  snapshots: {
    take(reader: Reader, experimentId: string, partitions: Iterable<number>): Promise<Snapshot>;
  };
  /** Returns the error for damaged stored data; undefined when the error is something else. */
  damage: (error: unknown) => ServiceError | undefined;
  /** Cache of drawn lines. */
  drawnLines?: DrawnLines;
  /** Aborts when no client waits any more: then no further source is read. */
  signal?: AbortSignal;
}

export type DrawnLines = Pick<BoundedCache<DrawnLine>, "get" | "set">;

/** A drawn line, without the names that identify it. */
export interface DrawnLine {
  points: number;
  /** A JSON object. */
  text: string;
}

interface Snapshot {
  stateOf(partition: number): string;
  firstTimestamp(): number;
  drawnSources(partition: number): DrawnSource[];
}

export interface SelectedPartition {
  experimentId: string;
  seriesName: string;
  /** JSON, as it is stored. */
  meta: string;
  sources: DrawnSource[];
  /** Equal for equal points. */
  state: string;
  /** The partition with the same meta of the series whose values are x. */
  xSources: DrawnSource[];
  /** The series that changes its values, and the partition of it with the same meta. */
  combined?: SeriesCombination & { sources: DrawnSource[] };
  /** The step or timestamp that lies at 0 of the axis. */
  origin: number;
  /** Why its experiment cannot be read. */
  problem?: ServiceError;
}

export interface Selection extends Pick<
  OverviewBody,
  "series" | "partitionsFrom" | "partitionsMax" | "xAxis" | "xSeriesName"
> {
  organizationId: string;
  /** Partitions, all together, above which a request is refused. */
  linesMax: number;
}

/**
 * Returns the partitions in the order of the request; those of one experiment are of one moment.
 */
export async function selectPartitions(
  reader: Reader,
  selection: Selection,
  { snapshots, damage, signal }: ViewContext,
): Promise<{ partitions: SelectedPartition[]; matching: number; opened: OpenedPoints }> {
  requireAxis(selection);
  const opened = new OpenedPoints(signal);
  const { found, matching } = await findPartitions(reader, selection, signal);
  const taken = new Map<string, Snapshot | ServiceError>();
  for (const [experimentId, ofExperiment] of Map.groupBy(found, (one) => one.experimentId)) {
    const siblings = new Set(ofExperiment.map((one) => one.siblings));
    const numbers = new Set([...siblings].flat());
    for (const { number, xNumber = number, otherNumber = number } of ofExperiment)
      numbers.add(number).add(xNumber).add(otherNumber);
    taken.set(experimentId, await orDamage(snapshots.take(reader, experimentId, numbers), damage));
  }
  const origins = new Map<number[], number>();
  const partitions = found.map(({ number, xNumber, otherNumber, siblings, ...named }) => {
    const { combination, ...identity } = named;
    const snapshot = taken.get(identity.experimentId)!;
    if (snapshot instanceof ServiceError) {
      const combined = combination && { combined: { ...combination, sources: [] } };
      const empty = { sources: [], state: "", xSources: [], origin: 0, ...combined };
      return { ...identity, ...empty, problem: snapshot };
    }
    let origin = origins.get(siblings);
    if (origin === undefined) {
      origins.set(siblings, (origin = originOf(selection.xAxis, snapshot, siblings)));
    }
    const sourcesOf = (of: number) => opened.counted(snapshot.drawnSources(of));
    const sourcesIf = (of: number | undefined) => (of === undefined ? [] : sourcesOf(of));
    const xSources = sourcesIf(xNumber);
    const partition = { ...identity, sources: sourcesOf(number), xSources, origin };
    const state = snapshot.stateOf(number);
    if (combination === undefined) return { ...partition, state };
    const other = otherNumber === undefined ? "" : snapshot.stateOf(otherNumber);
    return {
      ...partition,
      state: JSON.stringify([state, combination.operator, other]),
      combined: { ...combination, sources: sourcesIf(otherNumber) },
    };
  });
  return { partitions, matching, opened };
}

function requireAxis({ xAxis, xSeriesName }: Selection): void {
  if ((xAxis === "metric") === (xSeriesName !== undefined)) return;
  throw new ServiceError("bad_request", "`xSeriesName` and the axis `metric` need each other.");
}

interface MatchedPartition {
  experimentId: string;
  seriesName: string;
  meta: string;
  number: number;
  /** The partition with the same meta of the series whose values are x. */
  xNumber: number | undefined;
  combination: SeriesCombination | undefined;
  /** The partition with the same meta of the series that it names. */
  otherNumber: number | undefined;
  /** All partitions of the series, whatever the filter: an offset counts from their first step. */
  siblings: number[];
}

async function findPartitions(
  reader: Reader,
  { organizationId, series, linesMax, ...selection }: Selection,
  signal: AbortSignal | undefined,
): Promise<{ found: MatchedPartition[]; matching: number }> {
  const { partitionsFrom = 0, partitionsMax = Infinity, xAxis, xSeriesName } = selection;
  const known = new KnownSeries(reader, organizationId);
  const found: MatchedPartition[] = [];
  let matching = 0;
  let looked = 0;
  for (const { experimentId, seriesName, combined: combination, filter = [] } of series) {
    await setImmediate();
    signal?.throwIfAborted();
    const { partitions, numbers } = await known.find(experimentId, seriesName);
    const partners =
      xSeriesName === undefined ? undefined : await known.find(experimentId, xSeriesName);
    const others =
      combination === undefined
        ? undefined
        : await known.find(experimentId, combination.seriesName);
    for (const { length } of [partitions, partners?.partitions ?? [], others?.partitions ?? []])
      looked += length;
    if (looked > limits.viewPartitionsMax) throw tooManyPartitions();
    const siblings = xAxis === "offset" ? numbers : [];
    for (const { number, meta } of partitions) {
      if (filter.length > 0 && !matchesFilter(JSON.parse(meta) as Meta, filter)) continue;
      const at = matching++;
      if (at < partitionsFrom || at >= partitionsFrom + partitionsMax) continue;
      const xNumber = partners?.byMeta.get(meta);
      const otherNumber = others?.byMeta.get(meta);
      const numbers = { number, xNumber, otherNumber, siblings };
      found.push({ experimentId, seriesName, meta, combination, ...numbers });
      if (found.length > linesMax) throw tooManyLines(linesMax, partitions.length, seriesName);
    }
  }
  return { found, matching };
}

type Meta = Record<string, string>;

interface Looked extends MatchingSeries {
  numbers: number[];
  byMeta: ReadonlyMap<string, number>;
}

/**
 * The partitions of series, each series looked up once for all places of a request that name it.
 */
class KnownSeries {
  readonly #reader: Reader;
  readonly #organizationId: string;
  readonly #found = new Map<string, Looked>();

  constructor(reader: Reader, organizationId: string) {
    this.#reader = reader;
    this.#organizationId = organizationId;
  }

  async find(experimentId: string, seriesName: string): Promise<Looked> {
    const name = JSON.stringify([experimentId, seriesName]);
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const organizationId = this.#organizationId;
    const query = { organizationId, experimentId, seriesNames: [seriesName], filter: [] };
    const [series] = await matchingSeries(this.#reader, query);
    const numbers = series.partitions.map(({ number }) => number);
    const byMeta = new Map(series.partitions.map(({ meta, number }) => [meta, number]));
    const looked = { ...series, numbers, byMeta };
    this.#found.set(name, looked);
    return looked;
  }
}

function tooManyPartitions(): ServiceError {
  return new ServiceError(
    "bad_request",
    `The series named here have more than ${limits.viewPartitionsMax} partitions together, counted ` +
      "as often as they are named. Name fewer of them.",
  );
}

function tooManyLines(linesMax: number, partitions: number, seriesName: string): ServiceError {
  const widest = `the series ${JSON.stringify(seriesName)} alone has ${partitions} partitions`;
  return new ServiceError(
    "bad_request",
    `One reply of this width has at most ${linesMax} lines, and these are more (${widest}). Narrow ` +
      "them by `filter`, name fewer series, ask for fewer columns, or for a part with " +
      "`partitionsFrom` and `partitionsMax`.",
  );
}

/** Returns the step or timestamp that lies at 0 of the axis. */
export function originOf(
  xAxis: Selection["xAxis"],
  snapshot: Pick<Snapshot, "firstTimestamp" | "drawnSources">,
  siblings: readonly number[],
): number {
  if (xAxis === "elapsed") return snapshot.firstTimestamp();
  if (xAxis !== "offset") return 0;
  const sources = siblings.flatMap((number) => snapshot.drawnSources(number));
  return sources.reduce((least, { min }) => Math.min(least, min.step), Infinity);
}

async function orDamage<Result>(
  work: Promise<Result>,
  damage: ViewContext["damage"],
): Promise<Result | ServiceError> {
  try {
    return await work;
  } catch (error) {
    const told = damage(error);
    if (told === undefined) throw error;
    return told;
  }
}
