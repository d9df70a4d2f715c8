import type { RecordedUse } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { addAnnotation } from "../experiments/annotate.ts";
import { requireExperiment } from "../experiments/identity.ts";
import { findUse } from "../experiments/lineage/links.ts";
import { subjectOf } from "../experiments/lineage/subject.ts";
import { useKind } from "../experiments/lineage/used-version.ts";
import { ServiceError } from "../ground/errors.ts";
import { versionNamed } from "../artifacts/rows/aliases/named-version.ts";
import { type ArtifactName, findArtifact } from "../artifacts/rows/artifact.ts";

export interface RecordUse extends ArtifactName {
  experimentId: string;
  /** A name, `latest`, or an alias with its mark. */
  version: string;
  role: string;
  /** How the experiment asked for it, where `version` does not say so. */
  named?: string;
}

/**
 * `lineage.use`: records that an experiment used a version, as an annotation, like the clients that
 * record the experiment. A use that was recorded before adds nothing.
 */
export async function recordUse(
  transaction: Transaction,
  { organizationId, experimentId: id, artifact: path, version: wanted, role, ...asked }: RecordUse,
  context: Counting,
): Promise<RecordedUse & { experimentId: string }> {
  const name = { organizationId, artifact: path };
  const experimentId = await requireExperiment(transaction, organizationId, { experimentId: id });
  const artifact = await findArtifact(transaction, name);
  if (artifact === undefined) throw new ServiceError("not_found", "There is no such artifact.");
  const version = await versionNamed(transaction, name, artifact, wanted);
  const there = await transaction.get(
    "SELECT 1 FROM version WHERE artifact = $1 AND name = $2",
    artifact.id,
    version,
  );
  if (there === undefined) {
    throw new ServiceError("not_found", `The artifact has no version ${version}.`);
  }
  const used = { artifact: path, version };
  // A second request at once waits here, and then sees the row of the first one.
  await transaction.get(
    `SELECT revision FROM head WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  const before = await findUse(transaction, experimentId, { subject: subjectOf(used), role });
  // Pages that wait for changes of the experiment wake by its id.
  if (before !== undefined) return { ...used, experimentId, isNew: false };
  await requireRoom(transaction, experimentId);
  const named = asked.named ?? (wanted === version ? "" : wanted);
  const meta = {
    kind: useKind,
    ...used,
    ...(role === "" ? {} : { role }),
    ...(named === "" ? {} : { named }),
  };
  const added = { annotation: `used ${path} ${version}`, metaText: JSON.stringify(meta) };
  const whose = { organizationId, experimentId, messageId: null };
  await addAnnotation(transaction, { ...whose, ...added }, context);
  return { ...used, experimentId, isNew: true };
}

/** A use that is not indexed could not be told from a new one when it is sent again. */
async function requireRoom(reader: Reader, experimentId: string): Promise<void> {
  const full = await reader.get(
    `SELECT 1 FROM summarized WHERE experiment = $1 AND uses >= ${limits.usesPerExperimentMax}`,
    experimentId,
  );
  if (full === undefined) return;
  throw new ServiceError(
    "bad_request",
    `The lineage of the run has ${limits.usesPerExperimentMax} uses of versions, and no more.`,
  );
}
