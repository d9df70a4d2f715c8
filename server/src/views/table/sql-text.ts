import type { QueryValue } from "@lossless/protocol";
import type { NamePattern } from "@lossless/protocol/name-search";
import type { Reader, Value } from "../../database/database.ts";
import { escapedForLike } from "../../ground/like-pattern.ts";

/** Tables that a statement joins to an experiment besides the one that it finds it by. */
export type Joined = "experiment" | "head" | "liveness" | "summarized" | "place" | "tested";

export type PatternReader = Pick<Reader, "isLike" | "contains" | "lowered">;

/** Collects the values and tables of one statement while its text is made. */
export class SqlText {
  readonly values: Value[];
  /** Tables of this SELECT. */
  readonly joined = new Set<Joined>();
  readonly leftJoins: string[] = [];

  constructor(values: Value[] = []) {
    this.values = values;
  }

  /** Returns a text for a SELECT within the statement, with tables of its own. */
  part(): SqlText {
    return new SqlText(this.values);
  }

  /** Joins a table of which rows may be missing; returns its name in the statement. */
  leftJoin(table: (alias: string) => string): string {
    const alias = `o${this.leftJoins.length}`;
    this.leftJoins.push(`LEFT JOIN ${table(alias)}`);
    return alias;
  }

  /** Binds a value; returns its placeholder. */
  bind(value: Value): `$${number}` {
    return `$${this.values.push(value)}`;
  }

  /** Binds a number among columns of any type: PostgreSQL would take it for one of theirs. */
  number(value: number): string {
    const type = Number.isSafeInteger(value) ? "BIGINT" : "DOUBLE PRECISION";
    return `CAST(${this.bind(value)} AS ${type})`;
  }

  /**
   * The condition that a text passes the operator `~`: it is like a pattern, or contains a regular
   * expression, letters A to Z without regard to case.
   */
  fits(reader: PatternReader, column: string, { kind, text }: QueryValue): string {
    return kind === "expression"
      ? this.#contains(reader, column, text.slice(1, -1))
      : this.like(reader, column, text);
  }

  /** The condition that a name fits a search, whose words stand in any order. */
  isNamed(reader: PatternReader, column: string, search: readonly NamePattern[]): string {
    const conditions = search.map(({ kind, text }) =>
      kind === "expression"
        ? this.#contains(reader, column, text)
        : this.like(reader, column, text),
    );
    return conditions.length === 0 ? "(1 = 1)" : `(${conditions.join(" AND ")})`;
  }

  #contains(reader: PatternReader, column: string, expression: string): string {
    return reader.contains(reader.lowered(column), expression, (value) => this.bind(value));
  }

  /** The condition that a text is like a pattern, letters A to Z without regard to case. */
  like(reader: Pick<Reader, "isLike">, column: string, pattern: string): string {
    return reader.isLike(`lower(${column})`, likePattern(pattern), (value) => this.bind(value));
  }
}

/**
 * Returns the LIKE pattern: one with `*` has to fit the whole text, one without has to be
 * contained.
 */
function likePattern(pattern: string): string {
  const lowered = pattern.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const escaped = escapedForLike(lowered);
  return pattern.includes("*") ? escaped.replaceAll(/\*+/g, "%") : `%${escaped}%`;
}
