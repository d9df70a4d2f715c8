import { FairShares } from "../ground/fair-shares.ts";
import type { ReplyBytes } from "../ground/reply-text.ts";
import { Slots } from "../ground/slots.ts";
import { walkOf } from "../ground/walk-name.ts";
import type { ReadCall, ReaderCalls } from "./calls.ts";
import { holderOf } from "./holder-of.ts";
import { isLate, publicReadError, tookTooLong } from "./read-failure.ts";
import { isShortRead } from "./short-reads.ts";
import type { ExportRead, PointsCsvRead, SeriesQuery, TableCsvRead } from "./storage.ts";
import type { ThreadCalls } from "./thread-calls.ts";

/** Maximal points of a short stream, a curve in view: some ten slices of work. */
const shortStreamPoints = 131_072;
/**
 * Long reads in work of those that have no turn elsewhere (http/replies/read-replies.ts); half of
 * them of one organization, so that nobody waits behind all of another's.
 */
const readsMax = 8;

/** More are seldom under way; a walk that is forgotten goes on with any reader. */
const walksMax = 1_000;

type Calls = Pick<ThreadCalls<ReaderCalls, never>, "ask" | "askUntil" | "stream">;

/** A reader for long reads, and how many it has in work. */
interface LongReader {
  calls: () => Promise<Calls>;
  inWork: number;
}

/**
 * Distributes reads to the reader threads. A thread runs one SELECT of SQLite at a time, and the
 * duration of a sort cannot be foretold: so the first of several threads runs the short reads only,
 * and the others share the long ones. Among these a slow statement is ended, and the read begun
 * anew by the patient reader, where it delays only reads as long as itself; there organizations
 * take turns, and statements have a limit. Files of tables are read there from the beginning.
 */
export class Readers {
  readonly #short: Calls;
  /** The short one alone where there is no other. */
  readonly #long: readonly LongReader[];
  readonly #patient: (() => Promise<Calls>) | undefined;
  readonly #turns = new Slots(new FairShares(readsMax));
  readonly #patientTurns = new Slots(new FairShares(1));
  /** The reader that has read the last page of a walk, and keeps its order. */
  readonly #walks = new Map<string, LongReader | "patient">();

  readonly #isAlone: boolean;

  /**
   * Readers of long reads start when they are called for. `patient` is undefined where the
   * database's own processes run the statements.
   */
  constructor(
    short: Calls,
    long: readonly (() => Promise<Calls>)[],
    patient?: () => Promise<Calls>,
  ) {
    this.#short = short;
    this.#isAlone = long.length === 0;
    const shared = async () => short;
    this.#long = (this.#isAlone ? [shared] : long.map(startedBy)).map((calls) => ({
      calls,
      inWork: 0,
    }));
    this.#patient = patient && startedBy(patient);
  }

  read(asked: ReadCall, signal?: AbortSignal): Promise<unknown> {
    const run = () =>
      this.#run(asked, signal, (calls, own) =>
        signal === undefined ? calls.ask("read", own) : calls.askUntil(signal, "read", own),
      );
    return isShortRead(asked.name) ? run() : this.#turns.in(holderOf(asked.input), run, signal);
  }

  reply(asked: ReadCall & { bytes: ReplyBytes }, signal?: AbortSignal): Promise<Uint8Array[]> {
    return this.#run(asked, signal, (calls, own) =>
      signal === undefined ? calls.ask("reply", own) : calls.askUntil(signal, "reply", own),
    );
  }

  /**
   * Opens a stream. Its snapshot tells its length: one too long for a short read is opened anew.
   */
  async stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>> {
    const pointsMax = this.#isAlone ? Infinity : shortStreamPoints;
    const short = await this.#short.stream("series", { query, pointsMax });
    return (
      short ?? this.#longStream((calls) => calls.stream("series", { query, pointsMax: Infinity }))
    );
  }

  pointsCsv(query: PointsCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#longStream((calls) => calls.stream("pointsCsv", query, signal));
  }

  tableCsv(query: TableCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#patientStream((calls) => calls.stream("tableCsv", query, signal));
  }

  exportFile(query: ExportRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#patientStream((calls) => calls.stream("exportFile", query, signal));
  }

  /** Starts the readers of long reads; where one cannot, the read that needs it says why. */
  start(): void {
    for (const { calls } of this.#long) calls().catch(() => undefined);
  }

  async #patientStream(
    open: (calls: Calls) => Promise<AsyncIterable<Uint8Array> | undefined>,
  ): Promise<AsyncIterable<Uint8Array>> {
    if (this.#patient === undefined) return this.#longStream(open);
    return (await open(await this.#patient()))!;
  }

  async #longStream(
    open: (calls: Calls) => Promise<AsyncIterable<Uint8Array> | undefined>,
  ): Promise<AsyncIterable<Uint8Array>> {
    const reader = this.#leastBusy();
    reader.inWork++;
    try {
      const chunks = await open(await reader.calls());
      return untilLeft(chunks!, () => reader.inWork--);
    } catch (error) {
      reader.inWork--;
      throw error;
    }
  }

  async #run<Own extends ReadCall, Result>(
    asked: Own,
    signal: AbortSignal | undefined,
    work: (calls: Calls, asked: Own) => Promise<Result>,
  ): Promise<Result> {
    if (isShortRead(asked.name)) return work(this.#short, asked);
    const patient = this.#patient;
    const walk = walkIn(asked);
    const walked = walk === undefined ? undefined : this.#walks.get(walk);
    if (walked !== "patient") {
      const reader = walked ?? this.#leastBusy();
      reader.inWork++;
      this.#remember(walk, reader);
      try {
        return await work(await reader.calls(), {
          ...asked,
          pace: patient === undefined ? "patient" : "quick",
        });
      } catch (error) {
        if (!isLate(error)) throw error;
        if (patient === undefined) throw tookTooLong();
      } finally {
        reader.inWork--;
      }
      this.#remember(walk, "patient");
    }
    return this.#patientTurns.in(
      holderOf(asked.input),
      async () => {
        try {
          return await work(await patient!(), { ...asked, pace: "patient" });
        } catch (error) {
          throw isLate(error) ? tookTooLong() : error;
        }
      },
      signal,
    );
  }

  #remember(walk: string | undefined, reader: LongReader | "patient"): void {
    if (walk === undefined) return;
    this.#walks.delete(walk);
    this.#walks.set(walk, reader);
    const [oldest] = this.#walks.keys();
    if (this.#walks.size > walksMax) this.#walks.delete(oldest);
  }

  #leastBusy(): LongReader {
    return this.#long.reduce((best, one) => (one.inWork < best.inWork ? one : best));
  }
}

/** A reader that cannot start, since the database is away, is no defect of its first read. */
function startedBy(start: () => Promise<Calls>): () => Promise<Calls> {
  return async () => {
    try {
      return await start();
    } catch (error) {
      throw publicReadError(error);
    }
  };
}

/** Pages of a search say in `after` which walk they belong to. */
function walkIn({ input }: ReadCall): string | undefined {
  const { after, body } = (input ?? {}) as { after?: unknown; body?: { after?: unknown } | null };
  return walkOf(after ?? body?.after);
}

async function* untilLeft(
  chunks: AsyncIterable<Uint8Array>,
  leave: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    leave();
  }
}
