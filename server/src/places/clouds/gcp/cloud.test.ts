import assert from "node:assert/strict";
import { test } from "node:test";
import {
  GoogleDouble,
  type GoogleDoubleOptions,
} from "../../../../../test/clouds/gcp/google-double.ts";
import { SmallIssuer } from "../../../../../test/clouds/gcp/small-issuer.ts";
import { trustingProject } from "../../../../../test/clouds/gcp/trusting-project.ts";
import { StoreError } from "../../../buckets/bucket.ts";
import { cloudName, type ConnectionAccess } from "../../rows/connections/connection.ts";
import { newId } from "../../../ground/ids.ts";
import { publicEndpoints } from "../endpoints.ts";
import { gcpCloud } from "./cloud.ts";

const wanted = { region: "europe-west4", origin: "https://lossless.example" };
const ids = () => ({ organizationId: newId(Date.now()), connectionId: newId(Date.now()) });

async function world(options: Partial<GoogleDoubleOptions> = {}) {
  let shiftMs = 0;
  const clock = () => Date.now() + shiftMs;
  const issuer = await SmallIssuer.start(clock);
  const ours = trustingProject(issuer.issuer, ids(), "111111111111");
  const theirs = trustingProject(issuer.issuer, ids(), "222222222222");
  const google = await GoogleDouble.start({
    projects: [ours.project, theirs.project],
    clock,
    ...options,
  });
  const endpoints = { ...publicEndpoints, gcp: google.endpoints };
  return {
    issuer,
    google,
    project: ours.project,
    access: ours.access,
    theirs: theirs.access,
    cloud: gcpCloud({ tokens: issuer, endpoints, clock }),
    letTimePass: (ms: number) => {
      shiftMs += ms;
    },
    [Symbol.asyncDispose]: async () => {
      await google[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

function gcpOf({ identifiers }: ConnectionAccess) {
  if (identifiers.cloud !== "gcp") throw new Error("gcp");
  return identifiers.gcp;
}

/** Requires that the call is refused permanently, with this code and advice. */
async function refuses(call: Promise<unknown>, code: string, advice: RegExp): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof StoreError, String(error));
    assert.deepEqual([error.code, error.transient], [code, false]);
    assert.match(error.advice ?? "", advice);
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /ya29|eyJ|127\.0/);
    return true;
  });
}

test("gcp: verify goes as far as signing, and changes nothing", async () => {
  await using own = await world();
  await own.cloud.verify(own.access);
  const { calls, buckets } = own.google;
  assert.deepEqual(calls, { token: 1, generateAccessToken: 1, signBlob: 1, buckets: 1 });
  assert.deepEqual(buckets, []);
  // Every time anew.
  await own.cloud.verify(own.access);
  assert.equal(calls.token, 2);
  // "Or it may not exist", Google says of a bucket in no project.
  const error = { code: 403, errors: [{ domain: "global", reason: "forbidden" }] };
  own.google.fail("buckets", { status: 403, body: { error } });
  await own.cloud.verify(own.access);
});

test("gcp: a trust that is not there, or not whole, is said with what to do", async () => {
  await using own = await world();
  const { access, theirs, cloud, project } = own;
  const gcp = gcpOf(access);
  const withOther = (other: Partial<typeof gcp>): ConnectionAccess => ({
    ...access,
    identifiers: { cloud: "gcp", gcp: { ...gcp, ...other } },
  });
  // Confused deputy: the identifiers of another organization's connection (T64).
  const stolen = { ...access, identifiers: theirs.identifiers };
  await refuses(cloud.verify(stolen), "unauthorized_client", /trusts another connection/);
  await refuses(cloud.verify(withOther({ providerId: "none" })), "invalid_target", /identifiers/);
  const { serviceAccountEmail } = gcpOf(theirs);
  await refuses(
    cloud.verify(withOther({ serviceAccountEmail })),
    "PERMISSION_DENIED",
    /setup script/,
  );
  const [binding] = project.accounts.get(gcp.serviceAccountEmail)!;
  const role = "roles/iam.workloadIdentityUser";
  project.accounts.set(gcp.serviceAccountEmail, [{ ...binding, role }]);
  await refuses(cloud.verify(access), "PERMISSION_DENIED", /wait and try again/);
  project.services.clear();
  await refuses(cloud.verify(access), "SERVICE_DISABLED", /not switched on/);
  project.providers.get(`${gcp.poolId}/${gcp.providerId}`)!.issuer = "http://127.0.0.1:9";
  await refuses(cloud.verify(access), "invalid_grant", /issuer/);
});

