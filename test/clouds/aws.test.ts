import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompleteConnectionBody, Connection } from "@lossless/protocol";
import { decodeProtectedHeader } from "jose";
import { AwsDouble } from "./aws/aws-double.ts";
import { trustConnection } from "./aws/trusting-account.ts";
import { refuseTheConfusedDeputy } from "./confused-deputy.ts";
import { goTheWholeWay } from "./whole-way.ts";
import { World } from "./world.ts";

const region = "us-east-1";

test("AWS: the whole way", async () => {
  await using double = await AwsDouble.start();
  await using world = await World.start({ clouds: double.addresses });
  await goTheWholeWay(world, {
    cloud: "aws",
    region,
    setUp: setUpIn(double),
    afterRotation: () => assert.ok(signingKeys(double).size >= 2, "no token of the new key"),
  });
  const refused = double.calls.filter(({ code }) => code !== undefined);
  assert.deepEqual(refused, []);
  // Every address that was handed out carried the token of a session.
  const presigned = double.s3.requests.filter((request) => request.presigned);
  assert.ok(presigned.length > 10);
  assert.ok(presigned.every(({ target }) => target.includes("X-Amz-Security-Token=")));
});

test("AWS: one organization's token is nothing to what trusts another (T64)", async () => {
  await using double = await AwsDouble.start();
  await using world = await World.start({ clouds: double.addresses });
  await refuseTheConfusedDeputy(world, { cloud: "aws", region, setUp: setUpIn(double) });
  const codes = new Set(double.calls.map(({ code }) => code));
  assert.deepEqual(codes, new Set([undefined, "AccessDenied"]));
});

/** The keys that signed what STS was asked with. */
function signingKeys({ calls }: AwsDouble): Set<string | undefined> {
  return new Set(
    calls.map(({ form }) => decodeProtectedHeader(form.get("WebIdentityToken") ?? "").kid),
  );
}

function setUpIn(double: AwsDouble): (connection: Connection) => Promise<CompleteConnectionBody> {
  return async (connection) => trustConnection(double, connection);
}
