import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { CompleteConnectionBody, Connection } from "@lossless/protocol";
import { run } from "../cli/command-line.ts";
import { radosgwAccount } from "../stores/radosgw.ts";
import { realStores } from "../stores/real-stores.ts";
import { CephFront } from "./aws/ceph-front.ts";
import { commandLineEnvironment } from "./aws/command-line.ts";
import { IssuerFront } from "./aws/issuer-front.ts";
import { nameOf } from "./aws/trusting-account.ts";
import { goTheWholeWay } from "./whole-way.ts";
import { World } from "./world.ts";

/**
 * Ceph's gateway as STS and S3: it fetches our issuer's documents, verifies our tokens and believes
 * in its own sessions. Ceph 16 knows conditions on the audience only, so the role here does NOT pin
 * the subject as every setup script does; the double of AWS covers that.
 */
for (const store of realStores().filter(({ name }) => name === "radosgw")) {
  test("Ceph as AWS: the whole way", async () => {
    await using front = await IssuerFront.start();
    await using ceph = await CephFront.start(store.endpoint);
    await using world = await World.start({
      clouds: { aws: { sts: store.endpoint, s3: ceph.origin } },
      flags: ["--issuer-url", front.origin],
    });
    front.upstream = world.baseUrl;
    await goTheWholeWay(world, {
      cloud: "aws",
      region: store.region,
      setUp: async (connection) => {
        const thumbprints = await front.thumbprints();
        front.onlyKey = await signingKeyOf(world);
        return setUp(store.endpoint, connection, thumbprints);
      },
      rotateKeys: async () => {
        await world.rotateIssuerKeys();
        const before = front.onlyKey;
        front.onlyKey = await signingKeyOf(world);
        assert.notEqual(front.onlyKey, before);
      },
    });
    assert.equal(ceph.keptBack.length, 1);
  });
}

async function signingKeyOf({ baseUrl, service }: World): Promise<string> {
  const words = ["issuer", "keys", "--json", "--data", service.dataDirectory];
  const { stdout } = await run(baseUrl, ...words);
  const { keys } = JSON.parse(stdout) as { keys: { id: string; state: string }[] };
  return keys.find(({ state }) => state === "active")!.id;
}

async function setUp(
  endpoint: string,
  { id, audience, issuer }: Connection,
  thumbprints: readonly string[],
): Promise<CompleteConnectionBody> {
  const { account } = radosgwAccount;
  const issuerKey = issuer.replace("http://", "");
  const provider = `arn:aws:iam::${account}:oidc-provider/${issuerKey}`;
  const name = nameOf(id);
  const statement = {
    Effect: "Allow",
    Principal: { Federated: [provider] },
    Action: ["sts:AssumeRoleWithWebIdentity"],
    Condition: { StringEquals: { [`${issuerKey}:app_id`]: audience } },
  };
  const buckets = `arn:aws:s3:::${name}-*`;
  const allowed = { Effect: "Allow", Action: ["s3:*"], Resource: [buckets, `${buckets}/*`] };
  const iam = (...words: string[]) => aws(endpoint, "iam", ...words);
  const listed = ["--client-id-list", audience, "--thumbprint-list", ...thumbprints];
  await iam("create-open-id-connect-provider", "--url", issuer, ...listed);
  const role = ["--role-name", name];
  const trust = ["--assume-role-policy-document", policyText(statement)];
  await iam("create-role", ...role, "--max-session-duration", "14400", ...trust);
  const policy = ["--policy-name", "buckets", "--policy-document", policyText(allowed)];
  await iam("put-role-policy", ...role, ...policy);
  return { cloud: "aws", aws: { roleArn: `arn:aws:iam::${account}:role/${name}` } };
}

function policyText(statement: object): string {
  return JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
}

async function aws(endpoint: string, ...words: string[]): Promise<void> {
  await promisify(execFile)("aws", ["--endpoint-url", endpoint, ...words], {
    env: commandLineEnvironment({
      AWS_ACCESS_KEY_ID: radosgwAccount.accessKeyId,
      AWS_SECRET_ACCESS_KEY: radosgwAccount.secretAccessKey,
    }),
  });
}
