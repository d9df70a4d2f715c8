import { AnnotationOutbox } from "./annotation-outbox.ts";
import { type AttemptOptions, AttemptReports, reportAttempt } from "./attempt-reports.ts";
import { BatchDelivery } from "./batch-delivery.ts";
import { BufferFullError, InvalidPointError, LosslessError, UnsentPointsError } from "./errors.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import { type ConsoleStream, LineOutbox, type PrintingProcess } from "./line-outbox.ts";
import { Lifecycle } from "./lifecycle.ts";
import { randomHex } from "./message-id.ts";
import { metricNamed } from "./metric-name.ts";
import { type NonfiniteNote, NonfiniteNotes } from "./nonfinite.ts";
import { encodeMeta, type Point, pointProblem } from "./point.ts";
import { PointQueue } from "./point-queue.ts";
import { RecordingLedger, type RecordingReport, type RejectedPoint } from "./recording-ledger.ts";
import { defaultRetryPolicy, type RetryPolicy, sleep } from "./retry.ts";
import type {
  AnnotationsResultData,
  AppendConsoleBody,
  ExperimentRecord,
  ReportAttemptBody,
} from "./wire.ts";

/** The experiment of a recording. */
export interface RecordedExperiment {
  experimentId: string;
  slug: string;
  /** As it was opened, and is opened again when the token has expired. */
  meta: Record<string, unknown>;
}

/** Facts beside the meta that the caller gives, some of which take a while to be known. */
export interface RecordedOrigin {
  /** Returns the meta with those that are known. */
  begin(meta: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Adds the others to the experiment. */
  complete(experiment: RecordedExperiment, signal: AbortSignal): Promise<void>;
}

export interface RecorderOptions {
  /**
   * First part of the points' ids `<prefix>-<counter>`; random if absent. Set it (1 to 180
   * characters) for a recording that may run again: the same points then have the same ids and are
   * stored once.
   */
  idPrefix?: string;
  /**
   * Points in one request, 1 to 1,000 (the specification's limit). 1,000; where the service takes
   * columns (extension), up to 10,000 if they wait.
   */
  pointsPerBatch?: number;
  /** Approximate bytes of a request body. 4 MiB. */
  bytesPerBatch?: number;
  /**
   * Requests in flight. 1 keeps the order of arrival, which decides between points of equal step
   * and timestamp; more is faster over a slow line and gives up that order.
   */
  batchesInFlight?: number;
  /** Milliseconds after which an incomplete batch is sent. 1,000. */
  flushIntervalMs?: number;
  /**
   * Points that may wait for acknowledgement (~150 bytes each); beyond, `record` throws. 100,000.
   */
  waitingPointsMax?: number;
  /** Lines that may wait for acknowledgement, 32 MiB at most; beyond, `line` throws. 100,000. */
  waitingLinesMax?: number;
  /** How the console names this process. */
  process?: PrintingProcess;
  /**
   * Tells of this process that it began, lives and ended, as an attempt of the run (extension),
   * from `start` on. Absent: nothing is told.
   */
  attempt?: AttemptOptions;
  /**
   * In Node, `startedHere(client)` of `@lossless/client/origin`: keeps commit, command, machine,
   * packages.
   */
  origin?: RecordedOrigin;
  /** Called once for each point that will not be stored. Must not throw. */
  onRejected?: (rejected: RejectedPoint) => void;
  /** Called once if the service takes no more lines; points go on. Must not throw. */
  onLinesRefused?: (error: LosslessError) => void;
  /** Called when points or lines were not delivered and are resent. Must not throw. */
  onRetry?: (error: LosslessError) => void;
  /** By default retries for ever, until `finish` runs out of time. */
  retry?: Partial<RetryPolicy>;
}

/** Waits for facts that are not known yet: of the end of a recording, and of `flush`. */
const originMs = { finish: 25, flush: 15_000 };

export interface PointOptions {
  /** Unix milliseconds, integer, 0 to 2^53 - 1. Absent: now, by this machine's clock. */
  timestampMs?: number;
  /** String to string; each distinct content is a partition of the series. */
  meta?: Readonly<Record<string, string>>;
  /** 1 to 200 characters; absent: the recorder's `<prefix>-<counter>`. */
  messageId?: string;
}

export interface LineOptions {
  /** Where it was printed, or its level; `stdout`. */
  stream?: ConsoleStream;
  /** When it ended. Absent: now, by this machine's clock. */
  timestampMs?: number;
}

export interface FinishOptions {
  /** Ends with `experiment.error` instead of `done`: 1 to 8,000 characters. */
  error?: string;
  /** With `error`: a JSON object, at most 64 KiB. */
  errorMeta?: Record<string, unknown>;
  /** Leaves the status unchanged: neither `done` nor `error` is sent. */
  keepStatus?: boolean;
  /** Milliseconds for the whole of `finish`; UnsentPointsError beyond. 120,000. */
  deadlineMs?: number;
}

/** Reads with which the recorder settles writes that got no reply. */
export interface RecorderReads {
  experiment(signal: AbortSignal): Promise<ExperimentRecord>;
  annotations(signal: AbortSignal): Promise<AnnotationsResultData>;
}

/**
 * Records the points of one experiment. `record` never waits and never touches the network; batches
 * are sent in the background, in the order of recording. A point is settled when the service has
 * acknowledged it, on stable storage, or when it was rejected, which is always reported.
 */
export class Recorder {
  readonly experimentId: string;
  readonly #options: CompleteOptions;
  readonly #queue: PointQueue;
  readonly #ledger: RecordingLedger;
  readonly #delivery: BatchDelivery;
  readonly #annotations: AnnotationOutbox;
  readonly #lines: LineOutbox;
  readonly #nonfinite = new NonfiniteNotes();
  readonly #lifecycle: Lifecycle;
  readonly #session: ExperimentSession;
  readonly #policy: RetryPolicy;
  readonly #attemptOptions: AttemptOptions | undefined;
  #attempt: AttemptReports | undefined;
  readonly #abort = new AbortController();
  #counter = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pumpIsDue = false;
  #sendsIncomplete = false;
  #failure: Error | undefined;
  #origin: Promise<unknown> | undefined;
  #finished = false;

