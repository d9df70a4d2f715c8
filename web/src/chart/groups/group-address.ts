import { fieldText } from "@lossless/protocol/query-field";
import { queryText } from "@lossless/protocol/query-text";
import type { Grouping } from "../view.ts";
import type { Found } from "./found-groups.ts";
import { isFoundField, isMetaField, keyName } from "./keys.ts";

/** Ids in one query. */
const namedMax = 200;

/**
 * The address of the table with these groups as rows, each of which opens to all of its members;
 * undefined where the table has no such groups.
 */
export function groupsAddress(
  found: Found | undefined,
  { kind, keys }: Grouping,
  seriesName: string,
): string | undefined {
  if (found === undefined || kind !== "by" || !keys.every(isFoundField)) return undefined;
  const query = queryOf(found);
  if (query === undefined) return undefined;
  const stat = (name: "last" | "min") =>
    fieldText({ kind: "metric", name: seriesName, stat: name });
  const parameters = new URLSearchParams({
    q: query,
    by: keys.map((key) => (isMetaField(key) ? key : keyName(key))).join(", "),
    cols: `${stat("last")}, ${stat("min")}`,
    ...("folderId" in found && found.folderId !== undefined && { folder: found.folderId }),
  });
  return `/experiments?${parameters.toString()}`;
}

function queryOf(found: Found): string | undefined {
  if ("query" in found) return found.query;
  if (found.experimentIds.length > namedMax) return undefined;
  const values = found.experimentIds.map((text) => ({ kind: "text", text }) as const);
  return queryText({ kind: "in", field: { kind: "own", name: "id" }, values });
}
