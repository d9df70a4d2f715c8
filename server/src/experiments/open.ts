import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Transaction } from "../database/database.ts";
import type { WithMetaText } from "../ground/meta-text.ts";
import { ServiceError } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import type { Erranding } from "../database/errands.ts";
import { createOrTouchHead } from "./head.ts";
import { issueToken } from "./token.ts";

export interface OpenExperiment {
  organizationId: string;
  data: WithMetaText<RequestData<"svc.v2.experiment.open">>;
}

/**
 * `experiment.open`: makes a running experiment at the root for a new slug; a known one keeps its
 * status, folder, times and tokens, and gets a new description and meta (M28, M29). Two nodes that
 * open one new slug get the same experiment (M30): the second insert waits for the first and does
 * nothing. Who says what they have seen replaces no other texts.
 */
export async function openExperiment(
  transaction: Transaction,
  { organizationId, data: { slug, description, meta, seenUpdatedAtMs } }: OpenExperiment,
  context: Counting & Erranding,
): Promise<ReplyData<"svc.v2.experiment.open">> {
  const { nowMs, errands } = context;
  const texts = { organizationId, slug, description, metaText: meta };
  const inserted = await insertExperiment(transaction, texts, context);
  if (inserted !== undefined && typeof seenUpdatedAtMs === "number") throw changed({});
  const experimentId =
    inserted ?? (await replaceTexts(transaction, { ...texts, seenUpdatedAtMs }, context));
  await createOrTouchHead(transaction, experimentId, nowMs);
  if (inserted !== undefined) await errands?.leave(experimentId, "open", { organizationId });
  else errands?.owed.add(experimentId);
  return issueToken(transaction, { organizationId, experimentId, predecessor: null }, nowMs);
}

export interface NewExperiment {
  /** Id chosen before, where the slug is the id. */
  id?: string;
  folderId?: string | null;
  organizationId: string;
  slug: string;
  description: string;
  metaText: string;
}

/** Undefined when the slug is taken. Its head is still to be made. */
export async function insertExperiment(
  transaction: Transaction,
  { id: chosen, folderId = null, organizationId, slug, description, metaText }: NewExperiment,
  { nowMs, ledger, errands }: Counting & Erranding,
): Promise<string | undefined> {
  const id = chosen ?? newId(nowMs);
  const inserted = await transaction.run(
    `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms,
       updated_at_ms, status_at_ms, folder, server)
     VALUES ($1, $2, $3, $4, $5, 'running', $6, $6, $6, $7, $8)
     ON CONFLICT (organization, slug) DO NOTHING`,
    id,
    organizationId,
    slug,
    description,
    metaText,
    nowMs,
    folderId,
    errands?.choose() ?? 0,
  );
  if (inserted === 0) return undefined;
  const bytes = rowBytes + textBytes(slug, description, metaText);
  await ledger.charge(organizationId, { experiments: 1, bytes });
  return id;
}

function changed(details: { experimentId?: string }): ServiceError {
  const sentence =
    "The experiment is not as it was seen: it was made, changed or deleted since. Nothing was changed; read it again.";
  return new ServiceError("experiment_changed", sentence, details);
}

interface StoredTexts {
  id: string;
  bytes: number;
  updated_at_ms: number;
  trashed_at_ms: number | null;
  purged_at_ms: number | null;
}

/**
 * The error for the slug of a deleted experiment, which stays taken: a writer that still records
 * would mix two runs.
 */
function slugDeleted({ id, purged_at_ms: purgedAtMs }: StoredTexts): ServiceError {
  const sentence =
    purgedAtMs === null
      ? "The experiment with this slug is in the trash. Restore it, or record under another slug."
      : "The experiment with this slug was deleted. Record under another slug, or have an admin free this one.";
  return new ServiceError("experiment_deleted", sentence, { experimentId: id });
}

async function replaceTexts(
  transaction: Transaction,
  {
    organizationId,
    slug,
    description,
    metaText,
    seenUpdatedAtMs,
  }: NewExperiment & { seenUpdatedAtMs: number | null | undefined },
  { nowMs, ledger }: Counting,
): Promise<string> {
  const before = await transaction.get<StoredTexts>(
    `SELECT id, octet_length(description) + octet_length(meta) AS bytes, updated_at_ms,
       trashed_at_ms, purged_at_ms
     FROM experiment
     WHERE organization = $1 AND slug = $2${transaction.forUpdate}`,
    organizationId,
    slug,
  );
  if (before === undefined) throw new Error("BUG: a slug is taken by no experiment");
  if (before.trashed_at_ms !== null) throw slugDeleted(before);
  if (seenUpdatedAtMs !== undefined && seenUpdatedAtMs !== before.updated_at_ms)
    throw changed({ experimentId: before.id });
  await ledger.charge(organizationId, { bytes: textBytes(description, metaText) - before.bytes });
  await transaction.run(
    `UPDATE summarized SET meta_version = meta_version + 1
     WHERE experiment = $1 AND EXISTS (SELECT 1 FROM experiment WHERE id = $1 AND meta <> $2)`,
    before.id,
    metaText,
  );
  await transaction.run(
    "UPDATE experiment SET description = $2, meta = $3, updated_at_ms = $4 WHERE id = $1",
    before.id,
    description,
    metaText,
    // Who has seen a time has seen the texts as of then.
    Math.max(nowMs, before.updated_at_ms + 1),
  );
  return before.id;
}
