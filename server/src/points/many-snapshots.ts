import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { DrawnSources } from "./drawn-sources.ts";
import { HeldEnds } from "./held-ends.ts";
import { readSegmentIndexes, type ReadIndex } from "./segment-indexes.ts";
import { Snapshot, type Segment } from "./snapshots.ts";
import { Tail } from "./tail.ts";

/** Unsealed points of an experiment up to which its log is read together with those of others. */
const unsealedTogetherMax = 8_192;
/** And of all of them in one statement: some 12 MB. */
const unsealedStatementMax = 262_144;

/** A snapshot, or why its experiment cannot be read. */
export type TakenSnapshot = Snapshot | { failure: unknown };

/**
 * Snapshots of many experiments for one pass over all of them: some statements for a slice instead
 * of some for each experiment, and one read of each short segment. Nothing is kept behind a slice,
 * so that a pass neither fills the memory nor evicts what others read.
 */
export class ManySnapshots {
  readonly #takeOne: TakeOne;
  readonly #ends: HeldEnds;
  readonly #drawn: DrawnSources;

  /** `takeOne` reads an experiment whose log is long: it may be known already. */
  constructor(bucket: Pick<SegmentBucket, "read" | "readEnd" | "size">, takeOne: TakeOne) {
    this.#takeOne = takeOne;
    this.#ends = new HeldEnds(bucket);
    this.#drawn = new DrawnSources(this.#ends, 0, 0);
  }

  /** Takes snapshots of some partitions of each experiment; those of the last slice end. */
  async take(
    reader: Reader,
    wanted: ReadonlyMap<string, readonly number[]>,
  ): Promise<Map<string, TakenSnapshot>> {
    this.#ends.release();
    const taken = new Map<string, TakenSnapshot>();
    for (const [own, ids] of await reader.atEach([...wanted.keys()]))
      await this.#takeThere(own, ids, wanted, taken);
    return taken;
  }

  /** Takes those of the experiments whose points are where `reader` reads. */
  async #takeThere(
    reader: Reader,
    ids: readonly string[],
    wanted: ReadonlyMap<string, readonly number[]>,
    taken: Map<string, TakenSnapshot>,
  ): Promise<void> {
    const { heads, keys } = await readHeads(reader, ids);
    const [alone, together] = partition(heads, isTakenAlone);
    for (const { experiment } of alone) {
      const one = this.#takeOne(reader, experiment, wanted.get(experiment)!);
      taken.set(experiment, await one.catch((failure: unknown) => ({ failure })));
    }
    const { tails, damaged } = await readTails(reader, together);
    const sealed = together.flatMap(({ experiment }) => keys.get(experiment)!);
    const indexes = await readSegmentIndexes(this.#ends, sealed);
    for (const { experiment } of together) {
      try {
        if (damaged.has(experiment)) throw damaged.get(experiment);
        const segments = keys.get(experiment)!.map((key) => segmentOf(key, indexes));
        const parts = { drawn: this.#drawn };
        const [tail, numbers] = [tails.get(experiment)!, wanted.get(experiment)!];
        taken.set(experiment, new Snapshot(this.#ends, segments, tail, numbers, parts));
      } catch (failure) {
        taken.set(experiment, { failure });
      }
    }
  }
}

function segmentOf(key: string, indexes: ReadonlyMap<string, ReadIndex>): Segment {
  const read = indexes.get(key)!;
  if ("failure" in read) throw read.failure;
  return { key, index: read.index };
}

type TakeOne = (
  reader: Reader,
  experimentId: string,
  partitions: Iterable<number>,
) => Promise<Snapshot>;

interface HeadRow {
  experiment: string;
  log_seq: number;
  seal_seq: number;
  unsealed: number;
  /** 1 when it has series that are in the trash, or were purged. */
  has_dropped: number;
}

/** Reads heads, and the segments of each, in the order of their log rows. */
async function readHeads(reader: Reader, ids: readonly string[]) {
  const rows = await reader.all<HeadRow & { key: string | null }>(
    `SELECT head.experiment, log_seq, seal_seq, head.points - sealed_points AS unsealed,
       CASE WHEN EXISTS (
         SELECT 1 FROM dropped_series WHERE experiment = head.experiment AND is_out = 1
       ) THEN 1 ELSE 0 END AS has_dropped, key
     FROM head LEFT JOIN segment ON segment.experiment = head.experiment AND kind = 'points'
     WHERE ${reader.isOneOf("head.experiment", "$1")} ORDER BY head.experiment, seq_from`,
    JSON.stringify(ids),
  );
  const heads: HeadRow[] = [];
  const keys = new Map<string, string[]>();
  for (const row of rows) {
    const { experiment, key } = row;
    const known = keys.get(experiment);
    if (known === undefined) {
      heads.push(row);
      keys.set(experiment, key === null ? [] : [key]);
    } else known.push(key!);
  }
  return { heads, keys };
}

/** Where series were dropped their points have to be left out of totals. */
function isTakenAlone({ unsealed, has_dropped: hasDropped }: HeadRow): boolean {
  return unsealed > unsealedTogetherMax || hasDropped === 1;
}

/**
 * Reads what is not sealed, of as many experiments together as one statement may; and why a log
 * cannot be read.
 */
async function readTails(reader: Reader, heads: readonly HeadRow[]) {
  const tails = new Map(heads.map((head) => [head.experiment, new Tail(head.seal_seq)]));
  const damaged = new Map<string, unknown>();
  let together: HeadRow[] = [];
  let points = 0;
  const read = async () => {
    if (together.length > 0)
      for (const [experiment, error] of await readLogs(reader, together, tails))
        damaged.set(experiment, error);
    together = [];
    points = 0;
  };
  for (const head of heads) {
    if (head.log_seq === head.seal_seq) continue;
    together.push(head);
    points += head.unsealed;
    if (points > unsealedStatementMax) await read();
  }
  await read();
  return { tails, damaged };
}

/** Appends the logs to their tails; returns why one cannot be read. */
async function readLogs(
  reader: Reader,
  heads: readonly HeadRow[],
  tails: ReadonlyMap<string, Tail>,
): Promise<Map<string, unknown>> {
  const rows = await reader.all<{ experiment: string; seq: number; record: Uint8Array }>(
    `SELECT log.experiment, log.seq, log.record FROM head JOIN log ON log.experiment = head.experiment
     WHERE ${reader.isOneOf("head.experiment", "$1")} AND log.seq > head.seal_seq
     ORDER BY log.experiment, log.seq`,
    idsOf(heads),
  );
  const damaged = new Map<string, unknown>();
  for (const { experiment, ...row } of rows) {
    if (damaged.has(experiment)) continue;
    try {
      tails.get(experiment)!.append(experiment, row);
    } catch (error) {
      damaged.set(experiment, error);
    }
  }
  for (const { experiment, log_seq: logSeq } of heads)
    if (!damaged.has(experiment)) tails.get(experiment)!.requireEnd(experiment, logSeq);
  return damaged;
}

function idsOf(heads: readonly HeadRow[]): string {
  return JSON.stringify(heads.map(({ experiment }) => experiment));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): Item[][] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
