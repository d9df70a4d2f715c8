import assert from "node:assert/strict";
import { before, test } from "node:test";
import { S3Double } from "../../../../test/stores/s3-double.ts";
import { StoreError } from "../../buckets/bucket.ts";
import { EgressPolicy } from "../../buckets/egress.ts";
import { S3Bucket } from "../../buckets/s3/bucket.ts";
import { TestBucket } from "../../buckets/bucket.fixture.ts";
import { TestCloud, testClouds } from "../clouds/clouds.fixture.ts";
import type { CloudName } from "../rows/connections/connection.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { addLocation } from "../rows/locations/add.ts";
import { findLocation, locationRecord, type StoredLocation } from "../rows/locations/location.ts";
import { Sealing } from "../../ground/sealing.ts";
import { CreatedLocations, type CreatedLocationSettings } from "./created-locations.ts";
import { LocationBuckets } from "./location-buckets.ts";
import { NodeStorage } from "../../artifacts/versions/walks.fixture.ts";

const by = { actor: "person", address: null };
const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });
const times = { probingMs: 400, replyMs: 60_000, stepsMs: 30_000, cleanupMs: 10_000, pauseMs: 10 };
const identifiers = {
  cloud: "aws",
  aws: { roleArn: "arn:aws:iam::123456789012:role/lossless" },
} as const;

/** A cloud whose buckets are at the double of S3. */
function cloudAt(store: S3Double): TestCloud {
  const { endpoint, accessKeyId, secretAccessKey } = store;
  return new TestCloud({ endpoint, bucket: "models", pathStyle: true }, (created, limits) => {
    const { region: _, ...place } = created;
    const access = { ...place, signingRegion: store.region, accessKeyId, secretAccessKey };
    return new S3Bucket({ ...access, ...limits, egress, attemptsMax: 1 });
  });
}

