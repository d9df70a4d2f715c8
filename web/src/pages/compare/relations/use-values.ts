import type { TableBody, TableReply } from "@lossless/protocol";
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
 * The values of the compared experiments, and of those excluded by brushes only: so the axes keep
 * their length, and a brush can be widened again.
 */
export function useValues(
  service: Service,
  compared: Compared,
  asked: Selection,
  fields: readonly string[],
  brushed: readonly string[],
): Followed<Values> {
  const ids = compared.experiments.map(({ experimentId }) => experimentId);
  const columns = [...fields];
  const asks: TableBody[] = [{ ...questionOf({ kind: "ids", ids }), columns }];
  if (brushed.length > 0) {
    const query = withBrushes(
      queryOf(asked),
      new Map(brushed.map((field) => [field, undefined] as const)),
    );
    asks.push({ ...questionOf(asked), query, columns });
  }
  return useFollowed(compared, JSON.stringify(asks), async (question, stopped) => {
    const bodies = JSON.parse(question) as TableBody[];
    const replies = await Promise.all(
      bodies.map((body) => service.client.views.experiments(body, stopped)),
    );
    const [first] = replies;
    const { rows: found, total } = replies.at(-1)!;
    const cut = total > found.length ? { shown: found.length, of: total } : compared.cut;
    const rows = new Map(
      replies.flatMap((reply) => reply.rows.map((row) => [row.experimentId, row] as const)),
    );
    const { behind } = first;
    return { behind, fields: bodies[0].columns!, rows: [...rows.values()], cut };
  });
}
