import type { Location } from "@lossless/protocol";
import type { CloudName, ConnectionAccess } from "../connections/connection.ts";
import { accessOf } from "../connections/connection.ts";
import type { Reader, Transaction } from "../database/database.ts";

/** Which bucket driver a location needs. */
export type LocationDriver = "built-in" | "s3" | CloudName;

/** A location as the database has it; its secret is sealed. */
export interface StoredLocation {
  id: string;
  organizationId: string;
  driver: LocationDriver;
  name: string;
  cloud: string;
  region: string;
  /** Empty at the built-in location: there it is the service's own address. */
  endpoint: string;
  bucket: string;
  path: string;
  /** Only a created location has one. */
  connection: string | null;
  /** As whom the cloud knows us there; null without a connection, and when that was removed or never completed. */
  access: ConnectionAccess | null;
  signingRegion: string | null;
  pathStyle: boolean | null;
  accessKeyId: string | null;
  sealedSecret: Uint8Array | null;
  /** What the probe found; `{}` at the built-in location. */
  capabilities: Record<string, unknown>;
  isFallback: boolean;
  isDefault: boolean;
  state: "active" | "retired";
  createdAtMs: number;
}

/** False when the organization has a location of the same endpoint, bucket and path already (A57). */
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

/** Every location of the organization, oldest first, retired ones too. */
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

/** Its connection was removed: nothing in its bucket can be read or removed by the service. */
export function isOutOfReach({ connection, access }: StoredLocation): boolean {
  return connection !== null && access === null;
}

/** Whose secret a sealed one is: it opens in the row of this location and nowhere else (T63). */
export function locationSecretContext(of: { organizationId: string; id: string }): string {
  return `location ${of.organizationId} ${of.id}`;
}

/** The record of the interface. `baseUrl` is the service's own address, the endpoint of the built-in location. */
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

/** How clients' parts travel; all of them are plain PUTs. */
const protocols: Record<LocationDriver, string> = {
  "built-in": "s3",
  s3: "s3",
  aws: "s3",
  gcp: "gcs",
  azure: "azure",
};

interface LocationRow {
  id: string;
  organization: string;
  driver: LocationDriver;
  name: string;
  cloud: string;
  region: string;
  endpoint: string;
  bucket: string;
  path: string;
  connection: string | null;
  identifiers: string | null;
  signing_region: string | null;
  path_style: number | null;
  access_key_id: string | null;
  sealed_secret: Uint8Array | null;
  capabilities: string;
  is_fallback: number;
  is_default: number;
  state: "active" | "retired";
  created_at_ms: number;
}

/** No lock is taken on the connection: it is read with its location, and may be removed in the next moment. */
const selectLocation = `SELECT location.id, location.organization, driver, location.name, location.cloud, region,
  endpoint, bucket, path, connection, connection.identifiers, signing_region, path_style, access_key_id,
  sealed_secret, capabilities, is_fallback, is_default, location.state, location.created_at_ms
  FROM location LEFT JOIN connection ON connection.id = location.connection`;

function locationOf(row: LocationRow): StoredLocation {
  return {
    id: row.id,
    organizationId: row.organization,
    driver: row.driver,
    name: row.name,
    cloud: row.cloud,
    region: row.region,
    endpoint: row.endpoint,
    bucket: row.bucket,
    path: row.path,
    connection: row.connection,
    access: accessOf(row.organization, row.connection, row.identifiers),
    signingRegion: row.signing_region,
    pathStyle: row.path_style === null ? null : row.path_style === 1,
    accessKeyId: row.access_key_id,
    sealedSecret: row.sealed_secret,
    capabilities: JSON.parse(row.capabilities) as Record<string, unknown>,
    isFallback: row.is_fallback === 1,
    isDefault: row.is_default === 1,
    state: row.state,
    createdAtMs: row.created_at_ms,
  };
}