test("gcp: a cloud that is down, slow, broken or endless is no refusal", async () => {
  await using own = await world();
  const { google, cloud, access } = own;
  const fails = (code: string, transient = true) =>
    assert.rejects(cloud.verify(access), { code, transient });
  google.fail("token", { status: 503, body: { error: "temporarily_unavailable" } }, 2);
  await cloud.verify(access);
  google.fail("signBlob", { status: 429, body: { error: { status: "RESOURCE_EXHAUSTED" } } }, 4);
  await fails("RESOURCE_EXHAUSTED");
  google.fail("generateAccessToken", { status: 200, body: {} });
  await fails("invalid reply");
  google.fail("token", { status: 200, body: { access_token: "t", expires_in: "soon" } });
  await fails("invalid reply");
  google.fail("token", { status: 302 });
  await fails("HTTP 302", false);
  google.fail("token", { status: 200, body: "x".repeat(300_000) });
  await fails("reply too large", false);
  google.fail("signBlob", { status: 200, body: { signedBlob: "AAAA" } });
  await fails("invalid reply");
  await cloud.verify(access);
});

test("gcp: a bucket is closed to the public, forgets parts, and keeps nothing that was deleted", async () => {
  await using own = await world();
  const made = await own.cloud.createBucket(own.access, wanted);
  const name = cloudName(own.access.connectionId);
  assert.match(made.bucket, new RegExp(`^${name}-europe-west4-[0-9a-f]{8}$`));
  const { endpoint, region, pathStyle } = made;
  assert.deepEqual([endpoint, region, pathStyle], [own.google.origin, "europe-west4", true]);
  const [{ body }] = own.google.buckets as [(typeof own.google.buckets)[0]];
  assert.deepEqual(body, {
    name: made.bucket,
    location: "europe-west4",
    iamConfiguration: {
      uniformBucketLevelAccess: { enabled: true },
      publicAccessPrevention: "enforced",
    },
    lifecycle: {
      rule: [{ action: { type: "AbortIncompleteMultipartUpload" }, condition: { age: 7 } }],
    },
    softDeletePolicy: { retentionDurationSeconds: "0" },
    cors: [
      {
        origin: [wanted.origin],
        method: ["GET"],
        responseHeader: ["Content-Range", "ETag", "Range"],
        maxAgeSeconds: 3_600,
      },
    ],
  });
  await own.cloud.removeBucket(own.access, made);
  await own.cloud.removeBucket(own.access, made);
  assert.deepEqual(own.google.buckets, []);
});

test("gcp: a name that is taken is changed, and who is asked to wait waits", async () => {
  await using own = await world();
  const error = (reason: string) => ({ error: { errors: [{ reason }] } });
  own.google.fail("buckets", { status: 409, body: error("conflict") }, 2);
  own.google.fail("buckets", { status: 429, body: error("rateLimitExceeded") });
  await own.cloud.createBucket(own.access, wanted);
  assert.equal(own.google.calls.buckets, 4);
  assert.equal(own.google.buckets.length, 1);
});

test("gcp: what was made before a failure is removed, and a refusal says why", async () => {
  await using own = await world();
  const { cloud, access, google } = own;
  google.fail("buckets", { status: 503, done: true });
  await assert.rejects(cloud.createBucket(access, wanted), { code: "HTTP 503", transient: true });
  assert.deepEqual(google.buckets, []);
  google.fail("buckets", { status: 503, done: true });
  google.fail("buckets", { status: 403, body: { error: { errors: [{ reason: "forbidden" }] } } });
  await assert.rejects(cloud.createBucket(access, wanted), (error) => {
    const [left] = google.buckets;
    assert.ok(error instanceof StoreError && error.code === "HTTP 503");
    assert.equal(
      error.advice,
      `The bucket ${String(left?.name)} is empty and perhaps still there: remove it.`,
    );
    return true;
  });
  const region = "atlantis";
  await refuses(cloud.createBucket(access, { ...wanted, region }), "invalid", /region/);
  const policy = { error: { errors: [{ reason: "conditionNotMet" }] } };
  google.fail("buckets", { status: 412, body: policy });
  await refuses(cloud.createBucket(access, wanted), "conditionNotMet", /policy/);
  own.project.bindings.length = 0;
  await refuses(cloud.createBucket(access, wanted), "forbidden", /service account may not/);
});

