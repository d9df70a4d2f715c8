import type { Organization } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Reader } from "../database/database.ts";

export type Credential =
  | { kind: "api_key"; keyId: string; organization: Organization; lastUsedAtMs: number | null }
  | { kind: "experiment_token"; experimentId: string; organizationId: string; expiresAtMs: number };

/**
 * The valid credential with this SHA-256, or null: unknown, expired and revoked ones are the same to the
 * caller. The look-up by hash takes no longer for a near miss, so it tells nothing about stored secrets.
 */
export async function findCredential(
  reader: Reader,
  { hash }: { hash: Uint8Array },
  { nowMs }: Moment,
): Promise<Credential | null> {
  return (await findKey(reader, hash)) ?? (await findToken(reader, hash, nowMs)) ?? null;
}

async function findKey(reader: Reader, hash: Uint8Array): Promise<Credential | undefined> {
  const row = await reader.get<{
    id: string;
    organization: string;
    organization_name: string;
    last_used_at_ms: number | null;
  }>(
    `SELECT api_key.id, api_key.organization, organization.name AS organization_name, api_key.last_used_at_ms
     FROM api_key JOIN organization ON organization.id = api_key.organization
     WHERE api_key.hash = $1 AND api_key.revoked_at_ms IS NULL`,
    hash,
  );
  return row === undefined
    ? undefined
    : {
        kind: "api_key",
        keyId: row.id,
        organization: { id: row.organization, name: row.organization_name },
        lastUsedAtMs: row.last_used_at_ms,
      };
}

async function findToken(
  reader: Reader,
  hash: Uint8Array,
  nowMs: number,
): Promise<Credential | undefined> {
  const row = await reader.get<{ experiment: string; organization: string; expires_at_ms: number }>(
    `SELECT experiment, organization, expires_at_ms FROM token
     WHERE hash = $1 AND revoked_at_ms IS NULL AND expires_at_ms > $2`,
    hash,
    nowMs,
  );
  return row === undefined
    ? undefined
    : {
        kind: "experiment_token",
        experimentId: row.experiment,
        organizationId: row.organization,
        expiresAtMs: row.expires_at_ms,
      };
}
