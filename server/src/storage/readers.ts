import type { ReplyBytes } from "../ground/reply-text.ts";
import type { Asked, ReaderCalls } from "./calls.ts";
import { isShortRead } from "./short-reads.ts";
import type { ExportRead, PointsCsvRead, SeriesQuery, TableCsvRead } from "./storage.ts";
import type { ThreadCalls } from "./thread-calls.ts";

/** A stream of no more points is a curve that somebody looks at: some ten slices of work. */
const shortStreamPoints = 131_072;

type Calls = Pick<ThreadCalls<ReaderCalls, never>, "ask" | "askUntil" | "stream">;

/** A reader for long reads, and how many it has in work. */
interface LongReader {
  calls: Calls;
  inWork: number;
}

/**
 * The reader threads, and who reads what. A thread runs one SELECT at a time, and nothing tells how
 * long a sort takes: so the first of several has the short reads and nothing else, and the others
 * share the long ones.
 */
export class Readers {
  readonly #short: Calls;
  readonly #long: readonly LongReader[];

  constructor(calls: readonly Calls[]) {
    const [short, ...others] = calls;
    this.#short = short!;
    const long = others.length > 0 ? others : calls;
    this.#long = long.map((one) => ({ calls: one, inWork: 0 }));
  }

  read(asked: Asked): Promise<unknown> {
    return this.#run(asked, (calls) => calls.ask("read", asked));
  }

  reply(asked: Asked & { bytes: ReplyBytes }, signal?: AbortSignal): Promise<Uint8Array[]> {
    return this.#run(asked, (calls) =>
      signal === undefined ? calls.ask("reply", asked) : calls.askUntil(signal, "reply", asked),
    );
  }

  /** Its snapshot shows a stream's length: one that is too long for a short one is opened anew. */
  async stream(query: SeriesQuery): Promise<AsyncIterable<Uint8Array>> {
    const isShared = this.#long[0].calls === this.#short;
    const pointsMax = isShared ? Infinity : shortStreamPoints;
    const short = await this.#short.stream("series", { query, pointsMax });
    return (
      short ?? this.#longStream((calls) => calls.stream("series", { query, pointsMax: Infinity }))
    );
  }

  pointsCsv(query: PointsCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#longStream((calls) => calls.stream("pointsCsv", query, signal));
  }

  tableCsv(query: TableCsvRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#longStream((calls) => calls.stream("tableCsv", query, signal));
  }

  exportFile(query: ExportRead, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#longStream((calls) => calls.stream("exportFile", query, signal));
  }

  async #longStream(
    open: (calls: Calls) => Promise<AsyncIterable<Uint8Array> | undefined>,
  ): Promise<AsyncIterable<Uint8Array>> {
    const reader = this.#leastBusy();
    reader.inWork++;
    try {
      const chunks = await open(reader.calls);
      return untilLeft(chunks!, () => reader.inWork--);
    } catch (error) {
      reader.inWork--;
      throw error;
    }
  }

  async #run<Result>({ name }: Asked, work: (calls: Calls) => Promise<Result>): Promise<Result> {
    if (isShortRead(name)) return work(this.#short);
    const reader = this.#leastBusy();
    reader.inWork++;
    try {
      return await work(reader.calls);
    } finally {
      reader.inWork--;
    }
  }

  #leastBusy(): LongReader {
    return this.#long.reduce((best, one) => (one.inWork < best.inWork ? one : best));
  }
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
