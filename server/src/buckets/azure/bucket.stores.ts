import assert from "node:assert/strict";
import { test } from "node:test";
import { SignJWT } from "jose";
import { realAzurites } from "../../../../test/stores/real-stores.ts";
import type { StoreCoordinates } from "../../../../test/stores/store.ts";
import { AzureBlobBucket } from "./bucket.ts";
import { fetchDelegationKey } from "./delegation.ts";
import { azureVersion } from "./sas.ts";
import { StoreError } from "../bucket.ts";
import { artifactBucketConformance } from "../artifact-buckets.fixture.ts";

/**
 * Azurite checks signatures of addresses and handles blocks as Azure does. It has no versions:
 * their use is tested against our own double (places/clouds/azure/blobs.test.ts).
 */
for (const store of realAzurites()) {
  artifactBucketConformance(`azure, ${store.name}`, () => open(store), { blocks: true });

  test(`azure, ${store.name}: no key without a token for storage`, async () => {
    const times = { nowMs: Date.now(), deadlineMs: 10_000 };
    for (const token of ["none", await tokenFor("https://management.azure.com")])
      await assert.rejects(fetchDelegationKey(store.endpoint, token, times), (error: unknown) => {
        return error instanceof StoreError && !error.transient;
      });
  });
}

async function open(store: StoreCoordinates) {
  const { endpoint, accessKeyId: account } = store;
  const container = `conformance-${crypto.randomUUID()}`;
  const token = await tokenFor("https://storage.azure.com");
  const authorization = `Bearer ${token}`;
  const made = await fetch(`${endpoint}/${container}?restype=container`, {
    method: "PUT",
    headers: { authorization, "x-ms-version": azureVersion },
  });
  assert.equal(made.status, 201, await made.text());
  const times = { nowMs: Date.now(), deadlineMs: 10_000 };
  const key = await fetchDelegationKey(endpoint, token, times);
  const bucket = new AzureBlobBucket({
    endpoint,
    account,
    container,
    token: async () => token,
    delegationKey: async () => key,
    clock: Date.now,
    versioning: "absent",
  });
  return { bucket, [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose]() };
}

/** Returns a token of the form of Entra's; Azurite does not check who signed it. */
function tokenFor(audience: string): Promise<string> {
  const ids = { tid: crypto.randomUUID(), oid: crypto.randomUUID() };
  return new SignJWT(ids)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(`https://sts.windows.net/${ids.tid}/`)
    .setAudience(audience)
    .setSubject(ids.oid)
    .setIssuedAt()
    .setNotBefore("0s")
    .setExpirationTime("1h")
    .sign(new Uint8Array(32));
}
