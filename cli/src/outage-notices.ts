import { ConnectionError, type RetriedFailure, type RetryObserver } from "@lossless/client";
import { durationText } from "./output.ts";

/** Milliseconds for the first answer: a service that never answered is probably a wrong address. */
const firstAnswerWithinMs = 30_000;
const repeatEveryMs = 60_000;
/** Milliseconds before a failing store or a rate limit is reported: both may pass by themselves. */
const quietMs = 3_000;
/** Milliseconds for which push and pull retry a store without progress. */
const storePatienceMs = 300_000;

/** Reports what a push or a pull waits for: at the beginning, every minute, and at the end. */
export class OutageNotices {
  /** Observes calls of the service; one that never answers is given up early. */
  readonly service: RetryObserver;
  /** Observes requests to stores. */
  readonly store: RetryObserver;
  readonly #startedAtMs = performance.now();
  #hasAnswered = false;

  constructor(tell: (sentence: string) => void) {
    const service = new Outage(tell, "the service answers again");
    const store = new Outage(tell, "the store answers again");
    this.service = {
      mayRetry: (failure) => this.#mayRetry(failure, service),
      succeeded: () => {
        this.#hasAnswered = true;
        service.end();
      },
    };
    this.store = {
      mayRetry: ({ error }) => {
        // The built-in location is down together with the service, which was reported already.
        if (!service.isTold)
          store.go(error, quietMs, (sinceMs) => until(sinceMs + storePatienceMs));
        return true;
      },
      succeeded: () => store.end(),
    };
  }

  #mayRetry({ error, delayMs, leftMs }: RetriedFailure, outage: Outage): boolean {
    const isUnreachable = error instanceof ConnectionError;
    if (!isUnreachable) this.#hasAnswered = true;
    if (this.#hasAnswered) {
      const untilMs = performance.now() + leftMs;
      outage.go(error, isUnreachable ? 0 : quietMs, () => until(untilMs));
      return true;
    }
    const earlyLeftMs = this.#startedAtMs + firstAnswerWithinMs - performance.now();
    if (delayMs > earlyLeftMs) return false;
    const shortly = Math.min(leftMs, earlyLeftMs) / 1_000;
    outage.go(error, 0, () => `for ${durationText(shortly)}`);
    return true;
  }
}

class Outage {
  readonly #tell: (sentence: string) => void;
  readonly #end: string;
  #sinceMs: number | undefined;
  #toldAtMs: number | undefined;

  constructor(tell: (sentence: string) => void, end: string) {
    this.#tell = tell;
    this.#end = end;
  }

  get isTold(): boolean {
    return this.#toldAtMs !== undefined;
  }

  go(error: unknown, quietForMs: number, howLong: (sinceMs: number) => string): void {
    const nowMs = performance.now();
    this.#sinceMs ??= nowMs;
    const dueAtMs =
      this.#toldAtMs === undefined ? this.#sinceMs + quietForMs : this.#toldAtMs + repeatEveryMs;
    if (nowMs < dueAtMs) return;
    this.#toldAtMs = nowMs;
    const reason = error instanceof Error ? error.message : String(error);
    this.#tell(`${reason.replace(/\.$/, "")}: trying again ${howLong(this.#sinceMs)}`);
  }

  end(): void {
    if (this.isTold) this.#tell(this.#end);
    this.#sinceMs = undefined;
    this.#toldAtMs = undefined;
  }
}

/** Converts a time of performance.now() to wall time, as `until 14:05`; Infinity has none. */
function until(timeMs: number): string {
  if (timeMs === Infinity) return "until it does";
  const time = new Date(Date.now() + timeMs - performance.now());
  const digits = (value: number): string => String(value).padStart(2, "0");
  return `until ${digits(time.getHours())}:${digits(time.getMinutes())}`;
}
