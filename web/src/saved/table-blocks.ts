import type { ReportBlock } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { fieldText } from "@lossless/protocol/query-field";
import { isMetaField, ownKeys } from "../chart/groups/keys.ts";
import { parametersOf } from "../chart/view.ts";
import { idQuery } from "../pages/compare/compare-address.ts";
import { columnsOf } from "../pages/experiments/columns.ts";
import { defaultSort, sortText, type TableAddress } from "../pages/experiments/table-address.ts";

/** A chart of the first metric of the table, in its groups, and its first rows. */
export function tableBlocks(
  { query, folder, sort, selected }: Omit<TableAddress, "columns">,
  columns: readonly string[],
  by: readonly string[],
): ReportBlock[] {
  // As many as a chart names; of all that can be ticked, the query would be too long.
  const ids = [...selected].slice(0, limits.reportExperimentsMax);
  const where = { query, ...(folder !== undefined && { folderId: folder }) };
  const order = sortText(sort);
  const runs =
    ids.length > 0
      ? { experimentIds: ids }
      : { ...where, ...(order !== defaultSort && { sort: order }) };
  const metric = columnsOf(columns).find(({ kind }) => kind.kind === "metric")?.kind;
  const keys = by.flatMap((field) => groupKey(field) ?? []);
  const group = keys.length > 0 ? { kind: "by" as const, keys } : undefined;
  const view = new URLSearchParams(group && { group: parametersOf({ group }).group ?? "" });
  const chart: ReportBlock[] =
    metric?.kind !== "metric"
      ? []
      : [{ kind: "chart", ...runs, seriesName: metric.name, title: "", view: view.toString() }];
  return [
    { kind: "text", markdown: "" },
    ...chart,
    {
      kind: "table",
      ...(ids.length > 0 ? { query: idQuery(ids) } : where),
      columns: columns.join(", "),
      sort: order,
      limit: 10,
    },
  ];
}

/** The key by which a chart has the groups of rows; undefined: it has none by this field. */
function groupKey(field: string): string | undefined {
  const [key] = columnsOf([field]).flatMap(({ kind }) => {
    const text = fieldText(kind);
    return isMetaField(text) ? [text] : ownKeys.filter((one) => one === `experiment.${text}`);
  });
  return key;
}
