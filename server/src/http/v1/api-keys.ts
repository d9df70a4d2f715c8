import type { ApiKey } from "@lossless/protocol";
import type { ApiKey as StoredKey } from "../../accounts/rows/organizations/keys.ts";
import { isoTime, isoTimeOrNull } from "../../ground/clock.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const apiKeys = endpointRoutes({
  /** Lists the keys; revoked ones are left out (A61). */
  async listApiKeys({ caller: { organizationId }, served }) {
    const keys = await served.storage.read("apiKey.list", { organizationId });
    return { keys: keys.map(keyRecord) };
  },

  /** Makes a key. The secret is in this reply only. */
  async createApiKey({ caller: { organizationId: id, organizationName, by }, body, served }) {
    const { actor: createdBy, address } = by;
    const organization = { id, name: organizationName };
    const input = { organization, name: body.name, createdBy, address };
    const { secret, ...made } = await writeOne(served.storage, "apiKey.create", input);
    return { key: keyRecord({ ...made, createdBy, lastUsedAtMs: null }), secret };
  },

  /** Ends the key for every request that starts afterwards, on every node. */
  async revokeApiKey({ caller: { organizationId, by }, query: { id: keyId }, served }) {
    await writeOne(served.storage, "apiKey.revoke", { organizationId, keyId, ...by });
  },
});

function keyRecord({
  keyId: id,
  name,
  createdAtMs,
  createdBy,
  lastUsedAtMs,
}: Omit<StoredKey, "organization" | "revokedAtMs">): ApiKey {
  return {
    id,
    name,
    created: isoTime(createdAtMs),
    createdBy: withoutPerson.has(createdBy) ? "bootstrap" : createdBy,
    lastUsed: isoTimeOrNull(lastUsedAtMs),
  };
}

/**
 * Makers of keys that are no person: the first start, a provision file, or a command beside the
 * data; the audit log tells them apart.
 */
const withoutPerson = new Set(["bootstrap", "provision", "operator"]);
