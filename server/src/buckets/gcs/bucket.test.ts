import assert from "node:assert/strict";
import { test } from "node:test";
import { GoogleDouble } from "../../../../test/clouds/gcp/google-double.ts";
import { SmallIssuer } from "../../../../test/clouds/gcp/small-issuer.ts";
import { trustingProject } from "../../../../test/clouds/gcp/trusting-project.ts";
import { publicEndpoints } from "../../places/clouds/endpoints.ts";
import { gcpCloud } from "../../places/clouds/gcp/cloud.ts";
import { newId } from "../../ground/ids.ts";
import { StoreError } from "../bucket.ts";
import { gcsAddresses, type RemoteSigner } from "./addresses.ts";
import { artifactBucketConformance } from "../artifact-buckets.fixture.ts";

async function open() {
  const issuer = await SmallIssuer.start();
  const ids = { organizationId: newId(Date.now()), connectionId: newId(Date.now()) };
  const { project, access } = trustingProject(issuer.issuer, ids);
  const google = await GoogleDouble.start({ projects: [project] });
  const endpoints = { ...publicEndpoints, gcp: google.endpoints };
  const cloud = gcpCloud({ tokens: issuer, endpoints, clock: Date.now });
  const wanted = { region: "europe-west4", origin: "https://lossless.example" };
  const made = await cloud.createBucket(access, wanted);
  const bucket = cloud.openBucket(access, made, {});
  return {
    google,
    made,
    bucket,
    [Symbol.asyncDispose]: async () => {
      await bucket[Symbol.asyncDispose]();
      await google[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

artifactBucketConformance("gcs, double", open, { pageSize: 100 });

test("gcs: a name that Google keeps for itself is refused, and says so", async () => {
  await using world = await open();
  const key = ".well-known/acme-challenge/x";
  for (const call of [() => world.bucket.startUpload(key), () => world.bucket.put(key, [])])
    await assert.rejects(call, (error) => error instanceof StoreError && !error.transient);
});

test("gcs: addresses come in order, 32 signatures at a time, and the first refusal ends them", async () => {
  let now = 0;
  let most = 0;
  let asked = 0;
  const signer: RemoteSigner = {
    account: "a@b.iam.gserviceaccount.com",
    sign: async (text) => {
      most = Math.max(most, ++now);
      asked++;
      await new Promise((resolve) => setTimeout(resolve, (asked * 7) % 4));
      now--;
      if (asked > 200) throw new StoreError("PERMISSION_DENIED", false, "no");
      return Buffer.from(text);
    },
  };
  const target = { endpoint: "https://storage.googleapis.com", bucket: "b" };
  const keys = Array.from({ length: 100 }, (_, index) => `a/../b ${index}`);
  const requests = keys.map((key) => ({ method: "GET" as const, key }));
  const terms = {
    nowMs: 1_700_000_000_999,
    lifetimeMs: 1e12,
    deadline: AbortSignal.timeout(60_000),
  };
  const { addresses, expiresAtMs } = await gcsAddresses(target, signer, requests, terms);
  assert.equal(most, 32);
  for (const [index, url] of addresses.entries())
    assert.ok(url.startsWith(`https://storage.googleapis.com/b/a/../b%20${index}?X-Goog-`), url);
  // Twelve hours, whatever was asked for.
  assert.equal(expiresAtMs, 1_700_000_000_000 + 12 * 3_600_000);
  assert.match(addresses[0], /X-Goog-Expires=43200&X-Goog-SignedHeaders=host&X-Goog-Signature=/);
  const many = Array.from({ length: 1_000 }, () => requests[0]);
  await assert.rejects(gcsAddresses(target, signer, many, terms), { code: "PERMISSION_DENIED" });
  assert.ok(asked <= 300, String(asked));
});
