import type { ChangedExperiment } from "@lossless/protocol";
import {
  livenessColumns,
  livenessJoin,
  type LivenessRow,
  withLiveness,
} from "../attempts/liveness.ts";
import type { Reader } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import type { RevisionContext } from "../experiments/series/revisions.ts";

export interface ReadStates {
  organizationId: string;
  experimentIds: string[];
}

/** The states that waiting requests compare, at one moment. */
export interface States {
  /** Without the ids that the organization has none of. */
  experiments: ChangedExperiment[];
  /** Grows by one with each experiment that is opened first, deleted, or restored. */
  opened: number;
}

/** `views.states`: returns the states of these experiments without reading a point. */
export async function readStates(
  reader: Reader,
  { organizationId, experimentIds }: ReadStates,
  { revisionJump, nowMs }: Pick<RevisionContext, "revisionJump"> & Moment,
): Promise<States> {
  const live = Object.entries(livenessColumns).map(([name, sql]) => `${sql} AS "${name}"`);
  const rows = await reader.all<Omit<ChangedExperiment, "liveness"> & LivenessRow>(
    `SELECT experiment.id AS "experimentId", head.revision + head.told_revision + ${revisionJump} AS revision,
       head.points,
       summarized.metrics_version AS "seriesVersion", summarized.meta_version AS "metaVersion",
       experiment.status, experiment.status_at_ms AS "statusAtMs",
       experiment.updated_at_ms AS "updatedAtMs", head.appended_at_ms AS "appendedAtMs",
       ${live.join(", ")}
     FROM experiment JOIN head ON head.experiment = experiment.id
     JOIN summarized ON summarized.experiment = experiment.id
     ${livenessJoin("experiment.id")}
     WHERE experiment.organization = $1 AND experiment.trashed_at_ms IS NULL
       AND ${reader.isOneOf("experiment.id", "$2")}`,
    organizationId,
    JSON.stringify(experimentIds),
  );
  const experiments = rows.map((row) => withLiveness(row, nowMs));
  const [counted] = await countOpened(reader, [organizationId]);
  return { experiments, opened: counted?.value ?? 0 };
}

export interface LookForChanges {
  experimentIds: string[];
  organizationIds: string[];
}

/** A number that differs when something has changed. */
export interface Mark {
  id: string;
  value: number;
}

/**
 * `views.marks`: tells whether another node changed anything that a request waits for here. The ids
 * are those that `views.states` found in an organization.
 */
export async function readMarks(
  reader: Reader,
  { experimentIds, organizationIds }: LookForChanges,
  { revisionJump }: Pick<RevisionContext, "revisionJump">,
): Promise<{ revisions: Mark[]; opened: Mark[] }> {
  const revisions = await reader.all<Mark>(
    `SELECT experiment AS id, revision + told_revision + ${revisionJump} AS value FROM head
     WHERE ${reader.isOneOf("experiment", "$1")}`,
    JSON.stringify(experimentIds),
  );
  return { revisions, opened: await countOpened(reader, organizationIds) };
}

/**
 * Counts the experiments opened. A deleted experiment leaves the first number, and deletions count
 * twice in the second: so the sum grows with each.
 */
function countOpened(reader: Reader, organizationIds: string[]): Promise<Mark[]> {
  if (organizationIds.length === 0) return Promise.resolve([]);
  return reader.all<Mark>(
    `SELECT stored_amount.organization AS id,
       CAST(sum(experiments) + 2 * coalesce(max(organization_trash.deleted), 0) AS BIGINT) AS value
     FROM stored_amount
     LEFT JOIN organization_trash ON organization_trash.organization = stored_amount.organization
     WHERE ${reader.isOneOf("stored_amount.organization", "$1")} GROUP BY stored_amount.organization`,
    JSON.stringify(organizationIds),
  );
}
