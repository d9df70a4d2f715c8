import type { ChangedExperiment } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import type { RevisionContext } from "../series/revisions.ts";

export interface ReadStates {
  organizationId: string;
  experimentIds: string[];
}

/** What those that wait for changes compare, at one moment. */
export interface States {
  /** Without the ids that the organization has none of. */
  experiments: ChangedExperiment[];
  /** How many experiments it has: none is ever deleted, so this counts those that were opened. */
  opened: number;
}

/** `views.states`: what is known of these experiments without looking at a point. */
export async function readStates(
  reader: Reader,
  { organizationId, experimentIds }: ReadStates,
  { revisionJump }: Pick<RevisionContext, "revisionJump">,
): Promise<States> {
  const experiments = await reader.all<ChangedExperiment>(
    `SELECT experiment.id AS "experimentId", head.revision + ${revisionJump} AS revision, head.points,
       experiment.status, experiment.status_at_ms AS "statusAtMs",
       experiment.updated_at_ms AS "updatedAtMs", head.appended_at_ms AS "appendedAtMs"
     FROM experiment JOIN head ON head.experiment = experiment.id
     WHERE experiment.organization = $1 AND ${reader.isOneOf("experiment.id", "$2")}`,
    organizationId,
    JSON.stringify(experimentIds),
  );
  const [counted] = await countOpened(reader, [organizationId]);
  return { experiments, opened: counted?.value ?? 0 };
}

export interface LookForChanges {
  experimentIds: string[];
  organizationIds: string[];
}

/** A number that is another one when something has changed. */
export interface Mark {
  id: string;
  value: number;
}

/**
 * `views.marks`: whether another node changed anything that somebody waits for here. The ids are
 * those that `views.states` found in an organization.
 */
export async function readMarks(
  reader: Reader,
  { experimentIds, organizationIds }: LookForChanges,
  { revisionJump }: Pick<RevisionContext, "revisionJump">,
): Promise<{ revisions: Mark[]; opened: Mark[] }> {
  const revisions = await reader.all<Mark>(
    `SELECT experiment AS id, revision + ${revisionJump} AS value FROM head
     WHERE ${reader.isOneOf("experiment", "$1")}`,
    JSON.stringify(experimentIds),
  );
  return { revisions, opened: await countOpened(reader, organizationIds) };
}

function countOpened(reader: Reader, organizationIds: string[]): Promise<Mark[]> {
  if (organizationIds.length === 0) return Promise.resolve([]);
  return reader.all<Mark>(
    `SELECT organization AS id, sum(experiments) AS value FROM stored_amount
     WHERE ${reader.isOneOf("organization", "$1")} GROUP BY organization`,
    JSON.stringify(organizationIds),
  );
}
