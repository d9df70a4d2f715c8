import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { CloudIdentifiers, CloudName } from "../connections/connection.ts";
import { findConnection } from "../connections/stored-connection.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { insertLocation, readLocations, type StoredLocation } from "./location.ts";
import { makeFallback } from "./update.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

/**
 * An S3-compatible store that was probed. The id is set already, because the secret is sealed for
 * it.
 */
export type NewLocation = Pick<
  StoredLocation,
  "id" | "organizationId" | "name" | "cloud" | "region" | "endpoint" | "bucket" | "path"
> & {
  signingRegion: string;
  pathStyle: boolean;
  accessKeyId: string;
  sealedSecret: Uint8Array;
  capabilities: StoredLocation["capabilities"];
  /** Whether it becomes the fallback; else the fallback stays, also when there is none (A52). */
  fallback: boolean;
};

/** A bucket that the service made and probed in a connected cloud; no secret is stored for it. */
export type CreatedLocation = Pick<
  StoredLocation,
  "id" | "organizationId" | "name" | "cloud" | "region" | "endpoint" | "bucket" | "path"
> & {
  driver: CloudName;
  connection: string;
  /** The region as the cloud calls it. */
  signingRegion: string;
  pathStyle: boolean;
  capabilities: StoredLocation["capabilities"];
};

export interface AddedLocation {
  location: NewLocation | CreatedLocation;
  /** Identifiers of the connection that made the bucket: the service reaches it with no other. */
  identifiers?: CloudIdentifiers;
  by: Actor;
}

/**
 * `location.add`, for a person who is an admin still now that the probe is over. A new location is
 * not the default of its cloud: that is designated, by PATCH.
 */
export async function addLocation(
  transaction: Transaction,
  { location, identifiers, by }: AddedLocation,
  moment: Moment,
): Promise<StoredLocation> {
  const { id, organizationId } = location;
  await lockOrganization(transaction, organizationId);
  await requireRole(transaction, organizationId, by.actor, "admin");
  const existing = await readLocations(transaction, organizationId);
  requireNewBucket(existing, location);
  if (existing.length >= limits.locationsPerOrganizationMax) throw tooManyLocations();
  if ("connection" in location) await requireActive(transaction, location, identifiers);
  const stored = "connection" in location ? createdRow(location, moment) : newRow(location, moment);
  if (!(await insertLocation(transaction, stored))) throw sameBucket();
  const { name, cloud, region, endpoint, bucket, path } = location;
  const shown = { name, cloud, region, endpoint, bucket, path };
  const details = "connection" in location ? { ...shown, connection: location.connection } : shown;
  await audit(
    transaction,
    { ...by, organizationId, action: "location.added", subject: id, details },
    moment,
  );
  if (!("fallback" in location && location.fallback)) return stored;
  await makeFallback(transaction, stored, by, moment);
  return { ...stored, isFallback: true };
}

/** Throws `conflict` if a location, even retired, has the same endpoint, bucket and path (A57). */
export function requireNewBucket(
  existing: readonly StoredLocation[],
  shown: Pick<StoredLocation, "endpoint" | "bucket" | "path">,
): void {
  if (existing.some((one) => isSameBucket(one, shown))) throw sameBucket();
}

export function isSameBucket(
  one: Pick<StoredLocation, "endpoint" | "bucket" | "path">,
  other: Pick<StoredLocation, "endpoint" | "bucket" | "path">,
): boolean {
  return one.endpoint === other.endpoint && one.bucket === other.bucket && one.path === other.path;
}

export function newRow(
  { fallback: _fallback, ...location }: NewLocation,
  { nowMs }: Moment,
): StoredLocation {
  return {
    ...location,
    driver: "s3",
    connection: null,
    access: null,
    isFallback: false,
    isDefault: false,
    state: "active",
    createdAtMs: nowMs,
  };
}

function createdRow(location: CreatedLocation, { nowMs }: Moment): StoredLocation {
  return {
    ...location,
    access: null,
    accessKeyId: null,
    sealedSecret: null,
    isFallback: false,
    isDefault: false,
    state: "active",
    createdAtMs: nowMs,
  };
}

/** The bucket was made outside any transaction. Removers of the connection lock the same row. */
async function requireActive(
  transaction: Transaction,
  { organizationId, connection: id }: CreatedLocation,
  identifiers: CloudIdentifiers | undefined,
): Promise<void> {
  const found = await findConnection(transaction, { organizationId, id });
  const isActive = found?.state === "active";
  const isSame =
    identifiers === undefined || JSON.stringify(found?.identifiers) === JSON.stringify(identifiers);
  if (isActive && isSame) return;
  const what = isActive ? "got other identifiers" : "was removed";
  throw new ServiceError(
    "conflict",
    `The connection ${what} while its bucket was made; the bucket is removed again.`,
  );
}

export function tooManyLocations(): ServiceError {
  return new ServiceError(
    "conflict",
    `An organization has at most ${limits.locationsPerOrganizationMax} locations, retired ones among them.`,
  );
}

function sameBucket(): ServiceError {
  return new ServiceError(
    "conflict",
    "A location of this organization, perhaps a retired one, has the same endpoint, bucket and path.",
  );
}