  /** Used by `LosslessClient.record`. */
  constructor(session: ExperimentSession, reads: RecorderReads, options: RecorderOptions) {
    const policy = { ...defaultRetryPolicy, retryForMs: Infinity, ...options.retry };
    const signal = this.#abort.signal;
    this.experimentId = session.experimentId;
    this.#session = session;
    this.#policy = policy;
    this.#options = withDefaults(options);
    this.#queue = new PointQueue(this.#options);
    this.#ledger = new RecordingLedger(this.#options.onRejected);
    const { onRetry } = this.#options;
    this.#delivery = new BatchDelivery(session, policy, this.#ledger, onRetry);
    this.#annotations = new AnnotationOutbox(
      session,
      policy,
      (readSignal) => reads.annotations(readSignal),
      signal,
    );
    const { process, waitingLinesMax, onLinesRefused } = this.#options;
    const about = { process, waitingLinesMax, onRetry, onLinesRefused };
    this.#lines = new LineOutbox({ session, policy, signal, ...about });
    this.#attemptOptions = options.attempt;
    this.#lifecycle = new Lifecycle({
      session,
      policy,
      read: () => reads.experiment(signal),
      // The Date header has whole seconds.
      sinceMs: session.serverTimeMs() - 1_000,
      signal,
    });
  }

  /** Used by `LosslessClient.record`: adds facts while points are recorded. */
  keepOrigin(complete: (signal: AbortSignal) => Promise<void>): void {
    // A recording that has none of them is as good as any.
    this.#origin = complete(this.#abort.signal).catch(() => undefined);
  }

  /** Sends `experiment.start`: status `running` at server time. */
  async start(): Promise<void> {
    await this.#lifecycle.start();
    const options = this.#attemptOptions;
    if (options !== undefined)
      this.#attempt ??= new AttemptReports(
        this.#session,
        this.#policy,
        options,
        this.#abort.signal,
      );
  }

  /**
   * Records one point: `metricName` printable ASCII of 1 to 256 bytes, `step` an integer from 0 to
   * 2^53 - 2. Any other name is written with %XX and cut, and kept in the point's meta as `tag`. A
   * NaN or infinite value becomes an annotation `{kind: "nonfinite", metricName, step, value,
   * timestampMs}`, with the point's meta as `pointMeta`; a point that breaks a limit is rejected
   * (`onRejected`, and the report of `finish`). Throws BufferFullError when too many points wait
   * (await `ready()` between steps), and the error that stopped the recording, if any.
   */
  record(metricName: string, metricValue: number, step: number, options: PointOptions = {}): void {
    this.#assertOpen();
    if (this.#queue.isFull) throw new BufferFullError(fullMessage(this.#queue.waiting, "points"));
    this.#counter++;
    // A metric's name is text; anything else is rejected below.
    const isText = typeof metricName === "string" && metricName !== "";
    const named = isText ? metricNamed(metricName) : { name: metricName, meta: {} };
    const meta = encodeMeta(
      "tag" in named.meta ? { ...options.meta, ...named.meta } : options.meta,
    );
    const point: Point = {
      messageId: options.messageId ?? `${this.#options.idPrefix}-${this.#counter}`,
      metricName: named.name,
      metricValue,
      step,
      timestampMs: options.timestampMs ?? Date.now(),
      metaJson: "json" in meta ? meta.json : "{}",
    };
    this.#ledger.recorded++;
    const problem = "problem" in meta ? meta.problem : pointProblem(point);
    if (problem !== undefined) {
      this.#ledger.rejected(point, new InvalidPointError(problem));
    } else if (!Number.isFinite(metricValue)) {
      this.#recordNonfinite(point);
    } else {
      this.#queue.push(point);
      this.#attempt?.noteStep(step);
      if (this.#queue.hasFullBatch) this.#pumpSoon();
      else this.#timer ??= setTimeout(() => this.#sendIncomplete(), this.#options.flushIntervalMs);
    }
  }

  /**
   * Keeps what was printed as a line of the run's console; several where it has line feeds. Colours
   * (escape sequences) become spans, and what looks like a key is replaced by ********. Throws
   * BufferFullError when too many lines wait (await `ready()`), and the error that stopped the
   * recording, if any.
   */
  line(text: string, { stream = "stdout", timestampMs = Date.now() }: LineOptions = {}): void {
    this.#assertOpen();
    if (this.#lines.isFull) throw new BufferFullError(fullMessage(this.#lines.waiting, "lines"));
    this.#lines.add(String(text), stream, timestampMs);
  }

  /**
   * Stores lines of another process, as a copy of a console does. Resolves with the number of those
   * of its source that are stored; where some before the first are missing nothing is.
   */
  async appendLines(body: AppendConsoleBody): Promise<number> {
    this.#assertOpen();
    return this.#lines.append(body);
  }

  /**
   * Adds an annotation: 1 to 16,000 characters, `meta` a JSON object of at most 64 KiB. Resolves
   * when it is stored. After a lost reply the annotations are read back, so it is added once.
   */
  async annotate(
    annotation: string,
    meta: Record<string, unknown> = {},
  ): Promise<{ annotationId: string; createdAtMs: number }> {
    this.#assertOpen();
    return this.#annotations.add(annotation, meta);
  }

  /**
   * Reports a process of an attempt (extension): one of another recording, as it was. The
   * recorder's own is reported by `attempt` of its options.
   */
  async reportAttempt(body: ReportAttemptBody): Promise<void> {
    this.#assertOpen();
    await reportAttempt(this.#session, this.#policy, body, this.#abort.signal);
  }

  /** Back-pressure: resolves when less than half the buffer is used. */
  async ready(): Promise<void> {
    this.#assertOpen();
    if (this.#queue.isHalfFull) await this.#queue.halfFree();
    if (this.#lines.isHalfFull) await this.#lines.halfFree();
    this.#assertOpen();
  }

  /**
   * Resolves when every point, line and annotation so far is acknowledged or rejected, and the
   * facts of `origin` are known, for which it waits 15 seconds at most, and stored.
   */
  async flush(): Promise<void> {
    this.#assertOpen();
    this.#sendIncomplete();
    await Promise.all([this.#queue.settled(), this.#lines.settled()]);
    await this.#originWithin(originMs.flush);
    await this.#annotations.idle();
    this.#assertOpen();
  }

  /**
   * Ends the recording (recommended sequence, step 3): flushes, sends `done` or `error`, and last
   * and alone `tokenRevoke`. Resolves with the outcome of the points; rejected ones do not make it
   * throw.
   */
  async finish(options: FinishOptions = {}): Promise<RecordingReport> {
    this.#assertOpen();
    this.#finished = true;
    const end = this.#end(options);
    // After a deadline `end` rejects on the abort, with no listener.
    end.catch(() => undefined);
    const timeUp = new AbortController();
    const isOver = sleep(options.deadlineMs ?? 120_000, timeUp.signal).then(() => "time is up");
    try {
      const first = await Promise.race([end, isOver]);
      if (first === "time is up") throw new LosslessError("finish ran out of time");
      return this.report();
    } catch (error) {
      this.#stop(error);
      const [points, lines] = [this.#queue.waiting, this.#lines.waiting];
      if (points === 0 && lines === 0) throw error;
      throw new UnsentPointsError(points, lines, error);
    } finally {
      timeUp.abort();
      this.#abort.abort();
    }
  }

  /** Returns the outcome of the points and lines so far. */
  report(): RecordingReport {
    return this.#ledger.report(this.#lines.report());
  }

  /** Whether `record` would throw BufferFullError: await `ready()` first. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** Points recorded and not yet acknowledged or rejected. */
  get waitingPoints(): number {
    return this.#queue.waiting;
  }

  async #end(options: FinishOptions): Promise<void> {
    for (const note of this.#nonfinite.takeSummaries()) this.#addNote(note);
    this.#sendIncomplete();
    await Promise.all([this.#queue.settled(), this.#lines.settled()]);
    await this.#annotations.idle();
    await this.#originWithin(originMs.finish);
    if (this.#failure !== undefined) throw this.#failure;
    await this.#attempt?.end(options.error);
    if (options.error !== undefined) {
      await this.#lifecycle.error(options.error, options.errorMeta ?? {});
    } else if (!options.keepStatus) {
      await this.#lifecycle.done();
    }
    await this.#lifecycle.revokeToken();
  }

  async #originWithin(forMs: number): Promise<void> {
    if (this.#origin === undefined) return;
    const isOver = new AbortController();
    const timer = AbortSignal.any([isOver.signal, this.#abort.signal]);
    await Promise.race([this.#origin, sleep(forMs, timer)]);
    isOver.abort();
  }

  #recordNonfinite(point: Point): void {
    this.#ledger.nonfinite++;
    const note = this.#nonfinite.note(point);
    if (note !== undefined) this.#addNote(note, point);
  }

  #addNote({ annotation, meta }: NonfiniteNote, point?: Point): void {
    this.#annotations.add(annotation, meta).catch((error: unknown) => {
      if (point === undefined) return this.#stop(error);
      // Not even the annotation was accepted, so the point counts as rejected.
      this.#ledger.nonfinite--;
      this.#ledger.rejected(point, error as LosslessError);
    });
  }

  #sendIncomplete(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sendsIncomplete = true;
    this.#pump();
  }

  /** Deferred, because building a body takes a while and `record` must be cheap. */
  #pumpSoon(): void {
    if (this.#pumpIsDue) return;
    this.#pumpIsDue = true;
    queueMicrotask(() => {
      this.#pumpIsDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#failure === undefined) {
      if (this.#queue.batchesInFlight >= this.#options.batchesInFlight) return;
      if (!this.#queue.hasFullBatch && !(this.#sendsIncomplete && this.#queue.hasPoints)) break;
      const { pointsPerBatch, pointsPerColumns } = this.#options;
      const batch = this.#queue.take(
        this.#delivery.usesColumns ? pointsPerColumns : pointsPerBatch,
      );
      this.#delivery.deliver(batch.points, this.#abort.signal).then(
        () => {
          this.#queue.settle(batch);
          this.#pump();
        },
        (error: unknown) => this.#stop(error),
      );
    }
    this.#sendsIncomplete = false;
  }

  /** Stops sending; all waiting callers get the error, and every later call throws it. */
  #stop(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new LosslessError(String(error));
    clearTimeout(this.#timer);
    this.#abort.abort(error);
    this.#queue.fail(this.#failure);
  }

  #assertOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#finished) throw new LosslessError("the recording is finished");
  }
}

/** Throws for a wrong option: found out later, it would cost points. */
export function checkRecorderOptions(options: RecorderOptions): void {
  const { idPrefix, pointsPerBatch, flushIntervalMs } = options;
  if (idPrefix !== undefined && !/^[^\p{Cc}\p{Cs}]{1,180}$/u.test(idPrefix)) {
    const rule = "must have 1 to 180 characters, none of them a control character";
    throw new LosslessError(`idPrefix ${rule}, and is ${JSON.stringify(idPrefix)}`);
  }
  if (pointsPerBatch !== undefined && !isWholeBetween(pointsPerBatch, 1, 1_000)) {
    throw new LosslessError(`pointsPerBatch must be a whole number from 1 to 1,000`);
  }
  if (
    flushIntervalMs !== undefined &&
    !(Number.isFinite(flushIntervalMs) && flushIntervalMs >= 0)
  ) {
    throw new LosslessError(`flushIntervalMs must be a number of milliseconds, 0 or more`);
  }
}

function isWholeBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

type CompleteOptions = Required<Omit<RecorderOptions, "retry" | "attempt" | "origin">> & {
  pointsPerColumns: number;
};

function withDefaults(options: RecorderOptions): CompleteOptions {
  checkRecorderOptions(options);
  const whole = (value: number | undefined, otherwise: number, most: number): number =>
    Math.min(Math.max(Math.trunc(value ?? otherwise), 1), most);
  return {
    idPrefix: options.idPrefix ?? randomHex(8),
    pointsPerBatch: whole(options.pointsPerBatch, 1_000, 1_000),
    pointsPerColumns: whole(options.pointsPerBatch, 10_000, 10_000),
    bytesPerBatch: whole(options.bytesPerBatch, 4 * 1_048_576, Infinity),
    batchesInFlight: whole(options.batchesInFlight, 1, 64),
    flushIntervalMs: options.flushIntervalMs ?? 1_000,
    waitingPointsMax: whole(options.waitingPointsMax, 100_000, Infinity),
    waitingLinesMax: whole(options.waitingLinesMax, 100_000, Infinity),
    process: options.process ?? {},
    onRejected: options.onRejected ?? (() => undefined),
    onLinesRefused: options.onLinesRefused ?? (() => undefined),
    onRetry: options.onRetry ?? (() => undefined),
  };
}

function fullMessage(waiting: number, what: "points" | "lines"): string {
  return (
    `${waiting} ${what} wait for acknowledgement, the maximum of this recorder; ` +
    "await recorder.ready() between steps"
  );
}
