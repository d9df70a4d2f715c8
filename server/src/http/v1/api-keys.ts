import type { ApiKey, ApiKeysReply, CreateApiKeyReply } from "@lossless/protocol";
import type { ApiKey as StoredKey } from "../../organizations/keys.ts";
import { writeOne } from "../../storage/storage.ts";
import { sendJson } from "../replies.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "./v1-request.ts";
import { actorOf, organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `GET /api/v1/api-keys`: revoked ones have vanished (A61). */
export const listApiKeys: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const keys = await served.storage.read("apiKey.list", { organizationId });
  sendJson(reply, JSON.stringify({ keys: keys.map(keyRecord) } satisfies ApiKeysReply));
};

/** `POST /api/v1/api-keys`: the secret is in this reply only. */
export const createApiKey: Route = async (context, request, reply) => {
  const { organizationId: id, organizationName, served } = organizationCaller(request);
  const { name } = await readJsonBody(context, request, "createApiKey");
  const { actor: createdBy, address } = actorOf(request);
  const input = { organization: { id, name: organizationName }, name, createdBy, address };
  const { secret, ...made } = await writeOne(served.storage, "apiKey.create", input);
  const key = keyRecord({ ...made, createdBy, lastUsedAtMs: null });
  sendJson(reply, JSON.stringify({ key, secret } satisfies CreateApiKeyReply), 201);
};

/** `DELETE /api/v1/api-keys?id=`: ends the key for every request that starts afterwards, on every node. */
export const revokeApiKey: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id: keyId } = readQuery("revokeApiKey", request.raw.url);
  await writeOne(served.storage, "apiKey.revoke", { organizationId, keyId, ...actorOf(request) });
  void reply.code(204).send();
};

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
    created: new Date(createdAtMs).toISOString(),
    createdBy: withoutPerson.has(createdBy) ? "bootstrap" : createdBy,
    lastUsed: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
  };
}

/** Made by the first start, a provision file, or beside the data; the audit log tells them apart. */
const withoutPerson = new Set(["bootstrap", "provision", "operator"]);
