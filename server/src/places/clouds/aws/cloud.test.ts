import assert from "node:assert/strict";
import { test } from "node:test";
import { AwsDouble, type AwsDoubleOptions } from "../../../../../test/clouds/aws/aws-double.ts";
import { QueryError } from "../../../../../test/clouds/aws/query-error.ts";
import { trustConnection } from "../../../../../test/clouds/aws/trusting-account.ts";
import { SmallIssuer } from "../../../../../test/clouds/gcp/small-issuer.ts";
import { ObjectMissing, StoreError } from "../../../buckets/bucket.ts";
import { content } from "../../../buckets/conformance.fixture.ts";
import { begin, key, sendPart } from "../../../buckets/artifact-client.fixture.ts";
import { sendTo } from "../../../buckets/requests.fixture.ts";
import { audiences, subjectOf, type ConnectionAccess } from "../../rows/connections/connection.ts";
import { newId } from "../../../ground/ids.ts";
import { addressLifetimeMsMax, AddressSigner } from "../../../buckets/s3/sigv4.ts";
import type { Cloud, CloudSettings, TokenIssuer } from "../cloud.ts";
import { mergeEndpoints } from "../endpoints.ts";
import { awsCloud } from "./cloud.ts";
import { exchange } from "./sts.ts";

const minuteMs = 60_000;
const origin = "https://lossless.example.com";

interface Scene extends AsyncDisposable {
  double: AwsDouble;
  issuer: SmallIssuer;
  settings: CloudSettings;
  cloud: Cloud;
  access: ConnectionAccess;
  /** Ahead of the system's clock, for the service and the double. */
  clock: { aheadMs: number };
}

interface SceneOptions extends AwsDoubleOptions {
  maxSessionSeconds?: number;
}

