import { QueryError } from "@lossless/protocol/query-error";
import { ServiceError } from "../../ground/errors.ts";

/** Runs a parser; a text that the query language refuses is a `bad_request`. */
export function readWords<Result>(where: string, parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw refusal(where, error.message);
  }
}

export function refusal(where: string, message: string): ServiceError {
  const end = message.endsWith("?") ? "" : ".";
  return new ServiceError("bad_request", `${where}: ${message}${end}`);
}
