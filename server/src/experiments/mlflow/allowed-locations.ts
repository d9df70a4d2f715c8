import type { MlflowLocations } from "@lossless/protocol";
import { isDeleted, lockOrganization } from "../../database/access/organization-lock.ts";
import { requireRole } from "../../database/access/role.ts";
import { type Actor, audit } from "../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";

/**
 * Throws unless the organization allows experiments to keep their files there. MLflow's clients
 * access a location with their own rights: the caller that sets one decides where others write.
 */
export async function requireAllowed(
  reader: Reader,
  organizationId: string,
  location: string,
): Promise<void> {
  const { allowed } = await readAllowedLocations(reader, { organizationId });
  if (isWithin(location, allowed)) return;
  throw new ServiceError(
    "bad_request",
    `artifact_location: the organization does not allow '${location}'. Leave it out, and Lossless keeps the files; or ` +
      "ask an admin to allow it (PUT /api/v1/mlflow-locations, or mlflowLocations of the provision file).",
  );
}

/** Whether one of the beginnings ends where a word of the location does. */
export function isWithin(location: string, allowed: readonly string[]): boolean {
  if (/(?:^|\/)\.{1,2}(?:\/|$)|[\\%]/.test(location)) return false;
  return allowed.some((beginning) => {
    if (!location.startsWith(beginning)) return false;
    const next = location[beginning.length];
    return next === undefined || next === "/" || beginning.endsWith("/");
  });
}

/** `run.allowedLocations` */
export async function readAllowedLocations(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<MlflowLocations> {
  const row = await reader.get<{ locations: string | null }>(
    "SELECT mlflow_locations AS locations FROM organization WHERE id = $1",
    organizationId,
  );
  return { allowed: JSON.parse(row?.locations ?? "[]") as string[] };
}

interface Change {
  organizationId: string;
  allowed: readonly string[];
}

/** `run.allowLocations`. It needs the role admin. */
export async function allowLocations(
  transaction: Transaction,
  { by, ...change }: Change & { by: Actor },
  moment: Moment,
): Promise<MlflowLocations> {
  await requireRole(transaction, change.organizationId, by.actor, "admin");
  return replace(transaction, { ...change, by }, moment);
}

/** `run.provisionLocations`: applies the file at every start; applying it again changes nothing. */
export async function provisionAllowedLocations(
  transaction: Transaction,
  change: Change,
  moment: Moment,
): Promise<void> {
  await lockOrganization(transaction, change.organizationId);
  if (await isDeleted(transaction, change.organizationId)) return;
  const { allowed } = await readAllowedLocations(transaction, change);
  if (JSON.stringify(allowed) === JSON.stringify(change.allowed)) return;
  await replace(transaction, { ...change, by: { actor: "provision", address: null } }, moment);
}

async function replace(
  transaction: Transaction,
  { organizationId, allowed, by }: Change & { by: Actor },
  moment: Moment,
): Promise<MlflowLocations> {
  await transaction.run(
    "UPDATE organization SET mlflow_locations = $2 WHERE id = $1",
    organizationId,
    JSON.stringify(allowed),
  );
  const details = { allowed: allowed.join(" ") };
  await audit(
    transaction,
    { ...by, organizationId, action: "mlflowLocations.set", details },
    moment,
  );
  return { allowed: [...allowed] };
}
