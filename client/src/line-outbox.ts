import { endpoints } from "./endpoints.ts";
import { LosslessError, ProtocolError } from "./errors.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import { randomHex } from "./message-id.ts";
import { printedLines } from "./printed-text.ts";
import type { LinesReport } from "./recording-ledger.ts";
import { isTransient, type RetryPolicy, withRetries } from "./retry.ts";
import { masked } from "./secrets.ts";
import {
  limits,
  type AppendConsoleBody,
  type AppendConsoleReply,
  type SentConsoleLine,
} from "./wire.ts";

/** Where a line comes from: a stream of the process, or a log with its level. */
export type ConsoleStream = SentConsoleLine["stream"];

/** The process that prints, as its console names it. */
export interface PrintingProcess {
  /** Number of the process among those of a distributed training. */
  rank?: number;
  host?: string;
  /** By default that of Node. */
  processId?: number;
}

export interface LineOutboxOptions {
  session: ExperimentSession;
  policy: RetryPolicy;
  process: PrintingProcess;
  waitingLinesMax: number;
  onRetry: (error: LosslessError) => void;
  onLinesRefused: (error: LosslessError) => void;
  signal: AbortSignal;
}

/** Somebody may follow the lines as they come. */
const sendAfterMs = 500;
/** Characters of a request, a third of the bytes that it may have, and of all that wait. */
const requestCharactersMax = Math.floor(limits.consoleBodyBytesMax / 4);
const waitingCharactersMax = 32 * 1_048_576;
const streams: ReadonlySet<ConsoleStream> = new Set([
  "stdout",
  "stderr",
  "debug",
  "info",
  "warning",
  "error",
  "critical",
]);

/**
 * The lines of this process, in order, one request at a time. The service says how many it has, so
 * a line is stored once however often it is sent.
 */
export class LineOutbox {
  readonly #options: LineOutboxOptions;
  readonly #sourceJson: string;
  /** JSON of lines that are not acknowledged; the first one has the number `#first`. */
  #waiting: string[] = [];
  #first = 0;
  #characters = 0;
  #recorded = 0;
  #masked = 0;
  #refused = 0;
  #refusal: LosslessError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: LineOutboxOptions) {
    this.#options = options;
    const processId = (globalThis as { process?: { pid?: number } }).process?.pid;
    const about = { ...(processId !== undefined && { processId }), ...options.process };
    // Each process is a source of its own, also when a program runs again.
    this.#sourceJson = JSON.stringify({ id: randomHex(8), ...about });
  }

  /** Adds what was printed: a line, or several. */
  add(printed: string, stream: ConsoleStream, timestampMs: number): void {
    // The service would refuse all lines of the request.
    if (!streams.has(stream))
      throw new LosslessError(`${stream} is none of ${[...streams].join()}`);
    if (!(Number.isSafeInteger(timestampMs) && timestampMs >= 0))
      throw new LosslessError("timestampMs must be an integer from 0 to 2^53 - 1");
    for (const { text, spans } of printedLines(printed)) {
      this.#recorded++;
      if (this.#refusal !== undefined) {
        this.#refused++;
        continue;
      }
      const shown = masked(text);
      const isMasked = shown !== text;
      if (isMasked) this.#masked++;
      const styled = spans.length > 0 && !isMasked ? { spans } : {};
      const json = JSON.stringify({ timestampMs, stream, text: shown, ...styled });
      this.#waiting.push(json);
      this.#characters += json.length;
    }
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.#pump(), sendAfterMs);
  }

  get waiting(): number {
    return this.#waiting.length;
  }
  get isFull(): boolean {
    return this.#fills(1);
  }
  get isHalfFull(): boolean {
    return this.#fills(0.5);
  }

  /** Resolves when all lines are acknowledged or refused. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0) await this.#pump();
  }

  /** Resolves when less than half the room is used. */
  async halfFree(): Promise<void> {
    while (this.isHalfFull) await this.#pump();
  }

  report(): LinesReport {
    return {
      recorded: this.#recorded,
      stored: this.#first,
      refused: this.#refused,
      masked: this.#masked,
      ...(this.#refusal && { refusal: this.#refusal }),
    };
  }

  #fills(part: number): boolean {
    const { waitingLinesMax } = this.#options;
    return (
      this.#waiting.length >= part * waitingLinesMax ||
      this.#characters >= part * waitingCharactersMax
    );
  }

  /** Sends the next lines; only one request is under way. Rejects once the signal aborts. */
  #pump(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const sending = (this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0 && !this.#options.signal.aborted)
        this.#timer ??= setTimeout(() => void this.#pump(), 0);
    }));
    // The timer's call has nobody who waits.
    sending.catch(() => undefined);
    return sending;
  }

  /** Sends lines of another process, now. */
  append(body: AppendConsoleBody): Promise<number> {
    return this.#untilSent(() => this.#post(JSON.stringify(body)));
  }

  async #send(): Promise<void> {
    const { signal } = this.#options;
    try {
      this.#settle(await this.#untilSent(() => this.#attempt()));
    } catch (error) {
      if (signal.aborted) throw error;
      // An older service, no room, a deleted experiment: the points say it if they stop, too.
      this.#refuse(error as LosslessError);
    }
  }

  #untilSent(attempt: () => Promise<number>): Promise<number> {
    const { policy, onRetry, signal } = this.#options;
    const mayRetry = (error: unknown): boolean => {
      const isRetried = isTransient(error) && !signal.aborted;
      if (isRetried) onRetry(error as LosslessError);
      return isRetried;
    };
    return withRetries(policy, attempt, mayRetry, signal);
  }

  async #post(body: string): Promise<number> {
    const { session, signal } = this.#options;
    const endpoint = endpoints.appendConsole(session.experimentId);
    return (JSON.parse(await session.post(body, signal, endpoint)) as AppendConsoleReply).next;
  }

  async #attempt(): Promise<number> {
    const lines = this.#waiting.slice(0, this.#countOfRequest());
    const body = `{"source":${this.#sourceJson},"first":${this.#first},"lines":[${lines.join()}]}`;
    const next = await this.#post(body);
    const end = this.#first + this.#waiting.length;
    if (!Number.isInteger(next) || next > end)
      throw new ProtocolError(
        `the service has ${next} lines of this process, and it printed ${end}`,
      );
    // The service was restored from a backup that is older.
    if (next < this.#first)
      throw new LosslessError(
        `the service has ${next} lines of this process, and not ${this.#first} any more`,
      );
    return next;
  }

  #countOfRequest(): number {
    let characters = 0;
    let count = 0;
    for (const json of this.#waiting) {
      characters += json.length;
      if (count === limits.consoleLinesMax || (count > 0 && characters > requestCharactersMax))
        break;
      count++;
    }
    return count;
  }

  #settle(next: number): void {
    for (const json of this.#waiting.splice(0, next - this.#first)) this.#characters -= json.length;
    this.#first = next;
  }

  /** Sends no more. The points go on. */
  #refuse(error: LosslessError): void {
    this.#refusal = error;
    this.#refused += this.#waiting.length;
    this.#waiting = [];
    this.#characters = 0;
    this.#options.onLinesRefused(error);
  }
}