async function scene({
  maxSessionSeconds = 14_400,
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const double = await AwsDouble.start({ clock: now, ...options });
  const issuer = await SmallIssuer.start();
  const tokens: TokenIssuer = {
    mint: (claims) => issuer.mint({ ...claims, lifeSeconds: 600 + clock.aheadMs / 1_000 }),
  };
  const endpoints = mergeEndpoints(double.addresses);
  const [organizationId, connectionId] = [newId(1), newId(2)];
  const trusted = {
    id: connectionId,
    issuer: issuer.issuer,
    audience: audiences.aws,
    subject: subjectOf(organizationId, connectionId),
  };
  const identifiers = trustConnection(double, trusted, { maxSessionSeconds });
  const access = { organizationId, connectionId, identifiers };
  const settings = { tokens, endpoints, clock: now };
  const cloud = awsCloud(settings);
  return {
    double,
    issuer,
    settings,
    cloud,
    access,
    clock,
    [Symbol.asyncDispose]: async () => {
      await issuer[Symbol.asyncDispose]();
      await double[Symbol.asyncDispose]();
    },
  };
}

test("to verify is an exchange and a question for a bucket that is not there", async () => {
  await using at = await scene();
  await at.cloud.verify(at.access);
  assert.deepEqual(
    at.double.calls.map(({ action }) => action),
    ["AssumeRoleWithWebIdentity"],
  );
  assert.deepEqual(
    at.double.s3.requests.map(({ operation, status }) => [operation, status]),
    [["HeadBucket", 404]],
  );
  const { form } = at.double.calls[0];
  assert.equal(form.get("RoleSessionName"), `lossless-${at.access.connectionId.slice(-10)}`);
  assert.equal(form.get("DurationSeconds"), "14400");
});

test("a role whose policy does not allow it is not verified, and says what to do", async () => {
  await using at = await scene();
  for (const role of at.double.account().roles.values()) role.policies.clear();
  const failure = await failureOf(at.cloud.verify(at.access));
  assert.deepEqual([failure.code, failure.transient], ["HTTP 403", false]);
  assert.match(failure.advice ?? "", /setup script/);
});

for (const region of ["us-east-1", "eu-central-1"]) {
  test(`a bucket is made in ${region}: closed, tidy, for the web application`, async () => {
    await using at = await scene({ region });
    const made = await at.cloud.createBucket(at.access, { region, origin });
    const name = `lossless-${at.access.connectionId.slice(-10)}-${region}`;
    assert.match(made.bucket, new RegExp(`^${name}-[0-9a-f]{8}$`));
    assert.deepEqual(made, {
      region,
      endpoint: at.double.s3.endpoint,
      bucket: made.bucket,
      pathStyle: true,
    });
    const configuration = (which: "cors" | "lifecycle" | "publicAccessBlock") =>
      at.double.s3.configuration(made.bucket, which) ?? "";
    assert.equal(configuration("publicAccessBlock").match(/>true</g)?.length, 4);
    assert.match(configuration("lifecycle"), /<DaysAfterInitiation>7</);
    assert.match(configuration("cors"), new RegExp(`<AllowedOrigin>${origin}<`));
    const methods = configuration("cors").match(/<AllowedMethod>\w+/g);
    assert.deepEqual(methods, ["<AllowedMethod>GET", "<AllowedMethod>HEAD"]);
    await at.cloud.removeBucket(at.access, made);
    await at.cloud.removeBucket(at.access, made);
    assert.deepEqual(at.double.s3.buckets, []);
  });
}

test("a bucket that cannot be closed to the public is removed again", async () => {
  await using at = await scene();
  const [role] = at.double.account().roles.values();
  for (const { policy } of role.policies.values()) {
    for (const statement of policy.statements) {
      statement.actions = statement.actions.filter((action) => !action.includes("PublicAccess"));
    }
  }
  const failure = await failureOf(
    at.cloud.createBucket(at.access, { region: "us-east-1", origin }),
  );
  assert.equal(failure.code, "AccessDenied");
  assert.match(failure.advice ?? "", /setup script/);
  assert.deepEqual(at.double.s3.buckets, []);
  // One that cannot be removed either is named.
  for (const { policy } of role.policies.values()) {
    for (const statement of policy.statements) {
      statement.actions = statement.actions.filter((action) => action !== "s3:DeleteBucket");
    }
  }
  const wanted = { region: "us-east-1", origin };
  const { advice } = await failureOf(at.cloud.createBucket(at.access, wanted));
  const left = at.double.s3.buckets.join();
  assert.match(advice ?? "", new RegExp(`setup script.* The bucket ${left} is empty and perhaps`));
});

test("a bucket is made although S3 is slow to know it, and although a reply is lost", async () => {
  await using at = await scene();
  at.double.s3.faults.add({ fault: "lostReply", operation: "CreateBucket", times: 1 });
  at.double.s3.faults.add({
    fault: "internalError",
    operation: "PutBucketLifecycleConfiguration",
    times: 1,
  });
  await at.cloud.createBucket(at.access, { region: "us-east-1", origin });
  assert.equal(at.double.s3.faults.total, 2);
  assert.equal(at.double.s3.buckets.length, 1);
});

test("a word that is no region is refused before anything is asked", async () => {
  await using at = await scene();
  const long = `eu-${"a".repeat(40)}-1`;
  for (const region of ["", "EU", "a.b", "x/y", "-a", "s3", "dualstack", "eu-west", "eu-1", long]) {
    const made = at.cloud.createBucket(at.access, { region, origin });
    assert.equal((await failureOf(made)).code, "InvalidRegion", region);
  }
  assert.deepEqual(at.double.calls, []);
});

test("a driver writes, signs and reads with its session, and shares it", async () => {
  await using at = await scene();
  const made = await at.cloud.createBucket(at.access, { region: "us-east-1", origin });
  await using bucket = at.cloud.openBucket(at.access, made, {});
  const before = at.double.calls.length;
  const upload = await begin(bucket);
  await bucket.complete(upload, [await sendPart(bucket, upload, 1, content(100))]);
  const reads = [1, 2, 3].map(() => bucket.read(key, 0, 100));
  for (const bytes of await Promise.all(reads)) assert.deepEqual(bytes, content(100));
  await assert.rejects(bucket.size("absent"), ObjectMissing);
  assert.equal(at.double.calls.length, before + 1);
  const owners = at.double.s3.requests
    .filter(({ presigned }) => !presigned)
    .map(({ headers }) => headers.get("x-amz-expected-bucket-owner"));
  assert.equal(owners.at(-1), "111122223333");
});

test("an address of a session of four hours always lives its 60 minutes", async () => {
  await using at = await scene();
  await using bucket = at.cloud.openBucket(at.access, bucketOf(at), {});
  for (let minutes = 0; minutes <= 480; minutes += 31) {
    at.clock.aheadMs = minutes * minuteMs;
    const beforeMs = Date.now() + at.clock.aheadMs;
    const { expiresAtMs } = await bucket.signReads([{ key }], 60 * minuteMs);
    const tookMs = Date.now() + at.clock.aheadMs - beforeMs;
    const longerMs = expiresAtMs - beforeMs - 60 * minuteMs;
    assert.ok(longerMs > -5_000 && longerMs < tookMs + 5_000, `${minutes}: ${longerMs}`);
  }
  assert.equal(at.double.calls.length, 3);
});

test("a role that allows an hour gives an hour; an address ends with its session", async () => {
  await using at = await scene({ maxSessionSeconds: 3_600 });
  await using bucket = at.cloud.openBucket(at.access, bucketOf(at), {});
  const { expiresAtMs: firstMs } = await bucket.signReads([{ key }], 60 * minuteMs);
  assert.deepEqual(
    at.double.calls.map(({ form, code }) => [form.get("DurationSeconds"), code]),
    [
      ["14400", "ValidationError"],
      ["3600", undefined],
    ],
  );
  const tokens = at.double.calls.map(({ form }) => form.get("WebIdentityToken"));
  assert.notEqual(tokens[0], tokens[1]);
  at.clock.aheadMs = 20 * minuteMs;
  const later = await bucket.signReads([{ key }], 60 * minuteMs);
  assert.ok(Math.abs(later.expiresAtMs - firstMs) <= 1_000);
  assert.match(later.addresses[0], /X-Amz-Expires=(239\d|2400)&/);
  at.clock.aheadMs = 31 * minuteMs;
  const renewed = await bucket.signReads([{ key }], 60 * minuteMs);
  assert.ok(renewed.expiresAtMs > firstMs + 29 * minuteMs);
});

test("the store refuses the address of a session that has ended, and one that was altered", async () => {
  await using at = await scene();
  const made = await at.cloud.createBucket(at.access, { region: "us-east-1", origin });
  await using bucket = at.cloud.openBucket(at.access, made, {});
  await bucket.put(key, [content(10)]);
  const { addresses } = await bucket.signReads([{ key }], 60 * minuteMs);
  const [url] = addresses as [string];
  const statusOf = async (address: string) => (await sendTo(address, "GET")).status;
  assert.equal(await statusOf(url), 200);
  assert.equal(await statusOf(url.replace(/(Security-Token=)./, "$1")), 403);
  assert.equal(await statusOf(url.replace(/&X-Amz-Security-Token=[^&]+/, "")), 403);
  assert.equal(await statusOf(url.replace(key, `${key}x`)), 403);
  // Only the session can be why this one ends: the driver would not give it such a life.
  const session = await exchange(at.settings, at.access, "us-east-1");
  const signer = new AddressSigner({ ...made, signingRegion: "us-east-1", ...session });
  const { addresses: urls } = signer.sign(
    [{ method: "GET", key }],
    Date.now(),
    addressLifetimeMsMax,
  );
  assert.equal(await statusOf(urls[0]), 200);
  at.clock.aheadMs = 241 * minuteMs;
  assert.equal(await statusOf(urls[0]), 400);
  assert.equal(at.double.s3.requests.at(-1)?.code, "ExpiredToken");
});

test("a session that AWS ended before its time is fetched anew", async () => {
  await using at = await scene();
  const made = await at.cloud.createBucket(at.access, { region: "us-east-1", origin });
  await using bucket = at.cloud.openBucket(at.access, made, {});
  await bucket.put(key, [content(10)]);
  at.double.s3.forgetCredentials();
  assert.equal((await failureOf(bucket.read(key, 0, 10))).code, "InvalidAccessKeyId");
  assert.deepEqual(await bucket.read(key, 0, 10), content(10));
});

test("what STS refuses says what to do; what may pass is transient", async () => {
  await using at = await scene();
  for (const [code, status, transient, advice] of [
    ["AccessDenied", 403, false, /subject/],
    ["ExpiredTokenException", 400, false, /clock/],
    ["IDPCommunicationError", 400, true, /--issuer-url/],
    ["IDPRejectedClaim", 403, false, /setup script/],
    ["InvalidIdentityToken", 400, false, /identity provider/],
    ["RegionDisabledException", 403, false, /activate/],
    ["ValidationError", 400, false, /ARN/],
    ["Throttling", 400, true, undefined],
    ["ServiceUnavailable", 503, true, undefined],
  ] as const) {
    at.double.stsFault = new QueryError(code, "secret words <of> AWS", status);
    const failure = await failureOf(at.cloud.verify(at.access));
    assert.deepEqual([failure.code, failure.transient], [code, transient]);
    if (advice === undefined) assert.equal(failure.advice, undefined);
    else assert.match(failure.advice ?? "", advice);
    assert.doesNotMatch(failure.message, /secret words/);
  }
});

test("an STS that is not there is transient; a partition that is not known is refused", async () => {
  await using at = await scene();
  const endpoints = mergeEndpoints({ aws: { sts: "http://127.0.0.1:1" } });
  const alone = awsCloud({ ...at.settings, endpoints });
  const down = await failureOf(alone.verify(at.access));
  assert.deepEqual([down.code, down.transient], ["refused", true]);
  const roleArn = "arn:aws-iso:iam::111122223333:role/r";
  const access: ConnectionAccess = {
    ...at.access,
    identifiers: { cloud: "aws", aws: { roleArn } },
  };
  assert.equal((await failureOf(at.cloud.verify(access))).code, "InvalidRoleArn");
});

function bucketOf({ double }: Scene) {
  return { region: "us-east-1", endpoint: double.s3.endpoint, bucket: "b", pathStyle: true };
}

async function failureOf(work: Promise<unknown>): Promise<StoreError> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof StoreError, String(failure));
  return failure;
}
