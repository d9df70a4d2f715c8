import { randomUUID } from "node:crypto";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { freeMemory } from "../ground/free-memory.ts";
import { decodeChunk } from "./chunk.ts";
import { emptyColumns, freeColumns, writePartition, type SealedColumns } from "./encode-points.ts";
import { identifiersKey, pointsKey } from "./filenames.ts";
import { mergeIdentifierRuns } from "./identifiers/merge-runs.ts";
import { IdentifierRun } from "./identifiers/run.ts";
import type { SegmentRow } from "./manifest.ts";
import type { EngineTools } from "./seal.ts";
import { StagedObjects } from "./staged-objects.ts";
import { readSegmentIndex, SegmentWriter, type SegmentIndex } from "./segment.ts";

/**
 * Number of neighbouring segments of one size class that are merged into one. Each new identifier
 * is looked up in every run, so there are fewer of these, at the price of writing each entry more
 * often.
 */
const fanouts = { points: 8, identifiers: 4 };
/**
 * Maximum of the first size class. Segments of each class are up to `fanout` times as large as
 * those of the class below.
 */
const smallestClassPoints = 65_536;
/**
 * Maximum of a merger's points: a larger one would need memory for the whole object, and gain
 * little.
 */
const mergedPointsMax = { points: 4_194_304, identifiers: 8_388_608 };

/** Keeps the number of segments small: every look-up and every read asks each of them. */
export class Merger {
  readonly #tools: EngineTools;

  constructor(tools: EngineTools) {
    this.#tools = tools;
  }

  /** Runs the due merges of one experiment. Returns their number. */
  async mergeDue(experimentId: string): Promise<number> {
    let merged = 0;
    for (const kind of ["identifiers", "points"] as const) {
      for (let again = true; again;) {
        const due = dueSegments(
          await this.#manifest(experimentId, kind),
          fanouts[kind],
          mergedPointsMax[kind],
        );
        again = due !== undefined && (await this.#merge(experimentId, kind, due));
        if (again) merged++;
      }
    }
    return merged;
  }

  async #manifest(experimentId: string, kind: SegmentRow["kind"]): Promise<ManifestSegment[]> {
    return this.#tools.database.read(async (reader) => {
      const own = await reader.at(experimentId);
      return own.all<ManifestSegment>(
        `SELECT key, seq_from, seq_to, points FROM segment
         WHERE experiment = $1 AND kind = $2 ORDER BY seq_from`,
        experimentId,
        kind,
      );
    });
  }

  async #merge(
    experimentId: string,
    kind: SegmentRow["kind"],
    due: ManifestSegment[],
  ): Promise<boolean> {
    const unique = randomUUID();
    const parts =
      kind === "points"
        ? await mergedPoints(
            this.#tools.bucket,
            due.map(({ key }) => key),
          )
        : await this.#mergeIdentifiers(due.map(({ key }) => key));
    const key =
      kind === "points" ? pointsKey(experimentId, unique) : identifiersKey(experimentId, unique);
    const staged = new StagedObjects(this.#tools.bucket);
    await staged.put(key, parts);
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    for (const part of parts) freeMemory(part);
    const segment: SegmentRow = {
      kind,
      key,
      seqFrom: due[0].seq_from,
      seqTo: due.at(-1)!.seq_to,
      points: due.reduce((sum, { points }) => sum + points, 0),
      bytes,
    };
    const replaced = due.map((row) => row.key);
    return staged.publish(() =>
      this.#tools.write("points.replace", { experimentId, replaced, segments: [segment] }),
    );
  }

  async #mergeIdentifiers(keys: string[]): Promise<Uint8Array[]> {
    const runs: IdentifierRun[] = [];
    try {
      for (const key of keys)
        runs.push(IdentifierRun.open(await this.#tools.bucket.localFile(key)));
      return await mergeIdentifierRuns(runs);
    } finally {
      for (const run of runs) run.close();
    }
  }
}

/**
 * Yields the points of segments, which come in order of arrival, as one: partition by partition, so
 * only one is decoded at a time. Those of `without` are left out.
 */
export async function mergedPoints(
  bucket: SegmentBucket,
  keys: string[],
  without: ReadonlySet<number> = new Set(),
): Promise<Uint8Array[]> {
  const sources: Source[] = [];
  const prefixes = new Map<string, number>();
  for (const key of keys) {
    const index = await readSegmentIndex(bucket, key);
    for (const prefix of index.prefixes)
      if (!prefixes.has(prefix)) prefixes.set(prefix, prefixes.size + 1);
    const prefixNumbers = index.prefixes.map((prefix) => prefixes.get(prefix)!);
    sources.push({ key, index, prefixNumbers });
  }
  const partitions = new Set(sources.flatMap(({ index }) => [...index.partition]));
  const writer = new SegmentWriter([...prefixes.keys()]);
  for (const partition of [...partitions].sort((left, right) => left - right)) {
    if (without.has(partition)) continue;
    const columns = await readPartition(bucket, sources, partition);
    writePartition(writer, partition, columns);
    freeColumns(columns);
  }
  return writer.finish();
}

async function readPartition(
  bucket: SegmentBucket,
  sources: Source[],
  partition: number,
): Promise<SealedColumns> {
  let count = 0;
  for (const { index } of sources) {
    const [first, last] = index.chunksOf(partition);
    for (let at = first; at < last; at++) count += index.count[at];
  }
  const columns = emptyColumns(count);
  let start = 0;
  for (const { key, index, prefixNumbers } of sources) {
    const [first, last] = index.chunksOf(partition);
    for (let at = first; at < last; at++) {
      const chunk = decodeChunk(await bucket.read(key, index.offset[at], index.bytes[at]), true);
      columns.step.set(chunk.step, start);
      columns.timestamp.set(chunk.timestamp, start);
      columns.value.set(chunk.value, start);
      if (chunk.prefix !== undefined && chunk.counter !== undefined) {
        columns.counter.set(chunk.counter, start);
        for (let row = 0; row < chunk.prefix.length; row++) {
          const local = chunk.prefix[row];
          columns.prefix[start + row] = local === 0 ? 0 : prefixNumbers[local - 1];
        }
      }
      start += chunk.step.length;
      freeMemory(chunk.step, chunk.timestamp, chunk.value);
    }
  }
  return columns;
}

interface ManifestSegment {
  key: string;
  seq_from: number;
  seq_to: number;
  points: number;
}

interface Source {
  key: string;
  index: SegmentIndex;
  /** The merger's number of each of the segment's prefixes. */
  prefixNumbers: number[];
}

/**
 * The first run of `fanout` neighbours that are all of a class or below it, smallest class first.
 * Neighbours only: a merger must stay in the order of arrival.
 */
export function dueSegments(
  segments: ManifestSegment[],
  fanout: number,
  pointsMax: number,
): ManifestSegment[] | undefined {
  const classes = segments.map(({ points }) => sizeClass(points, fanout));
  for (const limit of [...new Set(classes)].sort((left, right) => left - right)) {
    let start = 0;
    for (let end = 0; end < segments.length; end++) {
      if (classes[end] > limit) start = end + 1;
      if (end - start + 1 < fanout) continue;
      const due = segments.slice(start, end + 1);
      if (due.reduce((sum, { points }) => sum + points, 0) <= pointsMax) return due;
      start++;
    }
  }
  return undefined;
}

function sizeClass(points: number, fanout: number): number {
  return Math.max(0, Math.ceil(Math.log2(points / smallestClassPoints) / Math.log2(fanout)));
}
