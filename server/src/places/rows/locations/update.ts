import type { UpdateLocationBody } from "@lossless/protocol";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit, type AuditEntry } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { findLocation, type StoredLocation } from "./location.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

/**
 * `location.update`: applies the whole request or nothing, by a person who is an admin at this
 * moment. A location that is retired, now or by this request, can be neither fallback nor default
 * (A54); the fallback cannot be retired; a retired default stops being one (A55). Values that are
 * already set are no change.
 */
export async function updateLocation(
  transaction: Transaction,
  input: { organizationId: string; id: string; change: UpdateLocationBody; by: Actor },
  moment: Moment,
): Promise<StoredLocation> {
  const { organizationId, id, change, by } = input;
  await lockOrganization(transaction, organizationId);
  await requireRole(transaction, organizationId, by.actor, "admin");
  const found = await findLocation(transaction, organizationId, id);
  if (found === undefined) throw new ServiceError("not_found", "There is no such location.");
  refuseClash(found, change);
  if (change.name !== undefined && change.name !== found.name) {
    await rename(transaction, found, change.name, by, moment);
  }
  if (change.fallback === true && !found.isFallback) {
    await makeFallback(transaction, found, by, moment);
  }
  if (change.default === true && !found.isDefault) {
    await makeDefault(transaction, found, by, moment);
  }
  if (change.state === "retired" && found.state !== "retired") {
    await retire(transaction, found, by, moment);
  }
  return (await findLocation(transaction, organizationId, id))!;
}

function refuseClash(found: StoredLocation, change: UpdateLocationBody): void {
  const isRetired = found.state === "retired" || change.state === "retired";
  if (isRetired && (change.fallback === true || change.default === true)) {
    throw new ServiceError(
      "conflict",
      "A retired location accepts no writes: it cannot be the fallback or the default of its cloud.",
    );
  }
  if (change.state === "retired" && found.isFallback) {
    throw new ServiceError(
      "conflict",
      "This location is the fallback. Make another one the fallback first, then retire it.",
    );
  }
}

/** Moves the fallback here; the organization's locations are locked. */
export async function makeFallback(
  transaction: Transaction,
  { id, organizationId }: Pick<StoredLocation, "id" | "organizationId">,
  by: Actor,
  moment: Moment,
): Promise<void> {
  const before = await transaction.get<{ id: string }>(
    "SELECT id FROM location WHERE organization = $1 AND is_fallback = 1",
    organizationId,
  );
  // One statement after the other: the index that allows one fallback sees each row change.
  await transaction.run(
    "UPDATE location SET is_fallback = 0 WHERE organization = $1 AND is_fallback = 1",
    organizationId,
  );
  await transaction.run("UPDATE location SET is_fallback = 1 WHERE id = $1", id);
  const entry = entryOf("location.fallbackMoved", { id, organizationId }, by);
  await audit(transaction, { ...entry, details: { from: before?.id ?? null } }, moment);
}

async function makeDefault(
  transaction: Transaction,
  location: StoredLocation,
  by: Actor,
  moment: Moment,
): Promise<void> {
  const { organizationId, cloud } = location;
  const before = await transaction.get<{ id: string }>(
    "SELECT id FROM location WHERE organization = $1 AND cloud = $2 AND is_default = 1",
    organizationId,
    cloud,
  );
  await transaction.run(
    "UPDATE location SET is_default = 0 WHERE organization = $1 AND cloud = $2 AND is_default = 1",
    organizationId,
    cloud,
  );
  await transaction.run("UPDATE location SET is_default = 1 WHERE id = $1", location.id);
  const details = { cloud, from: before?.id ?? null };
  await audit(transaction, { ...entryOf("location.defaultMoved", location, by), details }, moment);
}

async function retire(
  transaction: Transaction,
  location: StoredLocation,
  by: Actor,
  moment: Moment,
): Promise<void> {
  await transaction.run(
    "UPDATE location SET state = 'retired', is_default = 0 WHERE id = $1",
    location.id,
  );
  const details = { wasDefault: location.isDefault };
  await audit(transaction, { ...entryOf("location.retired", location, by), details }, moment);
}

export async function rename(
  transaction: Transaction,
  location: StoredLocation,
  name: string,
  by: Actor,
  moment: Moment,
): Promise<void> {
  await transaction.run("UPDATE location SET name = $2 WHERE id = $1", location.id, name);
  const details = { from: location.name, to: name };
  await audit(transaction, { ...entryOf("location.renamed", location, by), details }, moment);
}

function entryOf(
  action: string,
  { id, organizationId }: Pick<StoredLocation, "id" | "organizationId">,
  by: Actor,
): AuditEntry {
  return { ...by, organizationId, action, subject: id };
}
