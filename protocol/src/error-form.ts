import type { TObject } from "typebox";
import type { ErrorCode } from "./errors.ts";

/** How an interface says that a whole request failed; its rows of the endpoints table name it. */
export interface ErrorForm {
  /** Decoded paths that are answered in this form although no endpoint has them. */
  paths?: RegExp;
  /** The code that it shows for one of the table, where it has a table of its own. */
  codeOf?(code: ErrorCode): string;
  /** Its status for a code, where that is not the table's. */
  statusOf?(code: ErrorCode): number;
  /** What a 401 asks for in `WWW-Authenticate`; else `Bearer`. */
  challenge?: string;
  /** What its JSON is called; else `application/json`. */
  mediaType?: string;
  /** Undefined: an HTML page, which the server draws. */
  json?: { schema: TObject; bodyOf(failure: Failure): object };
}

export interface Failure {
  code: ErrorCode;
  /** For people. */
  message: string;
  details: Record<string, unknown>;
  requestId: string;
}
