import { endpoints } from "./endpoints.ts";
import type { ExperimentSession } from "./experiment-session.ts";
import { randomHex } from "./message-id.ts";
import { isTransient, type RetryPolicy, withRetries } from "./retry.ts";
import type { ReportAttemptBody, ReportAttemptReply, ReportedProcess } from "./wire.ts";

/** Facts that a recorder tells of its process, so that the pages can say whether it lives. */
export interface AttemptOptions {
  /** Common to the processes that were started together; by default this one is alone. */
  id?: string;
  /** Rank, host, process id, the launcher's ids: whatever is known. */
  process?: Omit<ReportedProcess, "id">;
}

const againMs = 5_000;

/** Reports that the process of a recorder has begun, lives, and has ended. */
export class AttemptReports {
  readonly #session: ExperimentSession;
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal;
  readonly #process: ReportedProcess;
  readonly #attempt: string;
  readonly #beganAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #toStep: number | undefined;
  #isOver = false;

  constructor(
    session: ExperimentSession,
    policy: RetryPolicy,
    { id, process = {} }: AttemptOptions,
    signal: AbortSignal,
  ) {
    this.#session = session;
    this.#policy = policy;
    this.#signal = signal;
    this.#process = { id: randomHex(8), ...process };
    this.#attempt = id ?? this.#process.id;
    signal.addEventListener("abort", () => clearTimeout(this.#timer));
    void this.#beat();
  }

  noteStep(step: number): void {
    if (this.#toStep === undefined || step > this.#toStep) this.#toStep = step;
  }

  /** Tells the end. A service that does not take it does not keep the recording from ending. */
  async end(error: string | undefined): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const [line = ""] = (error ?? "").trim().split("\n");
    const told =
      error === undefined
        ? { how: "finished" as const }
        : { how: "exited" as const, error: line.slice(0, 500) };
    const evidence = ["The recorder said so."];
    const body = this.#body({ agoMs: 0, ...told, evidence });
    try {
      await reportAttempt(this.#session, this.#policy, body, this.#signal);
    } catch (failure) {
      if (isTransient(failure)) throw failure;
    }
  }

  async #beat(): Promise<void> {
    let waitMs = againMs;
    try {
      waitMs = (await post(this.#session, this.#body(), this.#signal)).nextBeatMs;
    } catch (error) {
      // A service of an older version, or one where there is no room.
      if (!isTransient(error)) return;
    }
    if (this.#isOver || this.#signal.aborted) return;
    this.#timer = setTimeout(() => void this.#beat(), waitMs);
    // A recorder that nobody finishes must not keep a process of Node.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #body(end?: NonNullable<ReportAttemptBody["end"]>): ReportAttemptBody {
    return {
      attempt: this.#attempt,
      process: this.#process,
      beganAgoMs: Math.round(performance.now() - this.#beganAt),
      beatAgoMs: 0,
      ...(this.#toStep !== undefined && { toStep: this.#toStep }),
      ...(end && { end }),
    };
  }
}

/** Sends a report until it is taken: each is the whole of what is known. */
export function reportAttempt(
  session: ExperimentSession,
  policy: RetryPolicy,
  body: ReportAttemptBody,
  signal: AbortSignal,
): Promise<ReportAttemptReply> {
  return withRetries(policy, () => post(session, body, signal), isTransient, signal);
}

async function post(
  session: ExperimentSession,
  body: ReportAttemptBody,
  signal: AbortSignal,
): Promise<ReportAttemptReply> {
  const endpoint = endpoints.reportAttempt(session.experimentId);
  return JSON.parse(
    await session.post(JSON.stringify(body), signal, endpoint),
  ) as ReportAttemptReply;
}
