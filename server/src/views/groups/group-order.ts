import type { ExperimentGroup, ExperimentGroupsBody, GroupValue } from "@lossless/protocol";
import { identityOf } from "./group-values.ts";

export type GroupOrder = NonNullable<ExperimentGroupsBody["sort"]>[number];

/** Returns groups in order; equal ones by their keys. */
export function inOrder(
  groups: readonly ExperimentGroup[],
  sort: readonly GroupOrder[],
): ExperimentGroup[] {
  const rows = groups.map((group) => ({
    group,
    terms: sort.map((order) => termOf(group, order)),
    identity: identityOf(group.values),
  }));
  rows.sort((left, right) => {
    for (const [at, { descending = false }] of sort.entries()) {
      const order = compare(left.terms[at], right.terms[at], descending);
      if (order !== 0) return order;
    }
    return left.identity < right.identity ? -1 : 1;
  });
  return rows.map(({ group }) => group);
}

type Term = number | string | null;

function termOf(group: ExperimentGroup, { of, at = 0 }: GroupOrder): Term {
  if (of === "experiments") return group.experiments;
  return of === "key" ? keyTerm(group.values[at]) : group.columns[at][of];
}

function keyTerm({ kind, text }: GroupValue): Term {
  if (kind === "none" || kind === "null") return null;
  if (kind === "number") return Number(text);
  return kind === "boolean" ? Number(text === "true") : text;
}

/** Numbers stand before texts, and missing values last in either direction, as in a table. */
function compare(left: Term, right: Term, isDescending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
  if (left === right) return 0;
  return left < right === isDescending ? 1 : -1;
}
