import type { Reader } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";

/** An experiment by one of two fields; exactly one is present, as the schema has checked (M58). */
export interface Identity {
  experimentId?: string;
  experimentSlug?: string;
}

/**
 * Returns the id of the organization's experiment, or undefined; one of another organization is as
 * absent as none.
 */
export async function findExperiment(
  reader: Reader,
  organizationId: string,
  { experimentId, experimentSlug }: Identity,
): Promise<string | undefined> {
  const row = await reader.get<{ id: string }>(
    `SELECT id FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL
       AND ${experimentId === undefined ? "slug" : "id"} = $2`,
    organizationId,
    experimentId ?? experimentSlug ?? missingIdentity(),
  );
  return row?.id;
}

export async function requireExperiment(
  reader: Reader,
  organizationId: string,
  identity: Identity,
): Promise<string> {
  const id = await findExperiment(reader, organizationId, identity);
  if (id === undefined) throw experimentNotFound(identity);
  return id;
}

/** Returns those of the ids that are experiments of the organization, each once, in their order. */
export async function presentExperiments(
  reader: Reader,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(ids),
  );
  const present = new Set(rows.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => present.has(id));
}

export function experimentNotFound({ experimentId, experimentSlug }: Identity): ServiceError {
  return experimentId === undefined
    ? new ServiceError("experiment_not_found", "There is no experiment with this slug.", {
        experimentSlug,
      })
    : new ServiceError("experiment_not_found", "There is no experiment with this id.", {
        experimentId,
      });
}

function missingIdentity(): never {
  throw new Error("BUG: neither experimentId nor experimentSlug");
}
