import type { TableBody, TableReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Cut } from "../../../chart/cut.ts";
import type { Service } from "../../../signed-in.ts";
import { questionOf, type Selection } from "../compare-address.ts";
import type { Compared } from "../use-compared.ts";
import { type Followed, useFollowed } from "../use-followed.ts";
import { queryOf } from "./brush-address.ts";
import { withBrushes } from "./brushes.ts";

/** Rows with a value for each of the fields. */
export interface Values extends Pick<TableReply, "rows" | "behind"> {
  fields: readonly string[];
  /** Set where these are only the first experiments found without brushes. */
  cut: Cut | undefined;
}

/**
 * The values of everything that the query finds without its brushes, up to the rows of one read:
 * so the axes keep their length, and a brush can be widened again.
 */
export function useValues(
  service: Service,
  compared: Compared,
  asked: Selection,
  fields: readonly string[],
  brushed: readonly string[],
): Followed<Values> {
  const unbrushed = new Map(brushed.map((field) => [field, undefined] as const));
  const query = withBrushes(queryOf(asked), unbrushed);
  const body: TableBody = {
    ...questionOf(asked),
    query,
    columns: [...fields],
    limit: limits.tableRowsMax,
  };
  return useFollowed(compared, JSON.stringify(body), async (question, stopped) => {
    const wanted = JSON.parse(question) as TableBody;
    const { rows, total, behind } = await service.client.views.experiments(wanted, stopped);
    const cut = total > rows.length ? { shown: rows.length, of: total } : undefined;
    return { behind, fields: wanted.columns!, rows, cut };
  });
}
