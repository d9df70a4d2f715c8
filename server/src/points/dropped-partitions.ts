import type { Reader } from "../database/database.ts";
import { splitPartitionKey } from "./point-batch.ts";

export interface NumberedPartition {
  partition: number;
  name: string;
  meta: string;
  /** 1 when the partition is in the trash, or was purged and has had no point since. */
  is_out: number;
}

/** Partitions of an experiment from a number on, in its order and without a gap. */
export function readNumberedPartitions(
  reader: Reader,
  experimentId: string,
  from: number,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<NumberedPartition[]> {
  return reader.all<NumberedPartition>(
    `SELECT partition, name, meta, 0 AS is_out FROM series WHERE experiment = $1 AND partition >= $2
     UNION ALL
     SELECT partition, name, meta, 1 FROM dropped_series
     WHERE experiment = $1 AND partition >= $2 AND is_out = 1
     ORDER BY partition LIMIT $3`,
    experimentId,
    from,
    limit,
  );
}

/**
 * A shared empty set: most experiments have no such series, and thousands of them are in memory.
 */
const none: Set<never> = new Set();

/** State of deleted series that the writer needs. */
export class DroppedPartitions {
  /** Names of series in the trash: they take no point, in no partition. */
  #trashed: ReadonlySet<string> = none;
  /** Numbers of partitions that were purged and have got no point since. */
  #free: Set<number> = none;
  /** Numbers of the partitions that had points purged, even if they have new ones. */
  #purged: ReadonlySet<number> = none;

  get freeCount(): number {
    return this.#free.size;
  }

  async refresh(reader: Reader, experimentId: string): Promise<void> {
    const rows = await reader.all<{
      partition: number;
      name: string;
      trash: string | null;
      points: number;
      is_out: number;
    }>(
      "SELECT partition, name, trash, points, is_out FROM dropped_series WHERE experiment = $1",
      experimentId,
    );
    const trashed = rows.filter(({ trash }) => trash !== null).map(({ name }) => name);
    const isFree = ({ trash, is_out: isOut }: (typeof rows)[0]) => trash === null && isOut === 1;
    this.#trashed = setOf(trashed);
    this.#free = setOf(rows.filter(isFree).map(({ partition }) => partition));
    const purged = rows.filter(({ points }) => points > 0);
    this.#purged = setOf(purged.map(({ partition }) => partition));
  }

  isTrashed(key: string): boolean {
    return this.#trashed.size > 0 && this.#trashed.has(splitPartitionKey(key).name);
  }

  isFree(number: number): boolean {
    return this.#free.size > 0 && this.#free.has(number);
  }

  hasPurged(number: number): boolean {
    return this.#purged.has(number);
  }

  /** Marks a partition as live: it gets a point again. */
  revive(number: number): void {
    this.#free.delete(number);
  }
}

function setOf<Item>(items: readonly Item[]): Set<Item> {
  return items.length > 0 ? new Set(items) : none;
}
