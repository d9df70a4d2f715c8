import assert from "node:assert/strict";
import { test } from "node:test";
import { AwsDouble } from "./aws/aws-double.ts";
import { completionIn, runSetup } from "./aws/command-line.ts";
import { nameOf } from "./aws/trusting-account.ts";
import { goTheWholeWay } from "./whole-way.ts";
import { World } from "./world.ts";

const issuer = "https://issuer.example.com/lossless";

test("the setup script makes a provider and a role with the real command line of AWS, and again", async () => {
  await using double = await AwsDouble.start();
  const flags = ["--issuer-url", issuer];
  await using world = await World.start({ clouds: double.addresses, flags });
  const { id, setup, audience, subject } = await world.createConnection("aws");
  const name = nameOf(id);
  const account = double.account();
  const provider = `arn:aws:iam::${account.id}:oidc-provider/issuer.example.com/lossless`;
  const run = () => runSetup(setup, double.origin, double.variablesOf());
  const roleArn = `arn:aws:iam::${account.id}:role/${name}`;

  assert.deepEqual(completionIn(await run()), { cloud: "aws", aws: { roleArn } });
  const stored = () => {
    const role = account.roles.get(name)!;
    assert.deepEqual([...account.roles.keys()], [name]);
    assert.deepEqual([...account.providers.keys()], [provider]);
    assert.equal(account.providers.get(provider)?.url, issuer);
    assert.deepEqual([...account.providers.get(provider)!.clientIds], [audience]);
    assert.equal(role.maxSessionSeconds, 14_400);
    assert.deepEqual(role.trust.statements, [
      {
        actions: ["sts:AssumeRoleWithWebIdentity"],
        resources: [],
        federated: provider,
        equals: {
          "issuer.example.com/lossless:aud": audience,
          "issuer.example.com/lossless:sub": subject,
        },
      },
    ]);
    const resources = [...role.policies.values()].flatMap(({ policy }) =>
      policy.statements.flatMap((statement) => statement.resources),
    );
    assert.deepEqual(resources, [`arn:aws:s3:::${name}-*`, `arn:aws:s3:::${name}-*/*`]);
  };
  stored();
  // A second run corrects differences.
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
      completionIn(await runSetup(setup, double.origin, double.variablesOf())),
  });
});
