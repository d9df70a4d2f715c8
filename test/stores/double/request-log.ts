import type { FaultKind, FaultSubject } from "./faults.ts";
import type { Operation } from "./operation.ts";
import type { ErrorCode } from "./s3-error.ts";

/** One request, as far as it got. `operation` is undefined when none could be made out. */
export interface LoggedRequest extends Omit<FaultSubject, "operation"> {
  operation: Operation | undefined;
  method: string;
  /** The request target as sent. It holds a signature: good for assertions, not for printing. */
  target: string;
  headers: ReadonlyMap<string, string>;
  bodyBytes: number;
  /** Undefined when no answer was begun. */
  status: number | undefined;
  code: ErrorCode | undefined;
  fault: FaultKind | undefined;
}

const longestLog = 100_000;

/** Requests are in order of arrival; the oldest are forgotten behind a limit, but still counted. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  readonly #forgotten = new Map<Operation | undefined, number>();

  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
    if (this.#entries.length <= longestLog) return;
    const oldest = this.#entries.shift()?.operation;
    this.#forgotten.set(oldest, (this.#forgotten.get(oldest) ?? 0) + 1);
  }

  get all(): readonly LoggedRequest[] {
    return this.#entries;
  }

  of(operation: Operation): LoggedRequest[] {
    return this.#entries.filter((entry) => entry.operation === operation);
  }

  count(operation: Operation): number {
    return this.of(operation).length + (this.#forgotten.get(operation) ?? 0);
  }

  clear(): void {
    this.#entries.length = 0;
    this.#forgotten.clear();
  }
}
