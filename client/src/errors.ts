import type { PresentRevision, PresentTexts } from "./wire.ts";

/**
 * Failures between this client and the service.
 *
 *   LosslessError
 *   ├── ConnectionError          no reply: refused, reset, timed out
 *   ├── RequestError             an HTTP error status; only the code may say which events ran
 *   │   ├── SupersededError      another writer has opened the artifact: stop
 *   │   ├── EditConflictError    the value to edit has changed meanwhile
 *   │   └── SavedConflictError   the saved view or the report was changed since
 *   ├── EventError               one event of an accepted request failed (HTTP 200, `svc.v2.error`)
 *   ├── OutcomeUnknownError      a write that must not be repeated blindly got no reply
 *   ├── IncompleteStreamError    a series stream that ended without `done`, or whose totals differ
 *   ├── ProtocolError            a reply that the specification does not allow
 *   ├── InvalidPointError        a point that the service would refuse; it was not sent
 *   ├── BufferFullError          more points waiting than the recorder may hold: await `ready()`
 *   ├── UnsentPointsError        a deadline passed while points or lines were still waiting
 *   ├── StoreError               a store failed to take or return the bytes of a file
 *   ├── FileNameError            a name that no file of a version can have, or none here
 *   ├── FileChangedError         a file changed while it was pushed
 *   └── IntegrityError           bytes that differ from their checksum or size
 */
export class LosslessError extends Error {
  override name = "LosslessError";
}

/** No reply arrived. `notSent` is true when the request certainly never reached the service. */
export class ConnectionError extends LosslessError {
  override name = "ConnectionError";
  readonly notSent: boolean;
  constructor(message: string, notSent: boolean, cause?: unknown) {
    super(message, { cause });
    this.notSent = notSent;
  }
}

/** A failed request: `{data: null, error: {…}}` in v2, `{error, message}` in v1, and its status. */
export class RequestError extends LosslessError {
  override name = "RequestError";
  readonly status: number;
  /** The code of the reply; `unknown` when the reply came from elsewhere (a proxy's page, say). */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Milliseconds to wait before another attempt, from the header Retry-After. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    status: number,
    code: string,
    requestId?: string,
    retryAfterMs?: number,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 409 `superseded`: another writer has opened the artifact, and this one must stop. */
export class SupersededError extends RequestError {
  override name = "SupersededError";
  /** The artifact's current epoch. */
  readonly epoch: number;
  constructor(message: string, status: number, epoch: number, requestId?: string) {
    super(message, status, "superseded", requestId);
    this.epoch = epoch;
  }
}

/** 409 `conflict` of an edit: the value differs from the one seen before. */
export class EditConflictError extends RequestError {
  override name = "EditConflictError";
  /** The values that stand at those places now. */
  readonly present: PresentTexts;
  constructor(message: string, status: number, present: PresentTexts, requestId?: string) {
    super(message, status, "conflict", requestId);
    this.present = present;
  }
}

/** 409 `conflict` of a saved view or a report: it was changed since it was read. */
export class SavedConflictError extends RequestError {
  override name = "SavedConflictError";
  /** The revision that stands there now, since when and by whom. */
  readonly present: PresentRevision;
  constructor(message: string, status: number, present: PresentRevision, requestId?: string) {
    super(message, status, "conflict", requestId);
    this.present = present;
  }
}

/** The data of an `svc.v2.error` reply or stream record. */
export interface EventFailure {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  details: Record<string, unknown>;
}

/** One event failed inside an accepted request; the request's other events are not affected. */
export class EventError extends LosslessError {
  override name = "EventError";
  readonly code: string;
  /** The HTTP status that the event would have had on its own. */
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;
  constructor(failure: EventFailure) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status;
    this.retryable = failure.retryable;
    this.details = failure.details;
  }
}

/**
 * A write other than a metric got no reply, so it may or may not have happened, and reading the
 * state did not settle it. The caller decides whether to repeat it.
 */
export class OutcomeUnknownError extends LosslessError {
  override name = "OutcomeUnknownError";
  readonly event: string;
  constructor(event: string, message: string, cause: unknown) {
    super(`${event}: ${message}`, { cause });
    this.event = event;
  }
}

/** A stream that must not be taken for the complete result. Read it again from the start. */
export class IncompleteStreamError extends LosslessError {
  override name = "IncompleteStreamError";
}

export class ProtocolError extends LosslessError {
  override name = "ProtocolError";
}

export class InvalidPointError extends LosslessError {
  override name = "InvalidPointError";
}

export class BufferFullError extends LosslessError {
  override name = "BufferFullError";
}

export class UnsentPointsError extends LosslessError {
  override name = "UnsentPointsError";
  /** Recorded points that the service has not acknowledged. */
  readonly unsentPoints: number;
  /** Printed lines of which the same holds. */
  readonly unsentLines: number;
  constructor(unsentPoints: number, unsentLines: number, cause: unknown) {
    const lines = unsentLines === 0 ? "" : ` and ${unsentLines} lines`;
    super(
      `${unsentPoints} recorded points${lines} were not acknowledged in time; they may or may not be stored. ` +
        "Record the points again with the same ids: the service recognises stored ones.",
      { cause },
    );
    this.unsentPoints = unsentPoints;
    this.unsentLines = unsentLines;
  }
}

/** A store failed to take or return the bytes of a file, also after retries. */
export class StoreError extends LosslessError {
  override name = "StoreError";
  /** HTTP status of the store's last reply; undefined: there was none. */
  readonly status: number | undefined;
  constructor(message: string, status: number | undefined, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

export class FileNameError extends LosslessError {
  override name = "FileNameError";
}

export class FileChangedError extends LosslessError {
  override name = "FileChangedError";
}

export class IntegrityError extends LosslessError {
  override name = "IntegrityError";
}
