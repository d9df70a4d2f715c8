import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { Lines } from "./lines.ts";
import { type ObjectIndex, readBlock, readObjectIndex } from "./object.ts";

/** Lines of a console that follow each other, the first of them with this number. */
export interface Stretch {
  first: number;
  lines: Lines;
}

export interface ConsoleContext {
  bucket: Pick<SegmentBucket, "read" | "size">;
  /** Indexes of sealed objects, which never change, by key. */
  consoleObjects: {
    get(key: string): ObjectIndex | undefined;
    set(key: string, index: ObjectIndex, bytes: number): void;
  };
}

/** Rows of the log read at once: records may be megabytes each. */
const rowsAtOnce = 8;

/**
 * Reads the stretches of a console from the one with line `from` on, upwards. `ahead`: sealed
 * blocks that are read while one is looked at.
 */
export async function* stretchesFrom(
  reader: Reader,
  context: ConsoleContext,
  experimentId: string,
  from: number,
  ahead = 0,
): AsyncGenerator<Stretch> {
  const sealed = await sealedLines(reader, experimentId);
  let next = from;
  while (next < sealed) {
    const object = await objectWith(reader, experimentId, next);
    if (object === undefined) break;
    const blocks = await blocksOf(context, object);
    const wanted = blocks.filter(({ first, count }) => first + count > next);
    for await (const stretch of inOrder(wanted, ahead)) {
      yield stretch;
      next = stretch.first + stretch.lines.count;
    }
  }
  for (;;) {
    const rows = await reader.all<LogRow>(
      `SELECT first, lines, record FROM console_log WHERE experiment = $1 AND first >= $3
         AND first >= coalesce(
           (SELECT max(first) FROM console_log WHERE experiment = $1 AND first <= $2), $2)
       ORDER BY first LIMIT ${rowsAtOnce}`,
      experimentId,
      next,
      sealed,
    );
    for (const row of rows) {
      if (row.first + row.lines <= next) continue;
      yield { first: row.first, lines: new Lines(row.record) };
      next = row.first + row.lines;
    }
    if (rows.length < rowsAtOnce) return;
  }
}

/** The same from the stretch with line `before - 1` downwards. */
export async function* stretchesBefore(
  reader: Reader,
  context: ConsoleContext,
  experimentId: string,
  before: number,
  ahead = 0,
): AsyncGenerator<Stretch> {
  const sealed = await sealedLines(reader, experimentId);
  let end = before;
  while (end > sealed) {
    const rows = await reader.all<LogRow>(
      `SELECT first, lines, record FROM console_log WHERE experiment = $1 AND first < $2
       AND first >= $3 ORDER BY first DESC LIMIT ${rowsAtOnce}`,
      experimentId,
      end,
      sealed,
    );
    for (const row of rows) {
      yield { first: row.first, lines: new Lines(row.record) };
      end = row.first;
    }
    if (rows.length < rowsAtOnce) break;
  }
  end = Math.min(before, sealed);
  while (end > 0) {
    const object = await objectWith(reader, experimentId, end - 1);
    if (object === undefined) return;
    const blocks = await blocksOf(context, object);
    const wanted = blocks.filter(({ first }) => first < end).reverse();
    for await (const stretch of inOrder(wanted, ahead)) {
      yield stretch;
      end = stretch.first;
    }
  }
}

/**
 * Returns the number of the first line of the first sealed block with a line of this time or later;
 * undefined where there is none: then it is unsealed, or not there.
 */
export async function firstBlockAt(
  reader: Reader,
  context: ConsoleContext,
  experimentId: string,
  atMs: number,
): Promise<number | undefined> {
  const objects = await reader.all<ObjectRow>(
    `SELECT key, seq_from AS first FROM segment WHERE experiment = $1 AND kind = 'console' ORDER BY seq_from`,
    experimentId,
  );
  for (const object of objects) {
    for (const block of await blocksOf(context, object))
      if (block.lastMs >= atMs) return block.first;
  }
  return undefined;
}

export async function sealedLines(reader: Reader, experimentId: string): Promise<number> {
  const row = await reader.get<{ sealed: number }>(
    "SELECT sealed FROM console WHERE experiment = $1",
    experimentId,
  );
  return row?.sealed ?? 0;
}

interface LogRow {
  first: number;
  lines: number;
  record: Uint8Array;
}

interface ObjectRow {
  key: string;
  first: number;
}

function objectWith(
  reader: Reader,
  experimentId: string,
  line: number,
): Promise<ObjectRow | undefined> {
  return reader.get<ObjectRow>(
    `SELECT key, seq_from AS first FROM segment
     WHERE experiment = $1 AND kind = 'console' AND seq_from <= $2 AND seq_to >= $2`,
    experimentId,
    line,
  );
}

interface Block {
  first: number;
  count: number;
  lastMs: number;
  read(): Promise<Stretch>;
}

async function* inOrder(blocks: readonly Block[], ahead: number): AsyncGenerator<Stretch> {
  const reading: Promise<Stretch>[] = [];
  for (const at of blocks.keys()) {
    for (const block of blocks.slice(at + reading.length, at + 1 + ahead)) {
      const stretch = block.read();
      // Nobody may come to ask for it.
      stretch.catch(() => undefined);
      reading.push(stretch);
    }
    yield await reading.shift()!;
  }
}

async function blocksOf(
  { bucket, consoleObjects }: ConsoleContext,
  { key, first }: ObjectRow,
): Promise<Block[]> {
  let index = consoleObjects.get(key);
  if (index === undefined) {
    index = await readObjectIndex(bucket, key);
    consoleObjects.set(key, index, key.length + 32 * index.lines.length);
  }
  const { lines, lastMs } = index;
  let next = first;
  return Array.from(lines, (count, number) => {
    const begins = next;
    next += count;
    return {
      first: begins,
      count,
      lastMs: lastMs[number],
      read: async () => ({
        first: begins,
        lines: await readBlock(bucket, key, index, number),
      }),
    };
  });
}
