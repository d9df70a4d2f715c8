import type { Place } from "@lossless/protocol";
import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { type ArtifactName, findArtifact, lockOrMakeArtifact } from "./artifact.ts";
import { abandonUpload } from "./removal.ts";
import { unfinished } from "./upload.ts";
import { findLatest, type StoredVersion } from "./version.ts";

export interface OpenArtifact extends ArtifactName {
  mode: "latest" | "new" | "fork";
  /** The artifact to fork from. */
  source: string | null;
  /** Location of the writer, as declared by it. */
  place: Pick<Place, "source">;
}

export interface OpenedArtifact {
  epoch: number;
  /**
   * The version that the writer continues: the latest one, or the source's; null for a new
   * artifact.
   */
  version: StoredVersion | null;
}

/**
 * `artifact.open`: gives the artifact to a new writer. A refused one changes nothing (A8): the
 * operation runs in an attempt. The addresses signed in the reply count as no read: most writers
 * never fetch them.
 */
export async function openArtifact(
  transaction: Transaction,
  { organizationId, artifact, mode, source, place }: OpenArtifact,
  moment: Counting,
): Promise<OpenedArtifact> {
  const name = { organizationId, artifact };
  const before = await findArtifact(transaction, name);
  if (mode === "latest" && (before?.latest ?? null) === null) throw noVersions(artifact);
  const { id, epoch, latest } = await lockOrMakeArtifact(transaction, name, moment);
  if (mode !== "latest" && latest !== null) {
    throw new ServiceError(
      "not_empty",
      `The artifact has versions, the latest is ${latest}; open it with the mode latest.`,
    );
  }
  const from = mode === "fork" ? source : mode === "latest" ? artifact : null;
  const version = from === null ? null : await latestOf(transaction, organizationId, from);
  await transaction.run(
    "UPDATE artifact SET epoch = $2, opened_at_ms = $3, opened_source = $4 WHERE id = $1",
    id,
    epoch + 1,
    moment.nowMs,
    place.source,
  );
  await abandonUnfinished(transaction, id, moment);
  return { epoch: epoch + 1, version };
}

async function latestOf(
  transaction: Transaction,
  organizationId: string,
  artifact: string,
): Promise<StoredVersion> {
  const version = await findLatest(transaction, { organizationId, artifact });
  if (version === undefined) throw noVersions(artifact);
  return version;
}

async function abandonUnfinished(
  transaction: Transaction,
  artifactId: string,
  moment: Counting,
): Promise<void> {
  const uploads = await transaction.all<{ id: string }>(
    `SELECT id FROM upload WHERE artifact = $1 AND state IN ${unfinished} ORDER BY id`,
    artifactId,
  );
  for (const { id } of uploads) await abandonUpload(transaction, id, "superseded", moment);
}

function noVersions(artifact: string): ServiceError {
  return new ServiceError("not_found", `The artifact ${JSON.stringify(artifact)} has no versions.`);
}
