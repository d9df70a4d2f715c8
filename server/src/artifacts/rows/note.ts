import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { type ArtifactName, findArtifact, lockOrMakeArtifact } from "./artifact.ts";

export interface NoteName extends ArtifactName {
  note: string;
}

/** `note.write`: stores or replaces a note; the artifact needs no versions and no writer (A39). */
export async function writeNote(
  transaction: Transaction,
  { note, content, ...name }: NoteName & { content: Uint8Array },
  moment: Counting,
): Promise<void> {
  const { id } = await lockOrMakeArtifact(transaction, name, moment);
  const before = await transaction.get<{ bytes: number }>(
    "SELECT octet_length(content) AS bytes FROM note WHERE artifact = $1 AND name = $2",
    id,
    note,
  );
  const bytes = content.byteLength - (before?.bytes ?? -(rowBytes + textBytes(note)));
  await moment.ledger.charge(name.organizationId, { bytes });
  await transaction.run(
    `INSERT INTO note (artifact, name, content, changed_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (artifact, name) DO UPDATE SET content = excluded.content, changed_at_ms = excluded.changed_at_ms`,
    id,
    note,
    content,
    moment.nowMs,
  );
  const row = await transaction.get<{ notes: number }>(
    "SELECT count(*) AS notes FROM note WHERE artifact = $1",
    id,
  );
  // Thrown after the insert: the operation runs in an attempt, which undoes it.
  if (row !== undefined && row.notes > limits.notesPerArtifactMax) {
    const message = `An artifact has at most ${limits.notesPerArtifactMax} notes.`;
    throw new ServiceError("conflict", message);
  }
}

/** `note.read` */
export async function readNote(reader: Reader, { note, ...name }: NoteName): Promise<Uint8Array> {
  const artifact = await findArtifact(reader, name);
  const row =
    artifact === undefined
      ? undefined
      : await reader.get<{ content: Uint8Array }>(
          "SELECT content FROM note WHERE artifact = $1 AND name = $2",
          artifact.id,
          note,
        );
  if (row === undefined) throw new ServiceError("not_found", "The artifact has no such note.");
  return row.content;
}
