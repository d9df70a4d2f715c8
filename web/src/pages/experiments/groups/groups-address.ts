import type { ExperimentGroupsBody } from "@lossless/protocol";
import { QueryError } from "@lossless/protocol/query-error";
import { parseColumns } from "@lossless/protocol/query-list";

export type GroupSort = NonNullable<ExperimentGroupsBody["sort"]>[number];

export const groupStats = ["mean", "min", "max"] as const;

/** The groups of a table as its address has them: `by=meta.lr, status`, `gsort=mean:2 desc`. */
export interface GroupsAddress {
  by: readonly string[];
  sort: GroupSort;
}

export const usualSort: GroupSort = { of: "experiments", descending: true };

type Read = (name: "by" | "gsort") => string | undefined;

/** Reads the groups; a text that is no list of fields groups by nothing. */
export function readGroupsAddress(read: Read): GroupsAddress {
  return { by: fieldsIn(read("by") ?? ""), sort: sortIn(read("gsort") ?? "") };
}

function fieldsIn(text: string): string[] {
  try {
    return parseColumns(text);
  } catch (error) {
    if (error instanceof QueryError) return [];
    throw error;
  }
}

function sortIn(text: string): GroupSort {
  const found = /^(experiments|key|mean|min|max|count)(?::(\d{1,3}))?( desc)?$/.exec(text);
  if (found === null) return usualSort;
  const [, of, at, descending] = found;
  return {
    of: of as GroupSort["of"],
    ...(at !== undefined && { at: Number(at) }),
    ...(descending !== undefined && { descending: true }),
  };
}

/** The parameter of a sort; undefined for the usual one. */
export function sortParameter({ of, at, descending = false }: GroupSort): string | undefined {
  const text = `${of}${at === undefined ? "" : `:${at}`}${descending ? " desc" : ""}`;
  return text === "experiments desc" ? undefined : text;
}

/** The sort after a click on a head: another click on the same reverses it. */
export function sortedBy(sort: GroupSort, of: GroupSort["of"], at?: number): GroupSort {
  const isSame = sort.of === of && sort.at === at;
  const descending = isSame ? sort.descending !== true : of === "experiments" || of === "max";
  return { of, ...(at !== undefined && { at }), ...(descending && { descending }) };
}
