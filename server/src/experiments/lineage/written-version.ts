import type { Transaction } from "../../database/database.ts";
import { directions } from "./links.ts";
import { type NamedVersion, subjectOf } from "./subject.ts";

/** The kind of the annotations by which clients say that they saved a version. */
const savedKind = "artifact";

/** Returns the version that an annotation of a client says was saved. */
function savedVersionOf(metaText: string): NamedVersion | undefined {
  if (!/"artifact"|\\u/.test(metaText)) return undefined;
  const { kind, artifact, version } = JSON.parse(metaText) as Record<string, unknown>;
  if (kind !== savedKind || typeof artifact !== "string" || typeof version !== "string")
    return undefined;
  return /\0/.test(artifact + version) || !(artifact + version).isWellFormed()
    ? undefined
    : { artifact, version };
}

/**
 * Links an experiment to a version that an annotation says it saved, if the version's meta names
 * the experiment. That was done when the version was committed, unless the experiment was not
 * there yet: clients save at once, and open the experiment when they come to it.
 */
export async function addSavedVersion(
  transaction: Transaction,
  experimentId: string,
  metaText: string,
): Promise<void> {
  const saved = savedVersionOf(metaText);
  if (saved === undefined) return;
  const row = await transaction.get<{
    organization: string;
    slug: string;
    id: string;
    meta: string;
    atMs: number;
  }>(
    `SELECT experiment.organization, experiment.slug, artifact.id, version.meta,
       version.committed_at_ms AS "atMs"
     FROM experiment JOIN artifact ON artifact.organization = experiment.organization AND artifact.path = $2
     JOIN version ON version.artifact = artifact.id AND version.name = $3 WHERE experiment.id = $1`,
    experimentId,
    saved.artifact,
    saved.version,
  );
  if (row === undefined) return;
  const meta = JSON.parse(row.meta) as { experiment?: unknown; step?: unknown };
  if (meta.experiment !== row.slug) return;
  const step = Number.isSafeInteger(meta.step) ? Number(meta.step) : null;
  await transaction.run(
    `INSERT INTO version_experiment (organization, experiment, artifact, version, step)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    row.organization,
    experimentId,
    row.id,
    saved.version,
    step,
  );
  await transaction.run(
    `INSERT INTO lineage (experiment, direction, subject, role, organization, named, step, at_ms)
     VALUES ($1, ${directions.wrote}, $2, '', $3, '', $4, $5) ON CONFLICT DO NOTHING`,
    experimentId,
    subjectOf(saved),
    row.organization,
    step,
    row.atMs,
  );
}
