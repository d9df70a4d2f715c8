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
 * DISTINCT for 200 rows and then looks 100,000 up one by one; it knows better how large joins are,
 * and behind OFFSET 0 it reads a set as a whole.
 */
export function intersection(
  dialect: Reader["dialect"],
  sets: readonly IdSet[],
  left: readonly IdSet[] = [],
): IdSet {
  if (sets.length === 1 && left.length === 0) return { sql: once(sets[0]), isOnce: true };
  return { sql: (dialect === "sqlite" ? merged : joined)(sets, left), isOnce: true };
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

function joined(sets: readonly IdSet[], left: readonly IdSet[]): string {
  const base = sets.find(({ isOnce }) => isOnce) ?? sets[0];
  const others = sets.filter((set) => set !== base);
  const joins = others
    .filter(({ isOnce }) => isOnce)
    .map(({ sql }, at) => `JOIN (${sql} OFFSET 0) AS s${at} (id) ON s${at}.id = base.id`);
  const conditions = [
    ...others.filter(({ isOnce }) => !isOnce).map(({ sql }) => `base.id IN (${sql} OFFSET 0)`),
    ...left.map(
      ({ sql }) =>
        `NOT EXISTS (SELECT 1 FROM (${sql} OFFSET 0) AS gone (id) WHERE gone.id = base.id)`,
    ),
  ];
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return `SELECT base.id FROM (${once(base)}) AS base (id) ${joins.join(" ")} ${where}`;
}