onEachDatabase((fresh) => {
  const node = fresh.node();
  let storage: NodeStorage;
  before(async () => {
    storage = new NodeStorage(node);
  });

  const newOrganization = async (): Promise<string> => {
    const id = await node.newOrganization();
    await node.addMember(id, "admin", by.actor);
    return id;
  };
  const identify = async (id: string, given: object): Promise<void> => {
    const text = JSON.stringify(given);
    await node.execute("UPDATE connection SET identifiers = $2 WHERE id = $1", id, text);
  };
  const connect = async (
    organizationId: string,
    state: "pending" | "active" = "active",
    cloud: CloudName = "aws",
  ): Promise<string> => {
    const id = newId((node.nowMs += 1));
    await node.execute(
      `INSERT INTO connection (id, organization, cloud, name, state, identifiers, error, created_at_ms)
       VALUES ($1, $2, $3, 'c', $4, NULL, NULL, 1)`,
      id,
      organizationId,
      cloud,
      state,
    );
    if (state === "active") await identify(id, identifiers);
    return id;
  };
  const disconnect = async (id: string): Promise<void> => {
    await node.execute("DELETE FROM connection WHERE id = $1", id);
  };
  const creationWith = (
    cloud: TestCloud,
    given: Partial<CreatedLocationSettings> = {},
  ): CreatedLocations =>
    new CreatedLocations({
      storage,
      egress,
      times,
      clouds: testClouds({ aws: cloud }),
      clock: Date.now,
      baseUrl: () => "https://lossless.test:8443",
      takeProbe: () => {},
      warn: () => {},
      note: () => {},
      ...given,
    });
  const bodyOf = (connection: string, region = "eu-central-1") =>
    ({ kind: "created", connection, region }) as const;
  const list = (organizationId: string): Promise<StoredLocation[]> =>
    storage.read("location.list", { organizationId });
  const messageOf = async (work: Promise<unknown>, code: ServiceError["code"]) => {
    const failure = await work.then(
      () => assert.fail("it succeeded"),
      (error: unknown) => error,
    );
    failsWith(code)(failure);
    return (failure as Error).message;
  };

  test("a driver is kept, one for each state of the connection's identifiers, none without it", async () => {
    const cloud = new TestCloud(
      { endpoint: "https://s3.test", bucket: "b", pathStyle: false },
      () => new TestBucket(),
    );
    const organizationId = await newOrganization();
    const connection = await connect(organizationId);
    const location = {
      id: newId(1),
      organizationId,
      name: "far",
      driver: "aws",
      cloud: "aws",
      region: "r",
      endpoint: "https://s3.test",
      bucket: "b",
      path: "",
      connection,
      signingRegion: "r",
      pathStyle: false,
      capabilities: {},
    } as const;
    await node.write(addLocation, { location, by });
    const read = async () =>
      (await node.read((reader) => findLocation(reader, organizationId, location.id), {}))!;
    const sealing = new Sealing(new Uint8Array(32));
    const clouds = testClouds({ aws: cloud });
    await using buckets = new LocationBuckets(null as never, sealing, null as never, clouds);
    const first = buckets.bucketOf(await read());
    assert.equal(buckets.bucketOf(await read()), first);
    const other = { cloud: "aws", aws: { roleArn: "arn:aws:iam::123456789012:role/other" } };
    await identify(connection, other);
    const second = buckets.bucketOf(await read());
    assert.notEqual(second, first);
    assert.deepEqual(cloud.opened.at(-1)?.access.identifiers, other);
    await disconnect(connection);
    const without = await read();
    assert.equal(without.access, null);
    assert.equal(locationRecord(without, "").kind, "created");
    const refused = buckets.bucketOf(without);
    const isRemoved = (error: unknown) => {
      assert.ok(error instanceof StoreError);
      assert.deepEqual([error.code, error.transient], ["connection removed", false]);
      assert.match(error.advice ?? "", /^The connection of this location was removed/);
      return true;
    };
    const upload = { key: "k", storeUpload: "u" };
    for (const call of [
      () => refused.put("k", []),
      () => refused.read("k", 0, 1),
      () => refused.size("k"),
      () => refused.inspect("k"),
      () => refused.delete("k"),
      () => refused.startUpload("k"),
      () => refused.signParts([{ ...upload, number: 1, sizeBytes: 1 }], 1),
      () => refused.signReads([{ key: "k" }], 1),
      () => refused.listParts(upload),
      () => refused.complete(upload, []),
      () => refused.abort(upload),
      () => Array.fromAsync(refused.list("")),
      () => Array.fromAsync(refused.listUploads("")),
    ]) {
      await assert.rejects(call(), isRemoved);
    }
    assert.equal(cloud.opened.length, 2);
  });

  test("what the cloud refuses is told with its code and advice (A66)", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    const cloud = cloudAt(store);
    cloud.before = () => {
      throw new StoreError("AccessDenied", false, "secret words", undefined, "Run it again.");
    };
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const message = await messageOf(
      creationWith(cloud).add({ organizationId, body, by }),
      "upstream",
    );
    assert.equal(message, "The cloud did not make the bucket: AccessDenied. Run it again.");
    assert.deepEqual(await list(organizationId), []);
  });

  test("a new bucket is probed again until it works", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    store.faults.add({ operation: "PutObject", fault: "slowDown", times: 2 });
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const patient = { times: { ...times, probingMs: 60_000 } };
    const cloud = cloudAt(store);
    const added = await creationWith(cloud, patient).add({ organizationId, body, by });
    assert.equal(added.state, "active");
    assert.deepEqual(cloud.wanted, [
      { region: "eu-central-1", origin: "https://lossless.test:8443" },
    ]);
  });

  test("one that never works is removed again, and the sentence says what to do", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    store.faults.add({ operation: "CompleteMultipartUpload", fault: "internalError" });
    const cloud = cloudAt(store);
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const add = () => creationWith(cloud).add({ organizationId, body, by });
    const message = await messageOf(add(), "bad_request");
    assert.match(message, /at the step "completion of the upload": InternalError\. A cloud may/);
    assert.deepEqual([cloud.removed, await list(organizationId)], [["models"], []]);
    const warnings: string[] = [];
    cloud.before = (call) => {
      if (call === "removeBucket") throw new StoreError("AccessDenied", false, "no");
    };
    const stubborn = creationWith(cloud, { warn: (sentence) => void warnings.push(sentence) });
    const second = await messageOf(stubborn.add({ organizationId, body, by }), "bad_request");
    assert.match(second, /The bucket models at http:\S+ is empty and perhaps still there/);
    assert.match(warnings.join(), /could not be removed/);
  });

  test("clocks that differ are told at once: no later probe would find them equal", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const creation = creationWith(cloudAt(store), {
      clock: () => Date.now() + 3_600_000,
      times: { ...times, probingMs: 3_600_000 },
    });
    const message = await messageOf(creation.add({ organizationId, body, by }), "bad_request");
    assert.match(message, /"clock": the clocks differ by more than 5 minutes\.$/);
  });

  test("a cloud that does not remove the bucket in time holds no reply", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    store.faults.add({ operation: "PutObject", fault: "internalError" });
    const cloud = cloudAt(store);
    const end = Promise.withResolvers<void>();
    cloud.before = (call) => (call === "removeBucket" ? end.promise : undefined);
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const creation = creationWith(cloud, { times: { ...times, probingMs: 0, replyMs: 0 } });
    const message = await messageOf(creation.add({ organizationId, body, by }), "bad_request");
    assert.match(message, /perhaps still there/);
    end.resolve();
  });

  test("a connection that is removed meanwhile, and a role: the bucket goes, nothing is saved", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    const cloud = cloudAt(store);
    const organizationId = await newOrganization();
    const connection = await connect(organizationId);
    const request = { organizationId, body: bodyOf(connection), by };
    cloud.before = (call) => (call === "createBucket" ? disconnect(connection) : undefined);
    const message = await messageOf(creationWith(cloud).add(request), "conflict");
    assert.match(message, /removed while its bucket was made/);
    assert.deepEqual(cloud.removed, ["models"]);
    cloud.removed.length = 0;
    const replaced = await connect(organizationId);
    const other = { cloud: "aws", aws: { roleArn: "arn:aws:iam::123456789012:role/other" } };
    cloud.before = (call) => (call === "createBucket" ? identify(replaced, other) : undefined);
    const late = creationWith(cloud).add({ organizationId, body: bodyOf(replaced), by });
    assert.match(await messageOf(late, "conflict"), /got other identifiers while its bucket/);
    assert.deepEqual(cloud.removed, ["models"]);
    cloud.before = () => {};
    const body = bodyOf(await connect(organizationId));
    const member = { actor: "somebody", address: null };
    const refused = creationWith(cloud).add({ organizationId, body, by: member });
    await assert.rejects(refused, failsWith("forbidden"));
    assert.deepEqual([cloud.removed.length, await list(organizationId)], [2, []]);
  });

  test("when it is not known whether the row is there, the bucket stays", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    const cloud = cloudAt(store);
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const warnings: string[] = [];
    const unsure = new NodeStorage(node);
    unsure.write = async () => {
      throw new ServiceError("storage_unavailable", "The connection broke.");
    };
    const notes: string[] = [];
    const creation = creationWith(cloud, {
      storage: unsure,
      warn: (sentence) => void warnings.push(sentence),
      note: (sentence) => void notes.push(sentence),
    });
    const add = creation.add({ organizationId, body, by });
    await assert.rejects(add, failsWith("storage_unavailable"));
    assert.deepEqual(cloud.removed, []);
    assert.match(warnings.join(), /models was made at aws/);
    assert.match(notes.join(), /^The bucket models was made at http/);
    // These say that nothing was written.
    for (const code of ["storage_full", "overloaded"] as const) {
      unsure.write = async () => {
        throw new ServiceError(code, "No.");
      };
      await assert.rejects(creation.add({ organizationId, body, by }), failsWith(code));
    }
    assert.deepEqual(cloud.removed, ["models", "models"]);
  });

  test("one organization does not take all places, and each bucket counts as a probe", async () => {
    await using store = await S3Double.start({ buckets: ["models"] });
    const cloud = cloudAt(store);
    const end = Promise.withResolvers<void>();
    cloud.before = (call) => (call === "createBucket" ? end.promise : undefined);
    const organizationId = await newOrganization();
    const body = bodyOf(await connect(organizationId));
    const creation = creationWith(cloud);
    const adding = Array.from({ length: 5 }, () =>
      creation.add({ organizationId, body, by }).catch((error: ServiceError) => error.code),
    );
    assert.equal(await Promise.race(adding), "rate_limited");
    end.resolve();
    // The double has one bucket, so they all say that it is theirs.
    const ends = (await Promise.all(adding)).map((one) => (typeof one === "string" ? one : "ok"));
    const sorted = ends.toSorted().join(" ");
    assert.equal(sorted, "conflict conflict conflict ok rate_limited");
  });
});
