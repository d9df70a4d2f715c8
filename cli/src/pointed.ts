import { QueryError } from "@lossless/protocol/query-error";
import { UsageError } from "./command.ts";

/** Parses an option; a syntax error is shown with a mark below its position. */
export function pointed<Result>(
  option: string,
  text: string,
  parse: (text: string) => Result,
): Result {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const before = text.slice(0, error.position).replaceAll(/[^\t]/gu, " ");
    throw new UsageError(`--${option}: ${error.message}\n  ${text}\n  ${before}^`);
  }
}
