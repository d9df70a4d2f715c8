import type { NoteBody, NoteReply } from "@lossless/protocol";
import type { Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { addAnnotation } from "./annotate.ts";
import { requireExperiment } from "./identity.ts";

export interface NoteOnExperiment {
  organizationId: string;
  body: NoteBody;
  /** E-mail of the person; null where a program has written it. */
  author: string | null;
}

/**
 * Adds an annotation by a person: its meta has the author and the place, and a repeat adds nothing.
 */
export async function noteOnExperiment(
  transaction: Transaction,
  { organizationId, body, author }: NoteOnExperiment,
  context: Counting,
): Promise<NoteReply> {
  const { messageId, annotation, step } = body;
  const experimentId = await requireExperiment(transaction, organizationId, {
    experimentId: body.experimentId,
  });
  const metaText = JSON.stringify({
    ...(step !== undefined && { step }),
    ...(author !== null && { author }),
  });
  // Serializes the notes of one experiment, also across nodes.
  await transaction.get(
    `SELECT revision FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  const before = await transaction.get<StoredNote>(
    `SELECT id, text, meta, created_at_ms FROM annotation
     WHERE experiment = $1 AND message_id = $2`,
    experimentId,
    messageId,
  );
  if (before === undefined) {
    const added = { organizationId, experimentId, annotation, metaText, messageId };
    return { ...(await addAnnotation(transaction, added, context)), deduplicated: false };
  }
  const { id: annotationId, text, meta, created_at_ms: createdAtMs } = before;
  if (text === annotation && meta === metaText) {
    return { experimentId, annotationId, createdAtMs, deduplicated: true };
  }
  const sentence =
    "An annotation with this messageId and another text, step or author is already stored; the first one stays.";
  throw new ServiceError("conflict", sentence);
}

interface StoredNote {
  id: string;
  text: string;
  meta: string;
  created_at_ms: number;
}
