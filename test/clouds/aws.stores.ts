import assert from "node:assert/strict";
import { test } from "node:test";
import { setupScripts } from "@lossless/server/connections/setup/setup";
import { audiences, cloudName, subjectOf } from "@lossless/server/connections/connection";
import { completionIn, runSetup } from "./aws/command-line.ts";
import { AwsDouble } from "./aws/aws-double.ts";
import { goTheWholeWay } from "./whole-way.ts";
import { World } from "./world.ts";

const organizationId = "01k00000000000000000000001";
const connectionId = "01k00000000000000000000002";
const name = cloudName(connectionId);
const terms = {
  connectionId,
  organizationId,
  subject: subjectOf(organizationId, connectionId),
  audience: audiences.aws,
  issuer: "https://issuer.example.com/lossless",
  baseUrl: "https://lossless.example.com",
};

test("the setup script makes a provider and a role with the real command line of AWS, and again", async () => {
  await using double = await AwsDouble.start();
  const account = double.account();
  const provider = `arn:aws:iam::${account.id}:oidc-provider/issuer.example.com/lossless`;
  const run = () => runSetup(setupScripts.aws(terms), double.endpoint, double.variablesOf());
  const roleArn = `arn:aws:iam::${account.id}:role/${name}`;

  assert.deepEqual(completionIn(await run()), { cloud: "aws", aws: { roleArn } });
  const stored = () => {
    const role = account.roles.get(name)!;
    assert.deepEqual([...account.roles.keys()], [name]);
    assert.deepEqual([...account.providers.keys()], [provider]);
    assert.equal(account.providers.get(provider)?.url, terms.issuer);
    assert.deepEqual([...account.providers.get(provider)!.clientIds], [terms.audience]);
    assert.equal(role.maxSessionSeconds, 14_400);
    assert.deepEqual(role.trust.statements, [
      {
        actions: ["sts:AssumeRoleWithWebIdentity"],
        resources: [],
        federated: provider,
        equals: {
          "issuer.example.com/lossless:aud": terms.audience,
          "issuer.example.com/lossless:sub": terms.subject,
        },
      },
    ]);
    const resources = [...role.policies.values()].flatMap(({ policy }) =>
      policy.statements.flatMap((statement) => statement.resources),
    );
    assert.deepEqual(resources, [`arn:aws:s3:::${name}-*`, `arn:aws:s3:::${name}-*/*`]);
  };
  stored();
  // What differs is corrected.
  const role = account.roles.get(name)!;
  role.trust = { statements: [] };
  role.policies.clear();
  role.maxSessionSeconds = 3_600;
  account.providers.get(provider)!.clientIds.clear();
  await run();
  stored();
  assert.deepEqual(
    double.calls.filter(({ code }) => code !== undefined).map(({ code }) => code),
    ["NoSuchEntity", "NoSuchEntity"],
  );
});

test("AWS: the whole way, set up by the script and the real command line", async () => {
  await using double = await AwsDouble.start();
  await using world = await World.start({ clouds: double.addresses });
  await goTheWholeWay(world, {
    cloud: "aws",
    region: "us-east-1",
    setUp: async ({ setup }) =>
      completionIn(await runSetup(setup, double.endpoint, double.variablesOf())),
  });
});
