/** A syntax error of a query: its position, and what is expected there. */
export class QueryError extends Error {
  override name = "QueryError";
  /** UTF-16 units before the error. */
  readonly position: number;
  readonly expected: string;
  readonly suggestion: string | undefined;
  /** A word before an operator that is no field: perhaps a name without `meta.` or `metric.`. */
  readonly unknownName: string | undefined;
  readonly #said: string;

  constructor(
    position: number,
    expected: string,
    found?: string,
    suggestion?: string,
    unknownName?: string,
  ) {
    const instead = found === undefined ? "" : `, found ${found === "" ? "the end" : found}`;
    const said = `At character ${position + 1}: expected ${expected}${instead}`;
    super(said + meantText(suggestion === undefined ? [] : [suggestion]));
    this.position = position;
    this.expected = expected;
    this.suggestion = suggestion;
    this.unknownName = unknownName;
    this.#said = said;
  }

  /** The message with existing fields in place of the language's guess. */
  messageWith(fields: readonly string[]): string {
    return this.#said + meantText(fields);
  }
}

function meantText(fields: readonly string[]): string {
  return fields.length === 0 ? "" : `; did you mean ${fields.join(" or ")}?`;
}
