import assert from "node:assert/strict";
import { test } from "node:test";
import { createSign, generateKeyPairSync } from "node:crypto";
import { gcsAddresses, type RemoteSigner } from "../../../buckets/gcs/addresses.ts";
import { sendTo } from "../../../buckets/requests.fixture.ts";
import { audiences, subjectOf } from "../../rows/connections/connection.ts";
import { newId } from "../../../ground/ids.ts";
import { GoogleDouble } from "../../../../../test/clouds/gcp/google-double.ts";
import { SmallIssuer, type Claims } from "../../../../../test/clouds/gcp/small-issuer.ts";
import { trustingProject } from "../../../../../test/clouds/gcp/trusting-project.ts";

const ids = () => ({ organizationId: newId(Date.now()), connectionId: newId(Date.now()) });

async function world() {
  const issuer = await SmallIssuer.start();
  const [own, other] = [ids(), ids()];
  const ours = trustingProject(issuer.issuer, own, "111111111111");
  const theirs = trustingProject(issuer.issuer, other, "222222222222");
  let shiftMs = 0;
  const google = await GoogleDouble.start({
    projects: [ours.project, theirs.project],
    clock: () => Date.now() + shiftMs,
  });
  const claims: Claims = {
    subject: subjectOf(own.organizationId, own.connectionId),
    audience: audiences.gcp,
  };
  return {
    issuer,
    google,
    claims,
    project: ours.project,
    ours: ours.access.identifiers.gcp,
    theirs: theirs.access.identifiers.gcp,
    letTimePass: (ms: number) => {
      shiftMs += ms;
    },
    [Symbol.asyncDispose]: async () => {
      await google[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

type TestWorld = Awaited<ReturnType<typeof world>>;
interface Answer {
  status: number;
  body: Record<string, string>;
}

async function post(url: string, body: unknown, bearer?: string): Promise<Answer> {
  const reply = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, string> };
}

function exchange({ google }: TestWorld, gcp: TestWorld["ours"], token: string): Promise<Answer> {
  const pool = `projects/${gcp.projectNumber}/locations/global/workloadIdentityPools/${gcp.poolId}`;
  return post(`${google.origin}/v1/token`, {
    grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience: `//iam.googleapis.com/${pool}/providers/${gcp.providerId}`,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    requestedTokenType: "urn:ietf:params:oauth:token-type:access_token",
    subjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
    subjectToken: token,
  });
}

function onAccount(
  { google }: TestWorld,
  gcp: TestWorld["ours"],
  operation: string,
  bearer: string,
): Promise<Answer> {
  const url = `${google.origin}/v1/projects/-/serviceAccounts/${gcp.serviceAccountEmail}:${operation}`;
  const body = operation === "signBlob" ? { payload: "AAAA" } : { scope: ["s"], lifetime: "3600s" };
  return post(url, body, bearer);
}

test("Google double: one token is taken, and each other is refused for its reason", async () => {
  await using own = await world();
  const { issuer, claims, ours, theirs } = own;
  const good = await exchange(own, ours, await issuer.mint(claims));
  assert.deepEqual([good.status, good.body.token_type], [200, "Bearer"]);
  await using stranger = await SmallIssuer.start();
  const refused: Record<string, [code: string, token: string, at?: TestWorld["ours"]]> = {
    "another issuer": ["invalid_grant", await issuer.mint({ ...claims, issuer: "https://x.test" })],
    "another issuer's key": [
      "invalid_grant",
      await stranger.mint({ ...claims, issuer: issuer.issuer }),
    ],
    "another key under a known id": ["invalid_grant", await issuer.forge(claims)],
    "another audience": [
      "invalid_grant",
      await issuer.mint({ ...claims, audience: "sts.amazonaws.com" }),
    ],
    "another subject": [
      "unauthorized_client",
      await issuer.mint({ ...claims, subject: "org:x:conn:y" }),
    ],
    "an expired token": ["invalid_grant", await issuer.mint({ ...claims, lifeSeconds: -60 })],
    "a token that lives an hour": [
      "invalid_grant",
      await issuer.mint({ ...claims, lifeSeconds: 3_600 }),
    ],
    "no token": ["invalid_grant", "e30.e30.e30"],
    "another's provider": ["unauthorized_client", await issuer.mint(claims), theirs],
    "no provider": ["invalid_target", await issuer.mint(claims), { ...ours, providerId: "none" }],
  };
  for (const [what, [code, token, at = ours]] of Object.entries(refused)) {
    const { status, body } = await exchange(own, at, token);
    assert.deepEqual([status, body.error], [400, code], what);
  }
});

test("Google double: a federated token acts for the account it was let in to, and for its time", async () => {
  await using own = await world();
  const { ours, theirs } = own;
  const { body } = await exchange(own, ours, await own.issuer.mint(own.claims));
  const bearer = body.access_token;
  const statusOf = async (gcp: typeof ours, operation: string, token = bearer) =>
    (await onAccount(own, gcp, operation, token)).status;
  for (const operation of ["generateAccessToken", "signBlob"]) {
    assert.equal(await statusOf(ours, operation), 200);
    assert.equal(await statusOf(theirs, operation), 403);
    assert.equal(await statusOf(ours, operation, "ya29.federated.none"), 401);
  }
  // To be let in is not to sign.
  const [binding] = own.project.accounts.get(ours.serviceAccountEmail)!;
  own.project.accounts.set(ours.serviceAccountEmail, [
    { ...binding, role: "roles/iam.workloadIdentityUser" },
  ]);
  assert.equal(await statusOf(ours, "generateAccessToken"), 200);
  assert.equal(await statusOf(ours, "signBlob"), 403);
  own.letTimePass(3_600_000);
  assert.equal(await statusOf(ours, "generateAccessToken"), 401);
});

test("Google double: buckets need an access token of the right account, and names of its own", async () => {
  await using own = await world();
  const { google, ours, theirs } = own;
  const { body } = await exchange(own, ours, await own.issuer.mint(own.claims));
  const federated = body.access_token;
  const access = await onAccount(own, ours, "generateAccessToken", federated);
  const bearer = access.body.accessToken;
  const made = (name: string, project: string, token = bearer) =>
    post(`${google.origin}/storage/v1/b?project=${project}`, { name, location: "eu" }, token);
  const name = `${ours.poolId}-eu-1`;
  assert.equal((await made(name, ours.projectId)).status, 200);
  assert.equal((await made(name, ours.projectId)).status, 409);
  assert.equal((await made(`${name}0`, theirs.projectId)).status, 403);
  assert.equal((await made(`${name}0`, ours.projectId, federated)).status, 403);
  assert.equal((await made(`${name}0`, ours.projectId, "none")).status, 401);
  // The maker of a bucket of another name may not use it.
  assert.equal((await made("another-name", ours.projectId)).status, 200);
  for (const [bucket, token, status] of [
    [name, bearer, 200],
    ["another-name", bearer, 403],
    [name, federated, 403],
    [name, "none", 401],
  ] as const) {
    const path = `${google.origin}/${bucket}/key`;
    const reply = await fetch(path, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: "x",
    });
    assert.equal(reply.status, status, `${bucket} ${token}`);
  }
  const mixed = { authorization: `Bearer ${bearer}`, "x-amz-date": "20260101T000000Z" };
  assert.equal((await fetch(`${google.origin}/${name}/key`, { headers: mixed })).status, 400);
  own.letTimePass(3_600_000);
  const late = { authorization: `Bearer ${bearer}` };
  assert.equal((await fetch(`${google.origin}/${name}/key`, { headers: late })).status, 401);
});

test("Google double: a signed address is good as it is, and as nothing else", async () => {
  await using own = await world();
  const { google, ours } = own;
  const { body } = await exchange(own, ours, await own.issuer.mint(own.claims));
  const federated = body.access_token;
  const access = await onAccount(own, ours, "generateAccessToken", federated);
  const bearer = access.body.accessToken;
  const bucket = `${ours.poolId}-eu-1`;
  await post(
    `${google.origin}/storage/v1/b?project=${ours.projectId}`,
    { name: bucket, location: "eu" },
    bearer,
  );
  const authorization = `Bearer ${bearer}`;
  const begun = await fetch(`${google.origin}/${bucket}/key?uploads`, {
    method: "POST",
    headers: { authorization },
  });
  const [, uploadId = ""] = /<UploadId>(.*)<\/UploadId>/.exec(await begun.text()) ?? [];
  const signer: RemoteSigner = {
    account: ours.serviceAccountEmail,
    sign: async (text) => {
      const payload = Buffer.from(text).toString("base64");
      const url = `${google.origin}/v1/projects/-/serviceAccounts/${ours.serviceAccountEmail}:signBlob`;
      const { body: signed } = await post(url, { payload }, federated);
      return Buffer.from(signed.signedBlob, "base64");
    },
  };
  const part = { key: "key", method: "PUT" as const, contentLength: 3 };
  const query = { partNumber: "1", uploadId };
  const target = { endpoint: google.origin, bucket };
  const terms = { nowMs: Date.now(), lifetimeMs: 60_000, deadline: AbortSignal.timeout(60_000) };
  const addressOf = async (by: RemoteSigner): Promise<string> =>
    (await gcsAddresses(target, by, [{ ...part, query }], terms)).addresses[0];
  const url = await addressOf(signer);
  const put = async (address: string, sent = "abc", headers: Record<string, string> = {}) =>
    (await sendTo(address, "PUT", headers, Buffer.from(sent))).status;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const refused: Record<string, string> = {
    "another key": url.replace("/key?", "/kex?"),
    "another part": url.replace("partNumber=1", "partNumber=2"),
    "another upload": url.replace("uploadId=2", "uploadId=3"),
    "a longer life": url.replace("Expires=60", "Expires=600"),
    "another time": url.replace(/(X-Goog-Date=\d{8}T)\d{6}/, "$1000000"),
    "no signature": url.replace(/&X-Goog-Signature=\w+/, ""),
    "another signature": url.replace(/(?<=Signature=\w{8})\w{4}/, (digits) =>
      digits === "0000" ? "1111" : "0000",
    ),
    "fewer signed headers": url.replace("content-length%3Bhost", "host"),
    "a parameter more": `${url}&x-goog-user-project=p`,
    "another's key": await addressOf({
      ...signer,
      sign: async (text) => createSign("RSA-SHA256").update(text).sign(privateKey),
    }),
    "an account that never signed": await addressOf({
      ...signer,
      account: "x@y.iam.gserviceaccount.com",
    }),
  };
  for (const [what, address] of Object.entries(refused)) {
    assert.notEqual(address, url, what);
    const status = await put(address);
    assert.ok(status === 403 || status === 400, `${what}: ${status}`);
  }
  assert.equal(await put(url, "abcd"), 403, "a longer body");
  assert.equal(await put(url, "ab"), 403, "a shorter body");
  assert.equal(
    await put(url, "abc", { "x-goog-meta-a": "b" }),
    403,
    "a header that was not signed",
  );
  assert.equal((await sendTo(url, "GET")).status, 403, "reading");
  assert.equal(google.bucket(bucket)!.uploads.get(uploadId)!.parts.size, 0);
  assert.equal(await put(url), 200);
  own.letTimePass(60_000);
  assert.equal(await put(url), 403, "expired");
});
