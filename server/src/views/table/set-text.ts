/** A SELECT of experiments' ids. */
export interface IdSet {
  sql: string;
  /** Whether no id comes twice. A list's elements are rows of their own, and so are versions. */
  isOnce: boolean;
  /** Whether an index has its ids in their order. */
  isOrdered?: boolean;
}

/**
 * The way to combine sets. `join` is for statements that PostgreSQL is told to merge (merging.ts);
 * it joins the ordered sets, if there are any.
 */
export type Combining = "merge" | "probe" | "join";

/**
 * The ids that are in all of some sets and in none of others, each once. SQLite merges sets, which
 * lie in the order of the ids. PostgreSQL takes the outcome of INTERSECT, EXCEPT or a second
 * DISTINCT for 200 rows and then looks 100,000 up one by one; so it passes over one set and looks
 * its ids up in tables of the others, which it makes once, or merges them where it is told to.
 */
export function intersection(
  combining: Combining,
  sets: readonly IdSet[],
  left: readonly IdSet[] = [],
): IdSet {
  const isAlone = sets.length === 1 && left.length === 0;
  if (combining === "merge") {
    return { sql: isAlone ? once(sets[0]) : merged(sets, left), isOnce: true };
  }
  const base = baseOf(sets, combining === "join");
  const { isOrdered = false } = sets[base];
  const isJoined = combining === "join" && isOrdered;
  return {
    sql: isAlone ? once(sets[0]) : probed(sets, base, left, isJoined),
    isOnce: true,
    isOrdered,
  };
}

export function union(sets: readonly IdSet[]): IdSet {
  if (sets.length === 1) return sets[0];
  return { sql: sets.map(operand).join(" UNION "), isOnce: true };
}

function once({ sql, isOnce }: IdSet): string {
  return isOnce ? sql : `SELECT DISTINCT * FROM (${sql}) AS operand`;
}

/**
 * Returns a SELECT as an operand: neither database takes brackets around it, nor its precedence,
 * for granted.
 */
function operand({ sql }: IdSet): string {
  return `SELECT * FROM (${sql}) AS operand`;
}

function merged(sets: readonly IdSet[], left: readonly IdSet[]): string {
  const excepted = left.map((set) => ` EXCEPT ${operand(set)}`);
  return sets.map(operand).join(" INTERSECT ") + excepted.join("");
}

/** Whether joined sets are merged: the set that is scanned is ordered. */
export function areMerged(sets: readonly IdSet[]): boolean {
  return sets.length > 0 && sets[baseOf(sets, true)].isOrdered === true;
}

/** Returns the position of the set that is scanned. */
function baseOf(sets: readonly IdSet[], isJoined: boolean): number {
  const ordered = sets.findLastIndex(({ isOnce, isOrdered }) => isOnce && isOrdered);
  if (isJoined && ordered !== -1) return ordered;
  return Math.max(
    0,
    sets.findLastIndex(({ isOnce }) => isOnce),
  );
}

function probed(
  sets: readonly IdSet[],
  base: number,
  left: readonly IdSet[],
  isJoined: boolean,
): string {
  const isIn = ({ sql }: IdSet) => isProbed("base.id", `${sql} OFFSET 0`);
  const isMerged = (set: IdSet) => isJoined && set.isOrdered === true;
  const isAmong = (set: IdSet) => (isMerged(set) ? `base.id IN (${set.sql})` : isIn(set));
  const isLeft = (set: IdSet) =>
    isMerged(set)
      ? `NOT EXISTS (SELECT 1 FROM (${set.sql}) AS one (id) WHERE one.id = base.id)`
      : `NOT ${isIn(set)}`;
  const conditions = [...sets.toSpliced(base, 1).map(isAmong), ...left.map(isLeft)];
  return `SELECT base.id FROM (${once(sets[base])}) AS base (id) WHERE ${conditions.join(" AND ")}`;
}

/**
 * Returns the test that an id is in a set, for PostgreSQL: as a plain condition it would become a
 * join, whose size PostgreSQL guesses.
 */
export function isProbed(id: string, set: string): string {
  return `((${id} IN (${set})) IS TRUE)`;
}
