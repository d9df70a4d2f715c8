import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Transaction } from "../database/database.ts";
import { printExact } from "../exact-json.ts";
import { newId } from "../ids.ts";
import { createOrTouchHead } from "./head.ts";
import { issueToken } from "./token.ts";

export interface OpenExperiment {
  organizationId: string;
  data: RequestData<"svc.v2.experiment.open">;
}

/**
 * `experiment.open`. A new slug makes an experiment that is running and stands at the root; a known one keeps
 * its status, folder, times and tokens, and gets a new description and meta (M28, M29). One statement, so that
 * two nodes opening one new slug get the same experiment (M30).
 */
export async function openExperiment(
  transaction: Transaction,
  { organizationId, data: { slug, description, meta } }: OpenExperiment,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.open">> {
  const [row] = await transaction.all<{ id: string }>(
    `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms,
       updated_at_ms, status_at_ms)
     VALUES ($1, $2, $3, $4, $5, 'running', $6, $6, $6)
     ON CONFLICT (organization, slug) DO UPDATE SET description = excluded.description,
       meta = excluded.meta, updated_at_ms = excluded.updated_at_ms
     RETURNING id`,
    newId(nowMs),
    organizationId,
    slug,
    description,
    printExact(meta),
    nowMs,
  );
  await createOrTouchHead(transaction, row.id, nowMs);
  return issueToken(
    transaction,
    { organizationId, experimentId: row.id, predecessor: null },
    nowMs,
  );
}