test("gcp: tokens are shared, renewed at half of their hour, and outlive a failure meanwhile", async () => {
  await using own = await world();
  const { cloud, access, google } = own;
  const made = await cloud.createBucket(access, wanted);
  await using bucket = cloud.openBucket(access, made, {});
  await using again = cloud.openBucket(access, made, {});
  const use = async () => {
    await bucket.put(crypto.randomUUID(), [Buffer.from("x")]);
    await again.signReads([{ key: "k" }], 60_000);
  };
  await Promise.all([use(), use(), use()]);
  assert.deepEqual([google.calls.token, google.calls.generateAccessToken], [1, 1]);
  own.letTimePass(31 * 60_000);
  await use();
  assert.deepEqual([google.calls.token, google.calls.generateAccessToken], [2, 2]);
  own.letTimePass(31 * 60_000);
  google.fail("token", { status: 400, body: { error: "invalid_grant" } });
  await use();
  own.letTimePass(60 * 60_000);
  google.fail("token", { status: 400, body: { error: "invalid_grant" } }, 2);
  await refuses(bucket.put("k", [Buffer.from("x")]), "invalid_grant", /issuer/);
  await refuses(bucket.signReads([{ key: "k" }], 60_000), "invalid_grant", /issuer/);
});

test("gcp: an address lives as long as was asked, whatever becomes of the token", async () => {
  await using own = await world();
  const { cloud, access } = own;
  const made = await cloud.createBucket(access, wanted);
  await using bucket = cloud.openBucket(access, made, {});
  await bucket.put("k", [Buffer.from("bytes")]);
  own.letTimePass(29 * 60_000);
  const { addresses } = await bucket.signReads([{ key: "k" }], 3_600_000);
  own.letTimePass(58 * 60_000);
  assert.equal((await fetch(addresses[0])).status, 200);
  own.letTimePass(3 * 60_000);
  assert.equal((await fetch(addresses[0])).status, 403);
});

test("gcp: a bucket that may not be used any more, or is gone, is said with what to do", async () => {
  await using own = await world();
  const { cloud, access, google, project } = own;
  const made = await cloud.createBucket(access, wanted);
  await using bucket = cloud.openBucket(access, made, {});
  const bindings = project.bindings.splice(0);
  for (const call of [() => bucket.startUpload("k"), () => bucket.read("k", 0, 1)])
    await refuses(call(), "AccessDenied", /service account may not.*setup script/);
  project.bindings.push(...bindings);
  await cloud.removeBucket(access, made);
  assert.equal(google.bucket(made.bucket), undefined);
  await refuses(bucket.startUpload("k"), "NoSuchBucket", /was removed/);
});

test("gcp: who is never answered gives up, whatever it waits for", async () => {
  await using own = await world();
  const { cloud, access, google } = own;
  const made = await cloud.createBucket(access, wanted);
  await using bucket = cloud.openBucket(access, made, { deadlineMs: 300 });
  google.fail("signBlob", "hang");
  const failed = { code: "timeout", transient: true };
  await assert.rejects(bucket.signReads([{ key: "k" }], 60_000), failed);
  own.letTimePass(3_600_000);
  google.fail("token", "hang");
  await assert.rejects(bucket.startUpload("k"), failed);
});

test("gcp: tokens that Google forgot before their end are replaced", async () => {
  await using own = await world();
  const { cloud, access, google } = own;
  const made = await cloud.createBucket(access, wanted);
  await using bucket = cloud.openBucket(access, made, {});
  await bucket.put("k", [Buffer.from("bytes")]);
  google.tokens.forgetIssued();
  assert.equal(await bucket.size("k"), 5);
  google.tokens.forgetIssued();
  const { addresses } = await bucket.signReads([{ key: "k" }, { key: "k" }], 60_000);
  for (const address of addresses) assert.equal((await fetch(address)).status, 200);
  // Once: a cloud that takes no token at all is not asked for ever.
  const body = { error: { status: "UNAUTHENTICATED" } };
  google.fail("signBlob", { status: 401, body }, 2);
  const failed = { code: "UNAUTHENTICATED", transient: false };
  await assert.rejects(bucket.signReads([{ key: "k" }], 60_000), failed);
});
