import { compareBytes } from "../../ground/byte-order.ts";
import type { Field, ComparedValue } from "./condition.ts";

export interface OrderBy {
  field: Field;
  isAscending: boolean;
}

/** A value of one clause of an order; missing ones come last in both directions. */
export type SortValue = string | number | null;

/** A place in the order of a search: what it sorts by, and the id. */
export interface SearchPosition {
  values: readonly SortValue[];
  id: string;
}

/** Where a page ends, as its token has it; tokens of earlier versions name no walk. */
export interface PageEnd extends SearchPosition {
  walk?: string;
}

export function sortValue(found: ComparedValue): SortValue {
  if (typeof found === "bigint") return Number(found);
  return found ?? null;
}

/** Compares values: numbers, then NaN, then missing ones; texts by their bytes. */
export function compareSorted(one: SortValue, other: SortValue, isAscending: boolean): number {
  const ranks = rank(one) - rank(other);
  if (ranks !== 0) return ranks;
  if (rank(one) > 0) return 0;
  const difference =
    typeof one === "string" && typeof other === "string"
      ? compareBytes(one, other)
      : compareNumbers(Number(one), Number(other));
  return isAscending ? difference : -difference;
}

/** Compares numbers without their difference: that of two infinities is NaN. */
function compareNumbers(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function rank(value: SortValue): number {
  if (value === null) return 2;
  return typeof value === "number" && Number.isNaN(value) ? 1 : 0;
}

/** In the order of the clauses, then of the ids. */
export function comparePositions(
  one: SearchPosition,
  other: SearchPosition,
  clauses: readonly { isAscending: boolean }[],
  idAscending = true,
): number {
  for (const [at, { isAscending }] of clauses.entries()) {
    const difference = compareSorted(one.values[at], other.values[at], isAscending);
    if (difference !== 0) return difference;
  }
  return (idAscending ? 1 : -1) * compareBytes(one.id, other.id);
}
