/** A syntax error of a query: its position, and what is expected there. */
export class QueryError extends Error {
  override name = "QueryError";
  /** UTF-16 units before the error. */
  readonly position: number;
  readonly expected: string;
  readonly suggestion: string | undefined;

  constructor(position: number, expected: string, found?: string, suggestion?: string) {
    const instead = found === undefined ? "" : `, found ${found === "" ? "the end" : found}`;
    const meant = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
    super(`At character ${position + 1}: expected ${expected}${instead}${meant}`);
    this.position = position;
    this.expected = expected;
    this.suggestion = suggestion;
  }
}
