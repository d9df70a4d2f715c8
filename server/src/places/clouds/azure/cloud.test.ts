import assert from "node:assert/strict";
import { test } from "node:test";
import { answering } from "../../../../../test/loopback.ts";
import { AzureBench, AzureBlobs } from "./bench.fixture.ts";
import { StoreError } from "../../../buckets/bucket.ts";
import { publicEndpoints } from "../endpoints.ts";
import { azureCloud } from "./cloud.ts";
import { accountOf } from "./identifiers.ts";

const wanted = { region: "westeurope", origin: "https://lossless.example" };
const failed = (code: string, transient: boolean) => (error: unknown) => {
  assert.ok(error instanceof StoreError, String(error));
  assert.deepEqual([error.code, error.transient], [code, transient]);
  return true;
};

test("an account and a container of their own, versions kept, and removed again", async () => {
  await using bench = await AzureBench.start();
  const { cloud, access, double } = bench;
  const made = await cloud.createBucket(access, wanted);
  assert.deepEqual(made, {
    region: "westeurope",
    endpoint: made.endpoint,
    bucket: "lossless-nnc0n12345",
    pathStyle: true,
  });
  const name = accountOf(made.endpoint);
  assert.match(name, /^llnnc0n12345[0-9a-f]{8}$/);
  const account = double.manager.accounts.get(name);
  assert.equal(account?.blobs.isVersioning, true);
  assert.equal(account?.region, "westeurope");
  const other = await cloud.createBucket(access, wanted);
  assert.notEqual(other.endpoint, made.endpoint);
  await cloud.removeBucket(access, made);
  await cloud.removeBucket(access, made);
  assert.deepEqual([...double.manager.accounts.keys()], [accountOf(other.endpoint)]);
});

test("what was made before a failure is removed again", async () => {
  await using bench = await AzureBench.start();
  const { cloud, access, double } = bench;
  const { manager } = double;
  for (const [match, status, transient] of [
    ["/blobServices/default", 503, true],
    ["/containers/", 403, false],
    ["PUT /subscriptions", 500, true],
    ["/operations/", 500, true],
  ] as const) {
    const body = JSON.stringify({ error: { code: "SomethingWrong" } });
    manager.planned.push({ match, reply: { status, body } });
    await assert.rejects(cloud.createBucket(access, wanted), failed("SomethingWrong", transient));
    assert.deepEqual([...manager.accounts.keys()], [], match);
    assert.match(manager.requests.at(-1) ?? "", /^DELETE /);
  }
});

test("a name that somebody has is left alone, and another one is tried", async () => {
  await using bench = await AzureBench.start();
  const { cloud, access, double } = bench;
  const { manager } = double;
  const body = JSON.stringify({ error: { code: "StorageAccountAlreadyTaken" } });
  const taken = { match: "PUT /subscriptions", reply: { status: 409, body } };
  manager.planned.push(taken);
  await cloud.createBucket(access, wanted);
  assert.equal(manager.accounts.size, 1);
  manager.planned.push(taken, taken, taken);
  const requests = manager.requests.length;
  await assert.rejects(
    cloud.createBucket(access, wanted),
    failed("StorageAccountAlreadyTaken", false),
  );
  assert.ok(manager.requests.slice(requests).every((request) => request.startsWith("PUT ")));
});

test("an account that could not be removed again is named", async () => {
  await using bench = await AzureBench.start();
  const { cloud, access, double } = bench;
  const { manager } = double;
  const body = JSON.stringify({ error: { code: "ScopeLocked" } });
  manager.planned.push({ match: "/containers/", reply: { status: 409, body } });
  manager.planned.push({ match: "DELETE ", reply: { status: 409, body } });
  await assert.rejects(cloud.createBucket(access, wanted), (error: unknown) => {
    assert.ok(error instanceof StoreError);
    const [name] = manager.accounts.keys();
    assert.match(error.advice ?? "", new RegExp(`remove the lock.* storage account ${name} `));
    return error.code === "ScopeLocked";
  });
});

test("a cloud that never ends a change does not keep its caller", async () => {
  await using bench = await AzureBench.start();
  const { access, double, issuer } = bench;
  await using silent = await answering(() => undefined);
  const azure = { ...double.endpoints, management: silent.origin };
  const settings = { tokens: issuer, endpoints: { ...publicEndpoints, azure }, clock: Date.now };
  const times = { verifyMs: 200, makingMs: 200, createMs: 400, removeMs: 200 };
  const cloud = azureCloud(settings, times);
  const bucket = {
    region: "",
    endpoint: "http://127.0.0.1/llnnc0n1234500000000",
    bucket: "b",
    pathStyle: true,
  };
  await assert.rejects(cloud.verify(access), failed("timeout", true));
  await assert.rejects(cloud.createBucket(access, wanted), failed("timeout", true));
  await assert.rejects(cloud.removeBucket(access, bucket), failed("timeout", true));
});

test("the token goes nowhere but to the resource manager", async () => {
  await using bench = await AzureBench.start();
  const { manager } = bench.double;
  const headers = { location: "http://127.0.0.1:9/elsewhere", "retry-after": "0" };
  manager.planned.push({ match: "PUT /subscriptions", reply: { status: 202, headers } });
  await assert.rejects(
    bench.cloud.createBucket(bench.access, wanted),
    failed("invalid reply", true),
  );
});

test("a role that counts later is waited for", async () => {
  await using bench = await AzureBench.start();
  const { roles } = bench.application;
  bench.application.roles = roles.slice(0, 1);
  bench.double.manager.onAccount = async () => {
    setTimeout(() => (bench.application.roles = roles), 500);
  };
  await bench.cloud.createBucket(bench.access, wanted);
});

test("a token that is not taken any more is replaced", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket, bench } = opened;
  await bucket.put("a", [new Uint8Array(3)]);
  bench.double.entra.revokeTokens();
  assert.equal(await bucket.size("a"), 3);
});

test("a cloud that is down, silent or no cloud at all is transient, and shows nothing of itself", async () => {
  await using bench = await AzureBench.start();
  let answer = "<html>secret</html>";
  let status = 200;
  const server = await answering((_, response) => response.writeHead(status).end(answer));
  const azure = { ...bench.double.endpoints, login: server.origin };
  const endpoints = { ...publicEndpoints, azure };
  const cloud = azureCloud({ tokens: bench.issuer, endpoints, clock: Date.now });
  const verify = () => cloud.verify(bench.access);
  await assert.rejects(verify(), failed("invalid reply", true));
  status = 503;
  await assert.rejects(verify(), failed("HTTP 503", true));
  status = 400;
  answer = JSON.stringify({ error: "invalid_client\nsecret", error_codes: ["secret"] });
  await assert.rejects(verify(), failed("HTTP 400", false));
  answer = "x".repeat(2_000_000);
  await assert.rejects(verify(), failed("HTTP 400", false));
  status = 200;
  await assert.rejects(verify(), failed("reply too large", false));
  await server[Symbol.asyncDispose]();
  await assert.rejects(verify(), (error: unknown) => {
    assert.ok(error instanceof StoreError);
    assert.doesNotMatch(error.message, /secret|127\.0\.0\.1/);
    return error.transient;
  });
});
