import type { Reader } from "../../database/database.ts";

/** A SELECT of experiments' ids. */
export interface IdSet {
  sql: string;
  /** No id comes twice. A list's elements are rows of their own, and so are versions. */
  isOnce: boolean;
}

/**
 * The ids that are in all of some sets and in none of others, each once. SQLite merges sets, which
 * lie in the order of the ids. PostgreSQL takes the outcome of INTERSECT, EXCEPT or a second
 * DISTINCT for 200 rows and then looks 100,000 up one by one; so it passes over one set and looks
 * its ids up in tables of the others, which it makes once.
 */
export function intersection(
  dialect: Reader["dialect"],
  sets: readonly IdSet[],
  left: readonly IdSet[] = [],
): IdSet {
  if (sets.length === 1 && left.length === 0) return { sql: once(sets[0]), isOnce: true };
  return { sql: (dialect === "sqlite" ? merged : probed)(sets, left), isOnce: true };
}

export function union(sets: readonly IdSet[]): IdSet {
  if (sets.length === 1) return sets[0];
  return { sql: sets.map(operand).join(" UNION "), isOnce: true };
}

function once({ sql, isOnce }: IdSet): string {
  return isOnce ? sql : `SELECT DISTINCT * FROM (${sql}) AS operand`;
}

/** Neither database takes brackets around a SELECT and its precedence for granted. */
function operand({ sql }: IdSet): string {
  return `SELECT * FROM (${sql}) AS operand`;
}

function merged(sets: readonly IdSet[], left: readonly IdSet[]): string {
  const excepted = left.map((set) => ` EXCEPT ${operand(set)}`);
  return sets.map(operand).join(" INTERSECT ") + excepted.join("");
}

function probed(sets: readonly IdSet[], left: readonly IdSet[]): string {
  const base = Math.max(
    0,
    sets.findLastIndex(({ isOnce }) => isOnce),
  );
  const isIn = ({ sql }: IdSet) => isProbed("base.id", `${sql} OFFSET 0`);
  const conditions = [
    ...sets.toSpliced(base, 1).map(isIn),
    ...left.map((set) => `NOT ${isIn(set)}`),
  ];
  return `SELECT base.id FROM (${once(sets[base])}) AS base (id) WHERE ${conditions.join(" AND ")}`;
}

/**
 * Whether an id is in a set, for PostgreSQL: as a condition of its own it would make a join of it,
 * whose size it guesses.
 */
export function isProbed(id: string, set: string): string {
  return `((${id} IN (${set})) IS TRUE)`;
}
