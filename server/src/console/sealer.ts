import { randomUUID } from "node:crypto";
import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Database } from "../database/database.ts";
import { StagedObjects } from "../points/staged-objects.ts";
import { Lines, type StoredLine } from "./lines.ts";
import { encodeObject } from "./object.ts";
import type { sealConsole } from "./seal.ts";

export interface ConsoleSealerTools {
  database: Database;
  bucket: SegmentBucket;
  write(
    name: "console.seal",
    input: Parameters<typeof sealConsole>[1],
  ): Promise<Awaited<ReturnType<typeof sealConsole>>>;
}

/** Bytes of texts sealed into one object, and one row more: they are in memory meanwhile. */
const textBytesMax = 16 * 1_048_576;
/** Memory of a line besides its text. */
const lineBytes = 100;
/** Records may be megabytes each. */
const rowsAtOnce = 8;

/** Moves the log of a console into immutable objects. */
export class ConsoleSealer {
  readonly #tools: ConsoleSealerTools;

  constructor(tools: ConsoleSealerTools) {
    this.#tools = tools;
  }

  /** Seals what is there and returns the number of lines; fewer where another node was faster. */
  async seal(experimentId: string): Promise<number> {
    for (let sealed = 0; ;) {
      const { from, lines } = await this.#readLog(experimentId);
      if (lines.length === 0) return sealed;
      const { parts } = encodeObject(lines);
      const key = `${experimentId}/${randomUUID()}.console`;
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      const staged = new StagedObjects(this.#tools.bucket);
      await staged.put(key, parts);
      const seal = { experimentId, from, lines: lines.length, key, bytes };
      if (!(await staged.publish(() => this.#tools.write("console.seal", seal)))) return sealed;
      sealed += lines.length;
    }
  }

  /** Reads whole rows from the first unsealed line on. */
  async #readLog(experimentId: string): Promise<{ from: number; lines: StoredLine[] }> {
    const lines: StoredLine[] = [];
    let from: number | undefined;
    let next = 0;
    let bytes = 0;
    while (bytes < textBytesMax) {
      const rows = await this.#tools.database.read((reader) =>
        reader.all<{ first: number; record: Uint8Array }>(
          `SELECT first, record FROM console_log WHERE experiment = $1 AND first >= $2
           AND first >= (SELECT sealed FROM console WHERE experiment = $1)
           ORDER BY first LIMIT ${rowsAtOnce}`,
          experimentId,
          next,
        ),
      );
      for (const { first, record } of rows) {
        if (bytes >= textBytesMax) break;
        if (first !== (from ??= first) + lines.length)
          throw new Error(`BUG: the console of ${experimentId} jumps to line ${first}`);
        const decoded = new Lines(record);
        for (let at = 0; at < decoded.count; at++) lines.push(decoded.line(at));
        // An empty line costs memory, too.
        bytes += decoded.text.length + lineBytes * decoded.count;
      }
      next = (from ?? 0) + lines.length;
      if (rows.length < rowsAtOnce) break;
    }
    return { from: from ?? 0, lines };
  }
}
