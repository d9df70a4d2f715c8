import { readQuery } from "@lossless/protocol/query-language";
import type { PageLocation } from "../../../location.ts";
import { sortText } from "../../experiments/table-address.ts";
import { questionOf, type Selection } from "../compare-address.ts";
import { withBrushes, type Brush } from "./brushes.ts";

/** The query that finds the compared experiments, also for ids. */
export function queryOf(asked: Selection): string {
  return questionOf(asked).query ?? "";
}

/** The parameters after changing the brushes of some axes; ids without a further test stay ids. */
export function brushedParameters(
  asked: Selection,
  referenceId: string | undefined,
  changed: ReadonlyMap<string, Brush | undefined>,
): Parameters<PageLocation["change"]>[0] {
  const query = withBrushes(queryOf(asked), changed);
  const ids = idsOnly(query);
  // The query's order may put another experiment first.
  const ref = referenceId === undefined ? {} : { ref: referenceId };
  if (ids !== undefined) return { e: ids.join(","), q: undefined, sort: undefined, ...ref };
  if (asked.kind === "ids") return { e: undefined, q: query, ...ref };
  // An empty query finds all, if another parameter shows that there is one.
  return { q: query, ...(query === "" && { sort: sortText(asked.sort) }), ...ref };
}

function idsOnly(text: string): string[] | undefined {
  const { query } = readQuery(text);
  const part = query?.kind === "and" && query.parts.length === 1 ? query.parts[0] : query;
  if (part?.kind !== "in" || part.field.kind !== "own" || part.field.name !== "id")
    return undefined;
  return part.values.map((value) => value.text);
}
