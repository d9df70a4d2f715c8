import type { Transaction } from "../../database/database.ts";

interface WrittenVersion {
  organizationId: string;
  artifactId: string;
  version: string;
  /** JSON, as it is stored. */
  meta: string;
}

/**
 * Records which experiment wrote a version: the one whose slug the version's meta has as
 * `experiment`, at its `step`, as the clients of this project write them.
 */
export async function noteExperiment(
  transaction: Transaction,
  { organizationId, artifactId, version, meta }: WrittenVersion,
): Promise<void> {
  const { experiment, step } = JSON.parse(meta) as { experiment?: unknown; step?: unknown };
  if (typeof experiment !== "string" || experiment.includes("\0")) return;
  await transaction.run(
    `INSERT INTO version_experiment (organization, experiment, artifact, version, step)
     SELECT organization, id, $3, $4, $5 FROM experiment
     WHERE organization = $1 AND slug = $2 AND trashed_at_ms IS NULL
     ON CONFLICT DO NOTHING`,
    organizationId,
    experiment,
    artifactId,
    version,
    Number.isSafeInteger(step) ? Number(step) : null,
  );
  // In the lineage, where 1 means that it was written, it stays when the version is deleted.
  await transaction.run(
    `INSERT INTO lineage (experiment, direction, subject, role, organization, named, step, at_ms)
     SELECT written.experiment, 1, artifact.path || '@' || version.name, '', $1, '', written.step,
       version.committed_at_ms
     FROM version_experiment AS written JOIN artifact ON artifact.id = written.artifact
     JOIN version ON version.artifact = written.artifact AND version.name = written.version
     WHERE written.organization = $1 AND written.artifact = $2 AND written.version = $3
     ON CONFLICT DO NOTHING`,
    organizationId,
    artifactId,
    version,
  );
}

/** Versions that one transaction looks through. */
const versionsPerStep = 50;
const cursorName = "unindexed_versions";

/**
 * `versions.noteExperiments`: does the same for some of the versions that were there before this
 * was remembered.
 */
export async function noteExperiments(transaction: Transaction): Promise<{ more: boolean }> {
  const cursor = await transaction.get<{ value: string }>(
    `SELECT value FROM installation WHERE name = $1${transaction.forUpdate}`,
    cursorName,
  );
  if (cursor === undefined) return { more: false };
  const [afterArtifact, afterVersion] = cursor.value === "" ? ["", ""] : cursor.value.split("\n");
  const rows = await transaction.all<WrittenVersion>(
    `SELECT artifact.organization AS "organizationId", artifact.id AS "artifactId",
       version.name AS version, version.meta
     FROM version JOIN artifact ON artifact.id = version.artifact
     WHERE (version.artifact, version.name) > ($1, $2)
     ORDER BY version.artifact, version.name LIMIT ${versionsPerStep}`,
    afterArtifact,
    afterVersion,
  );
  for (const row of rows) await noteExperiment(transaction, row);
  const last = rows.at(-1);
  const more = rows.length === versionsPerStep;
  if (more) {
    await transaction.run(
      "UPDATE installation SET value = $2 WHERE name = $1",
      cursorName,
      `${last!.artifactId}\n${last!.version}`,
    );
  } else await transaction.run("DELETE FROM installation WHERE name = $1", cursorName);
  return { more };
}
