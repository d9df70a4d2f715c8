import { LikePattern } from "../../ground/like-pattern.ts";

/** A condition of a search for runs or folders. */
export interface Condition {
  field: Field;
  comparator: Comparator;
  /** A list with `IN` and `NOT IN`, undefined with `IS NULL` and `IS NOT NULL`. */
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

export type ComparedValue = string | number | bigint | null | undefined;

/** Missing values fit nothing but `IS NULL`; of NaN nothing is true but `!=`. */
export function fits(found: ComparedValue, condition: Condition): boolean {
  return fitting(condition)(found);
}

/** The same for many values: a pattern is read once. */
export function fitting({ comparator, value }: Condition): (found: ComparedValue) => boolean {
  const test = testOf(comparator, value);
  return (found) => {
    const isMissing = found === null || found === undefined;
    if (comparator === "IS NULL") return isMissing;
    return !isMissing && test(found);
  };
}

function testOf(
  comparator: Comparator,
  value: Condition["value"],
): (found: string | number | bigint) => boolean {
  switch (comparator) {
    case "IS NULL":
    case "IS NOT NULL":
      return () => true;
    case "=":
      return (found) => found === value;
    case "!=":
      return (found) => found !== value;
    case ">":
      return (found) => found > (value as string | number);
    case ">=":
      return (found) => found >= (value as string | number);
    case "<":
      return (found) => found < (value as string | number);
    case "<=":
      return (found) => found <= (value as string | number);
    case "LIKE":
      return likeTest(String(value), (text) => text);
    case "ILIKE":
      return likeTest(String(value), loweredFor(String(value)));
    case "IN":
      return (found) => (value as readonly string[]).includes(String(found));
    case "NOT IN":
      return (found) => !(value as readonly string[]).includes(String(found));
  }
}

function likeTest(pattern: string, lowered: (text: string) => string) {
  const like = new LikePattern(withoutEscape(lowered(pattern)));
  return (found: string | number | bigint) => like.fits(lowered(String(found)));
}

/**
 * A pattern of ASCII sees no case of A to Z, as MLflow's server on SQLite and both of our databases
 * do; one with other letters no case of any script, as that server on PostgreSQL.
 */
function loweredFor(pattern: string): (text: string) => string {
  return isAscii(pattern) ? lowerAscii : (text) => text.toLowerCase();
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A backslash is one in MLflow's patterns. */
export function withoutEscape(pattern: string): string {
  return pattern.replaceAll("\\", "\\\\");
}
