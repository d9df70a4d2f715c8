import { LikePattern } from "../ground/like-pattern.ts";

/** What a run or a folder is found by. */
export interface Condition {
  field: Field;
  comparator: Comparator;
  /** A list with `IN` and `NOT IN`, nothing with `IS NULL` and `IS NOT NULL`. */
  value: string | number | readonly string[] | undefined;
}

export interface Field {
  kind: "attribute" | "metric" | "param" | "tag" | "dataset";
  key: string;
}

export const comparators = [
  "=",
  "!=",
  ">",
  ">=",
  "<",
  "<=",
  "LIKE",
  "ILIKE",
  "IN",
  "NOT IN",
  "IS NULL",
  "IS NOT NULL",
] as const;
export type Comparator = (typeof comparators)[number];

export type Found = string | number | bigint | null | undefined;

/** Missing values fit nothing but `IS NULL`; of NaN nothing is true but `!=`. */
export function fits(found: Found, { comparator, value }: Condition): boolean {
  const isMissing = found === null || found === undefined;
  if (comparator === "IS NULL") return isMissing;
  if (comparator === "IS NOT NULL") return !isMissing;
  if (isMissing) return false;
  switch (comparator) {
    case "=":
      return found === value;
    case "!=":
      return found !== value;
    case ">":
      return found > (value as string | number);
    case ">=":
      return found >= (value as string | number);
    case "<":
      return found < (value as string | number);
    case "<=":
      return found <= (value as string | number);
    case "LIKE":
      return isLike(String(found), String(value));
    case "ILIKE":
      return isLikeInAnyCase(String(found), String(value));
    case "IN":
      return (value as readonly string[]).includes(String(found));
    case "NOT IN":
      return !(value as readonly string[]).includes(String(found));
  }
}

/**
 * A pattern of ASCII sees no case of A to Z, as MLflow's server on SQLite and both of our databases
 * do; one with other letters no case of any script, as that server on PostgreSQL.
 */
function isLikeInAnyCase(text: string, pattern: string): boolean {
  const lowered = isAscii(pattern) ? lowerAscii : (one: string) => one.toLowerCase();
  return isLike(lowered(text), lowered(pattern));
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** `%` is any text, `_` any one character. */
export function isLike(text: string, pattern: string): boolean {
  return new LikePattern(withoutEscape(pattern)).fits(text);
}

/** A backslash is one in MLflow's patterns. */
export function withoutEscape(pattern: string): string {
  return pattern.replaceAll("\\", "\\\\");
}
