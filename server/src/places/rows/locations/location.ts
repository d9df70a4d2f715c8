import type { Location } from "@lossless/protocol";
import { accessOf, type CloudName, type ConnectionAccess } from "../connections/connection.ts";
import type { Reader, Transaction } from "../../../database/database.ts";

/** The bucket driver of a location. */
export type LocationDriver = "built-in" | "s3" | CloudName;

/** A location as the database has it; its secret is sealed. */
export interface StoredLocation {
  id: string;
  organizationId: string;
  driver: LocationDriver;
  name: string;
  cloud: string;
  region: string;
  /**
   * Endpoint of the store; empty at the built-in location, whose endpoint is the service's own
   * address.
   */
  endpoint: string;
  bucket: string;
  path: string;
  /** The connection; null unless the location was created by the service. */
  connection: string | null;
  /** The service's identity at the cloud; null without a connection, or with an incomplete one. */
  access: ConnectionAccess | null;
  signingRegion: string | null;
  pathStyle: boolean | null;
  accessKeyId: string | null;
  sealedSecret: Uint8Array | null;
  /** Findings of the probe; `{}` at the built-in location. */
  capabilities: Record<string, unknown>;
  isFallback: boolean;
  isDefault: boolean;
  state: "active" | "retired";
  createdAtMs: number;
}

/**
 * Inserts a location; false when the organization already has one of this endpoint, bucket and path
 * (A57).
 */
export async function insertLocation(
  transaction: Transaction,
  location: StoredLocation,
): Promise<boolean> {
  const inserted = await transaction.run(
    `INSERT INTO location (id, organization, driver, name, cloud, region, endpoint, bucket, path, connection,
       signing_region, path_style, access_key_id, sealed_secret, capabilities, is_fallback, is_default, state,
       created_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
     ON CONFLICT (organization, endpoint, bucket, path) DO NOTHING`,
    location.id,
    location.organizationId,
    location.driver,
    location.name,
    location.cloud,
    location.region,
    location.endpoint,
    location.bucket,
    location.path,
    location.connection,
    location.signingRegion,
    location.pathStyle === null ? null : Number(location.pathStyle),
    location.accessKeyId,
    location.sealedSecret,
    JSON.stringify(location.capabilities),
    Number(location.isFallback),
    Number(location.isDefault),
    location.state,
    location.createdAtMs,
  );
  return inserted > 0;
}

/** `location.list`: every location of the organization, oldest first, retired ones too. */
export function listLocations(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<StoredLocation[]> {
  return readLocations(reader, organizationId);
}

/** Reads all locations of the organization, oldest first, retired ones too. */
export async function readLocations(
  reader: Reader,
  organizationId: string,
): Promise<StoredLocation[]> {
  const rows = await reader.all<LocationRow>(
    `${selectLocation} WHERE location.organization = $1 ORDER BY location.created_at_ms, location.id`,
    organizationId,
  );
  return rows.map(locationOf);
}

export async function findLocation(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<StoredLocation | undefined> {
  const row = await reader.get<LocationRow>(
    `${selectLocation} WHERE location.organization = $1 AND location.id = $2`,
    organizationId,
    id,
  );
  return row === undefined ? undefined : locationOf(row);
}

/**
 * Whether the location's connection was removed: the service can read or remove nothing in its
 * bucket.
 */
export function isOutOfReach({ connection, access }: StoredLocation): boolean {
  return connection !== null && access === null;
}

/** Context of a sealed secret: it opens only in the row of this location (T63). */
export function locationSecretContext(of: { organizationId: string; id: string }): string {
  return `location ${of.organizationId} ${of.id}`;
}

/** The record of the interface. `baseUrl`: the service's own address, the built-in endpoint. */
export function locationRecord(stored: StoredLocation, baseUrl: string): Location {
  return {
    id: stored.id,
    name: stored.name,
    kind: stored.connection === null ? "s3" : "created",
    cloud: stored.cloud,
    region: stored.region,
    protocol: protocols[stored.driver],
    endpoint: stored.driver === "built-in" ? baseUrl : stored.endpoint,
    bucket: stored.bucket,
    path: stored.path,
    connection: stored.connection,
    fallback: stored.isFallback,
    default: stored.isDefault,
    state: stored.state,
    created: new Date(stored.createdAtMs).toISOString(),
  };
}

/** Protocols by which clients send parts; all of them are plain PUTs. */
const protocols: Record<LocationDriver, string> = {
  "built-in": "s3",
  s3: "s3",
  aws: "s3",
  gcp: "gcs",
  azure: "azure",
};

/** A row as SQL returns it: JSON and booleans differ from those of the record. */
interface LocationRow extends Omit<
  StoredLocation,
  "access" | "pathStyle" | "capabilities" | "isFallback" | "isDefault"
> {
  identifiers: string | null;
  pathStyle: number | null;
  capabilities: string;
  isFallback: number;
  isDefault: number;
}

/** The connection is not locked: it is read with its location, and may be removed at once. */
const selectLocation = `SELECT location.id, location.organization AS "organizationId", driver, location.name,
  location.cloud, region, endpoint, bucket, path, connection, connection.identifiers,
  signing_region AS "signingRegion", path_style AS "pathStyle", access_key_id AS "accessKeyId",
  sealed_secret AS "sealedSecret", capabilities, is_fallback AS "isFallback", is_default AS "isDefault",
  location.state, location.created_at_ms AS "createdAtMs"
  FROM location LEFT JOIN connection ON connection.id = location.connection`;

function locationOf({ identifiers, ...row }: LocationRow): StoredLocation {
  return {
    ...row,
    access: accessOf(row.organizationId, row.connection, identifiers),
    pathStyle: row.pathStyle === null ? null : row.pathStyle === 1,
    capabilities: JSON.parse(row.capabilities) as Record<string, unknown>,
    isFallback: row.isFallback === 1,
    isDefault: row.isDefault === 1,
  };
}
