import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../buckets/bucket.ts";
import { TestBucket } from "../../buckets/bucket.fixture.ts";
import type { Cloud } from "../clouds/cloud.ts";
import { TestCloud, testClouds } from "../clouds/clouds.fixture.ts";
import type { CloudIdentifiers, ConnectionAccess } from "../rows/connections/connection.ts";
import { createConnection } from "../rows/connections/create.ts";
import { findConnection, type StoredConnection } from "../rows/connections/stored-connection.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { VerifiedConnectionSetup } from "./connection-setup.ts";
import { NodeStorage } from "../../artifacts/versions/walks.fixture.ts";

const by = { actor: "person", address: null };
const body: CloudIdentifiers = {
  cloud: "aws",
  aws: { roleArn: "arn:aws:iam::123456789012:role/r" },
};

onEachDatabase((fresh) => {
  const node = fresh.node();

  const create = async (): Promise<StoredConnection> => {
    const organizationId = await node.newOrganization();
    await node.addMember(organizationId, "admin", by.actor);
    return node.write(createConnection, { organizationId, cloud: "aws" as const, name: "n", by });
  };
  const find = ({ organizationId, id }: StoredConnection) =>
    node.read(findConnection, { organizationId, id });
  const setupOf = (verify: Cloud["verify"], takeProbe: (id: string) => void = () => {}) => {
    const aws = { ...testClouds().aws, verify };
    const clouds = testClouds({ aws });
    return new VerifiedConnectionSetup({ storage: new NodeStorage(node), clouds, takeProbe });
  };
  const requestOf = ({ organizationId, id }: StoredConnection) => ({
    organizationId,
    id,
    body,
    by,
  });

  test("what the cloud accepts is saved; it is asked as this connection", async () => {
    const made = await create();
    const asked: ConnectionAccess[] = [];
    const setup = setupOf(async (access) => void asked.push(access));
    const active = await setup.complete(requestOf(made));
    assert.deepEqual(active, { ...made, state: "active", identifiers: body });
    const { organizationId, id: connectionId } = made;
    assert.deepEqual(asked, [{ organizationId, connectionId, identifiers: body }]);
  });

  test("nobody is asked for another cloud, an unknown connection, or too often", async () => {
    const made = await create();
    const asked: unknown[] = [];
    const verify = async (access: ConnectionAccess) => void asked.push(access);
    const google = { cloud: "gcp", gcp: {} } as CloudIdentifiers;
    const setup = setupOf(verify);
    const wrongCloud = setup.complete({ ...requestOf(made), body: google });
    await assert.rejects(wrongCloud, { code: "bad_request", message: /AWS, not to Google Cloud/ });
    const unknown = setup.complete({ ...requestOf(made), id: "none" });
    await assert.rejects(unknown, failsWith("not_found"));
    const foreign = { ...requestOf(made), organizationId: await node.newOrganization() };
    await assert.rejects(setup.complete(foreign), failsWith("not_found"));
    const limited = setupOf(verify, () => {
      throw new ServiceError("rate_limited", "Too often.");
    });
    await assert.rejects(limited.complete(requestOf(made)), failsWith("rate_limited"));
    assert.deepEqual(asked, []);
  });

  test("other identifiers of an active connection must reach what is there; the old ones stay", async () => {
    const made = await create();
    await setupOf(async () => {}).complete(requestOf(made));
    const addLocation = (state: "active" | "retired") =>
      node.execute(
        `INSERT INTO location (id, organization, driver, name, cloud, region, endpoint, bucket, path, connection,
           signing_region, path_style, capabilities, is_fallback, is_default, state, created_at_ms)
         VALUES ($1, $2, 'aws', 'far', 'aws', 'r', 'https://s3.test', $1, '', $3, 'r', 0, '{}', 0, 0, $4, 1)`,
        newId(1),
        made.organizationId,
        made.id,
        state,
      );
    await addLocation("active");
    await addLocation("retired");
    let failure: StoreError | undefined;
    const bucket = new TestBucket();
    bucket.before = () => {
      if (failure !== undefined) throw failure;
    };
    const place = { endpoint: "https://s3.test", bucket: "b", pathStyle: false };
    const cloud = new TestCloud(place, () => bucket);
    const reaching = new VerifiedConnectionSetup({
      storage: new NodeStorage(node),
      clouds: testClouds({ aws: cloud }),
      takeProbe: () => {},
    });
    const other: CloudIdentifiers = {
      cloud: "aws",
      aws: { roleArn: "arn:aws:iam::999999999999:role/other" },
    };
    const replace = () => reaching.complete({ ...requestOf(made), body: other });
    failure = new StoreError("AccessDenied", false, "no", undefined, "Run it again.");
    await assert.rejects(replace(), {
      code: "bad_request",
      message:
        /^AWS refused: AccessDenied\. These identifiers do not reach the bucket \w+ of the location "far"\. Run/,
    });
    assert.deepEqual((await find(made))?.identifiers, body);
    failure = new StoreError("timeout", true, "no");
    await assert.rejects(replace(), failsWith("upstream"));
    assert.deepEqual((await find(made))?.identifiers, body);
    // Those that it has are no change, whatever the buckets say.
    cloud.opened.length = 0;
    await reaching.complete(requestOf(made));
    assert.equal(cloud.opened.length, 0);
    // One that was made while the others were asked.
    failure = undefined;
    bucket.before = async () => {
      bucket.before = () => {};
      await addLocation("active");
    };
    await assert.rejects(replace(), failsWith("conflict"));
    failure = new StoreError("NoSuchBucket", false, "gone");
    bucket.before = (_call, key) => {
      assert.equal(key, "lossless-reach");
      if (cloud.opened.length % 2 === 0) throw failure;
    };
    cloud.opened.length = 0;
    assert.deepEqual((await replace()).identifiers, other);
    assert.equal(cloud.opened.length, 3);
    assert.ok(cloud.opened.every(({ access }) => access.identifiers === other));
  });

  test("what changed while the cloud was asked is seen: the role, and that the connection is there", async () => {
    const made = await create();
    const { organizationId, id } = made;
    const demoted = setupOf(async () => {
      const role = "UPDATE membership SET role = 'member' WHERE organization = $1";
      await node.execute(role, organizationId);
    });
    await assert.rejects(demoted.complete(requestOf(made)), failsWith("forbidden"));
    assert.deepEqual(await find(made), made);
    await node.execute("UPDATE membership SET role = 'owner'");
    const removed = setupOf(async () => {
      await node.execute("DELETE FROM connection WHERE id = $1", id);
    });
    await assert.rejects(removed.complete(requestOf(made)), failsWith("not_found"));
  });

  test("a fault of ours is no refusal", async () => {
    const made = await create();
    const faulty = setupOf(() => Promise.reject(new TypeError("a fault")));
    await assert.rejects(faulty.complete(requestOf(made)), TypeError);
    assert.deepEqual(await find(made), made);
  });
});
