import { fieldText } from "@lossless/protocol/query-field";
import type { DifferenceBody, DifferenceReply, TableBody } from "@lossless/protocol";
import type { Service } from "../../../signed-in.ts";
import { idQuery, questionOf } from "../compare-address.ts";
import type { MetricOrder } from "../difference/metric-view.ts";
import type { Compared } from "../use-compared.ts";
import { type Followed, useFollowed } from "../use-followed.ts";
import type { Sides } from "./sides.ts";

/** A reply with its question: it stays while the next one is read. */
type Answered<Reply> = Reply & { question: string };

export interface FollowedApart extends Followed<DifferenceReply> {
  /** Whether the reply is about these sides. */
  isCurrent: boolean;
}

/** Follows what distinguishes one side from the other. Neither side is empty. */
export function useApart({ client }: Service, compared: Compared, { a, b }: Sides): FollowedApart {
  const body: DifferenceBody = {
    experimentIds: [...a],
    ...(b !== undefined && { query: idQuery(b) }),
    apart: true,
    metricsMax: 0,
  };
  const asked = JSON.stringify(body);
  const followed = useFollowed<Answered<DifferenceReply>>(
    compared,
    asked,
    async (question, stopped) => {
      const wanted = JSON.parse(question) as DifferenceBody;
      return { ...(await client.views.difference(wanted, stopped)), question };
    },
  );
  return { ...followed, isCurrent: followed.reply?.question === asked };
}

interface Ranks {
  behind: number;
  values: ReadonlyMap<string, number>;
}

/** Follows the values by which the compared experiments are ranked. */
export function useRanks(
  { client }: Service,
  compared: Compared,
  { name, stat }: MetricOrder,
): Followed<Ranks> & { isCurrent: boolean } {
  const ids = compared.experiments.map(({ experimentId }) => experimentId);
  const columns = [fieldText({ kind: "metric", name, stat })];
  const asked = JSON.stringify({ ...questionOf({ kind: "ids", ids }), columns });
  const followed = useFollowed<Answered<Ranks>>(compared, asked, async (question, stopped) => {
    const reply = await client.views.experiments(JSON.parse(question) as TableBody, stopped);
    const values = new Map<string, number>();
    for (const {
      experimentId,
      values: [value],
    } of reply.rows)
      // A value that is not finite comes as its word.
      if (value !== null) values.set(experimentId, Number(value));
    return { behind: reply.behind, values, question };
  });
  return { ...followed, isCurrent: followed.reply?.question === asked };
}
