import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { isSameBucket, type NewLocation, newRow } from "./add.ts";
import { findLocation, insertLocation, readLocations, type StoredLocation } from "./location.ts";
import { makeFallback, rename } from "./update.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

/** A location of the provision file, compared with the stored one. */
export type ProvisionedLocation = NewLocation & { isNew: boolean };

const by: Actor = { actor: "provision", address: null };

/**
 * `location.provision`: stores new and changed locations of the file. Nothing is retired or
 * deleted, and a retired location stays so. Returns `conflict` when another node was faster: the
 * file has to be compared again.
 */
export async function provisionLocations(
  transaction: Transaction,
  { organizationId, locations }: { organizationId: string; locations: ProvisionedLocation[] },
  moment: Moment,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  for (const { isNew, ...location } of locations) {
    if (isNew) await insertNew(transaction, location, moment);
    else await applyChange(transaction, location, moment);
    const stored = await findLocation(transaction, organizationId, location.id);
    const moves = location.fallback && stored?.isFallback === false && stored.state === "active";
    if (moves) await makeFallback(transaction, location, by, moment);
  }
}

async function insertNew(
  transaction: Transaction,
  location: NewLocation,
  moment: Moment,
): Promise<void> {
  if (!(await insertLocation(transaction, newRow(location, moment)))) throw wasFaster();
  const { id, organizationId, name, cloud, region, endpoint, bucket, path } = location;
  const details = { name, cloud, region, endpoint, bucket, path };
  await audit(
    transaction,
    { ...by, organizationId, action: "location.added", subject: id, details },
    moment,
  );
}

async function applyChange(
  transaction: Transaction,
  location: NewLocation,
  moment: Moment,
): Promise<void> {
  const { id, organizationId } = location;
  const stored = await readLocations(transaction, organizationId);
  const found = stored.find((one) => one.id === id);
  const isTaken = stored.some((one) => one.id !== id && isSameBucket(one, location));
  if (found === undefined || isTaken) throw wasFaster();
  if (found.name !== location.name) {
    await rename(transaction, found, location.name, by, moment);
  }
  await moveOutOfDefault(transaction, found, location);
  await transaction.run(
    `UPDATE location SET cloud = $2, region = $3, endpoint = $4, signing_region = $5, path_style = $6,
       access_key_id = $7, sealed_secret = $8, capabilities = $9 WHERE id = $1`,
    id,
    location.cloud,
    location.region,
    location.endpoint,
    location.signingRegion,
    Number(location.pathStyle),
    location.accessKeyId,
    location.sealedSecret,
    JSON.stringify(location.capabilities),
  );
  const details = { access: hasOtherAccess(found, location), accessKeyId: location.accessKeyId };
  await audit(
    transaction,
    { ...by, organizationId, action: "location.provisioned", subject: id, details },
    moment,
  );
}

/** Removes the designation as default of a cloud to which the location no longer belongs. */
async function moveOutOfDefault(
  transaction: Transaction,
  found: StoredLocation,
  location: NewLocation,
): Promise<void> {
  if (!found.isDefault || found.cloud === location.cloud) return;
  await transaction.run("UPDATE location SET is_default = 0 WHERE id = $1", found.id);
}

function wasFaster(): ServiceError {
  return new ServiceError("conflict", "The locations have changed meanwhile.");
}

function hasOtherAccess(found: StoredLocation, { accessKeyId, sealedSecret }: NewLocation) {
  const before = Buffer.from(found.sealedSecret ?? []);
  return found.accessKeyId !== accessKeyId || !before.equals(sealedSecret);
}
