import { randomUUID } from "node:crypto";
import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Database } from "../database/database.ts";
import { encodePoints } from "./encode-points.ts";
import { identifiersKey, pointsKey } from "./filenames.ts";
import type { IdentifierHasher } from "./identifiers/hash.ts";
import { buildIdentifierRun } from "./identifiers/build-run.ts";
import { splitIdentifiers } from "./identifiers/split.ts";
import { freeMemory } from "../ground/free-memory.ts";
import { StagedObjects } from "./staged-objects.ts";
import { decodeLogRecord, type LogRecord } from "./log-record.ts";
import type { forgetGarbage, replaceSegments, sealLog, SegmentRow, trimLog } from "./manifest.ts";

/** The manifest's operations, as the background work can call them: through the writer. */
interface ManifestOperations {
  "points.seal": typeof sealLog;
  "points.replace": typeof replaceSegments;
  "points.trim": typeof trimLog;
  "points.forgetGarbage": typeof forgetGarbage;
}

export interface EngineTools {
  database: Database;
  bucket: SegmentBucket;
  /** Points may be on other servers. */
  hasWorkers?: boolean;
  write<Name extends keyof ManifestOperations>(
    name: Name,
    input: Parameters<ManifestOperations[Name]>[1],
  ): Promise<Awaited<ReturnType<ManifestOperations[Name]>>>;
}

/** Points sealed into one segment at most (and one log record more). */
const pointsPerSeal = 262_144;
/** Log rows deleted in one transaction: up to this many points and one row more, some 3 MB. */
const trimmedAtOnce = { rows: 512, points: 65_536 };

/** Moves an experiment's log into immutable objects. */
export class Sealer {
  readonly #tools: EngineTools;
  readonly #hasher: IdentifierHasher;
  readonly #decoded: (experimentId: string, from: number, records: LogRecord[]) => Promise<void>;

  /**
   * `decoded` receives the records to seal before they are sealed: those of the log behind row
   * `from`.
   */
  constructor(
    tools: EngineTools,
    hasher: IdentifierHasher,
    decoded: (experimentId: string, from: number, records: LogRecord[]) => Promise<void>,
  ) {
    this.#tools = tools;
    this.#hasher = hasher;
    this.#decoded = decoded;
  }

  /**
   * Seals the log's present contents and returns the number of points; 0 if another node was
   * faster.
   */
  async seal(experimentId: string): Promise<number> {
    const head = await this.#readHead(experimentId);
    let sealed = 0;
    for (let from = head.seal_seq; from < head.log_seq;) {
      const { records, bytes, to } = await this.#readLog(experimentId, from, head.log_seq);
      const points = records.reduce((sum, record) => sum + record.count, 0);
      await this.#decoded(experimentId, from, records);
      const staged = new StagedObjects(this.#tools.bucket);
      const objects = this.#encode(experimentId, records, bytes);
      const segments = await this.#store(staged, objects, { seqFrom: from + 1, seqTo: to, points });
      const isPublished = await staged.publish(() =>
        this.#tools.write("points.seal", { experimentId, from, to, points, segments }),
      );
      if (!isPublished) return sealed;
      sealed += points;
      from = to;
    }
    await this.trim(experimentId);
    return sealed;
  }

  /** Deletes log rows that are sealed and that the summaries hold. */
  async trim(experimentId: string): Promise<void> {
    const { hasWorkers = false } = this.#tools;
    const upTo = hasWorkers ? await this.#summarizedUpTo(experimentId) : undefined;
    const step = { experimentId, ...trimmedAtOnce, upTo };
    while ((await this.#tools.write("points.trim", step)).mayHaveMore);
  }

  /** How far the log may be trimmed at the place of the points; undefined: the directory knows. */
  #summarizedUpTo(experimentId: string): Promise<number | undefined> {
    return this.#tools.database.read(async (reader) => {
      if ((await reader.at(experimentId)) === reader) return undefined;
      const row = await reader.get<{ up_to: number }>(
        `SELECT CASE WHEN counted = 1 THEN folded_seq ELSE seal_seq END AS up_to
         FROM summarized JOIN head ON head.experiment = summarized.experiment
         WHERE summarized.experiment = $1`,
        experimentId,
      );
      return row?.up_to ?? 0;
    });
  }

  async #readHead(experimentId: string): Promise<{ log_seq: number; seal_seq: number }> {
    const head = await this.#tools.database.read(async (reader) => {
      const own = await reader.at(experimentId);
      return own.get<{ log_seq: number; seal_seq: number }>(
        "SELECT log_seq, seal_seq FROM head WHERE experiment = $1",
        experimentId,
      );
    });
    return head ?? { log_seq: 0, seal_seq: 0 };
  }

  /** Whole log records after `from`, about `pointsPerSeal` points of them. */
  async #readLog(
    experimentId: string,
    from: number,
    logSeq: number,
  ): Promise<{ records: LogRecord[]; bytes: Uint8Array[]; to: number }> {
    const records: LogRecord[] = [];
    const bytes: Uint8Array[] = [];
    let to = from;
    let points = 0;
    while (to < logSeq && points < pointsPerSeal) {
      const rows = await this.#tools.database.read(async (reader) => {
        const own = await reader.at(experimentId);
        return own.all<{ seq: number; record: Uint8Array }>(
          "SELECT seq, record FROM log WHERE experiment = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT 16",
          experimentId,
          to,
          logSeq,
        );
      });
      for (const { seq, record } of rows) {
        if (seq !== to + 1)
          throw new Error(`BUG: log of ${experimentId} jumps from ${to} to ${seq}`);
        records.push(decodeLogRecord(record));
        bytes.push(record);
        points += records.at(-1)!.count;
        to = seq;
      }
      if (rows.length === 0)
        throw new Error(`BUG: log of ${experimentId} ends at ${to}, head says ${logSeq}`);
    }
    return { records, bytes, to };
  }

  /** Encodes both objects of the records, whose bytes are freed as soon as they are read. */
  #encode(experimentId: string, records: LogRecord[], bytes: Uint8Array[]): EncodedObject[] {
    const identifiers = splitIdentifiers(records, this.#hasher);
    const unique = randomUUID();
    const parts = encodePoints(records, identifiers.prefixes);
    freeMemory(...bytes);
    const run = buildIdentifierRun(identifiers);
    freeMemory(identifiers.hashes, identifiers.fingerprints);
    return [
      { kind: "points", key: pointsKey(experimentId, unique), parts },
      { kind: "identifiers", key: identifiersKey(experimentId, unique), parts: run },
    ];
  }

  /** Writes both objects; they are durable and not yet published when it returns. */
  async #store(
    staged: StagedObjects,
    objects: EncodedObject[],
    span: Pick<SegmentRow, "seqFrom" | "seqTo" | "points">,
  ): Promise<SegmentRow[]> {
    const rows: SegmentRow[] = [];
    try {
      for (const { kind, key, parts } of objects) {
        await staged.put(key, parts);
        const bytes = parts.reduce((sum, part) => sum + part.length, 0);
        for (const part of parts) freeMemory(part);
        rows.push({ kind, key, ...span, bytes });
      }
    } catch (error) {
      await staged.drop();
      throw error;
    }
    return rows;
  }
}

interface EncodedObject {
  kind: SegmentRow["kind"];
  key: string;
  parts: Uint8Array[];
}
