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
    return this.#said + meantText(this.meantWith(fields));
  }

  /** The existing fields that may be meant; one that the language knows stays, before them. */
  meantWith(fields: readonly string[]): readonly string[] {
    const { suggestion = "." } = this;
    const isKnown = !suggestion.includes(".") || suggestion.startsWith("meta._");
    if (!isKnown) return fields;
    // Keys that clients write themselves are further from a name than those of a config.
    const others = fields.filter((field) => !field.startsWith("meta._"));
    return [suggestion, ...others.filter((one) => one !== suggestion)];
  }
}

function meantText(fields: readonly string[]): string {
  return fields.length === 0 ? "" : `; did you mean ${fields.join(" or ")}?`;
}
