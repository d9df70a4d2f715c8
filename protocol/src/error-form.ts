import type { TObject } from "typebox";
import type { ErrorCode } from "./errors.ts";

/** The form in which an interface reports a failed request; rows of the endpoints table name it. */
export interface ErrorForm {
  /** Decoded paths answered in this form although no endpoint has them. */
  paths?: RegExp;
  /** Maps a code of the errors table to the interface's own; absent: the code stays. */
  codeOf?(code: ErrorCode): string;
  /** Overrides the status of a code; absent: that of the errors table. */
  statusOf?(code: ErrorCode): number;
  /** The challenge of a 401 in `WWW-Authenticate`; absent: `Bearer`. */
  challenge?: string;
  /** Media type of the JSON; absent: `application/json`. */
  mediaType?: string;
  /** The JSON body; absent: an HTML page, which the server draws. */
  json?: { schema: TObject; bodyOf(failure: Failure): object };
}

export interface Failure {
  code: ErrorCode;
  /** A sentence for people. */
  message: string;
  details: Record<string, unknown>;
  requestId: string;
}
