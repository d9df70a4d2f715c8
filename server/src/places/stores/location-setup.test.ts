import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { StoreLocationBody } from "@lossless/protocol";
import { S3Double } from "../../../../test/stores/s3-double.ts";
import { EgressPolicy } from "../../buckets/egress.ts";
import { testClouds } from "../clouds/clouds.fixture.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { ServiceError } from "../../ground/errors.ts";
import type { StoredLocation } from "../rows/locations/location.ts";
import { updateLocation } from "../rows/locations/update.ts";
import { createLog } from "../../ground/log.ts";
import { Sealing } from "../../ground/sealing.ts";
import { LocationBuckets } from "./location-buckets.ts";
import { ProbedLocationSetup } from "./location-setup.ts";
import { provisionStores } from "./provision-locations.ts";
import { NodeStorage } from "../../artifacts/versions/walks.fixture.ts";
import { storeOpener } from "../../artifacts/versions/artifact-services.ts";

const secretAccessKey = "a_secret_without_spaces";
const by = { actor: "person", address: null };
const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });
const openStore = storeOpener(egress);
const sealing = new Sealing(new Uint8Array(32).fill(3));
/** Times long enough for any slow machine. */
const times = { turnMs: 60_000, stepsMs: 60_000, cleanupMs: 10_000 };
const clouds = testClouds();
const usual = {
  clouds,
  baseUrl: () => "http://lossless.test",
  warn: () => {},
  note: () => {},
  times,
  sealing,
};

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
  const setupOf = (takeProbe: (id: string) => void = () => {}, given = times) =>
    new ProbedLocationSetup({
      ...usual,
      times: given,
      storage,
      egress,
      openStore,
      takeProbe,
      clock: Date.now,
    });
  const bodyOf = (store: S3Double, given: Partial<StoreLocationBody> = {}): StoreLocationBody => ({
    kind: "s3",
    endpoint: store.endpoint,
    bucket: "models",
    path: "",
    signingRegion: store.region,
    pathStyle: true,
    accessKeyId: store.accessKeyId,
    secretAccessKey,
    cloud: "aws",
    region: "us-east-1",
    ...given,
  });
  const startStore = () => S3Double.start({ buckets: ["models"], secretAccessKey });
  const list = (organizationId: string): Promise<StoredLocation[]> =>
    storage.read("location.list", { organizationId });

  test("a probed store is saved with what was found; its secret opens in its own row only (T63)", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    const body = bodyOf(store, { endpoint: `${store.endpoint}/`, fallback: true });
    const added = await setupOf().add({ organizationId, body, by });
    assert.equal(added.name, "models");
    assert.equal(added.endpoint, store.endpoint);
    assert.equal(added.isFallback, true);
    assert.equal(added.capabilities["partsMax"], 10_000);
    assert.equal(Buffer.from(added.sealedSecret!).includes(secretAccessKey), false);
    await using buckets = new LocationBuckets(null as never, sealing, openStore, clouds);
    const bucket = buckets.bucketOf(added);
    await bucket.put("key", [new Uint8Array(3)]);
    assert.equal(store.objects("models").size, 1);
    assert.equal(buckets.bucketOf({ ...added, name: "renamed" }), bucket);
    assert.notEqual(buckets.bucketOf({ ...added, accessKeyId: "other" }), bucket);
    assert.throws(() => buckets.bucketOf({ ...added, id: "another" }), /belongs to something else/);
    const foreign = { ...added, organizationId: "another", accessKeyId: "x" };
    assert.throws(() => buckets.bucketOf(foreign), /belongs to something else/);
  });

  test("few probes run at once, others wait for their turn, and each counts for its organization", async () => {
    const organizationId = await newOrganization();
    const other = await newOrganization();
    const taken: string[] = [];
    const codes: string[] = [];
    const addAll = (setup: ProbedLocationSetup, store: S3Double, count: number) =>
      Array.from({ length: count }, async (_, index) => {
        const body = bodyOf(store, { path: `p${index}` });
        const request = { organizationId, body, by };
        const failure: unknown = await setup.add(request).catch((error) => error);
        codes.push(failure instanceof Error ? (failure as ServiceError).code : "added");
      });
    {
      await using store = await startStore();
      store.faults.add({ operation: "PutObject", fault: "hang" });
      const impatient = setupOf((id) => void taken.push(id), { ...times, turnMs: 1 });
      const adding = addAll(impatient, store, 6);
      while (codes.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.deepEqual(codes, ["rate_limited", "rate_limited"]);
      // Those that hang leave places for another organization.
      await using sound = await startStore();
      const added = await impatient.add({ organizationId: other, body: bodyOf(sound), by });
      assert.equal(added.bucket, "models");
      await store[Symbol.asyncDispose]();
      await Promise.all(adding);
    }
    assert.deepEqual(codes.splice(2), Array(4).fill("bad_request"));
    assert.deepEqual(taken, [...Array(6).fill(organizationId), other]);
    codes.length = 0;
    await using store = await startStore();
    await Promise.all(addAll(setupOf(), store, 6));
    assert.deepEqual(codes, Array(6).fill("added"));
  });

  // ---- provisioning

  const provision = async (organizationId: string, locations: StoreLocationBody[]) => {
    const lines: string[] = [];
    const log = createLog("warn", (line) => lines.push(line));
    const settings = { storage, sealing, egress, openStore, log, times, clock: Date.now };
    // A test organization has its id as its name.
    await provisionStores([{ name: organizationId, locations }], settings);
    return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  };

  test("what the file says is stored once, and its changes are followed", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    const body = bodyOf(store, { fallback: true });
    assert.deepEqual(await provision(organizationId, [body]), []);
    const [first] = await list(organizationId);
    assert.equal(first?.isFallback, true);
    const sent = store.requests.length;
    await provision(organizationId, [body]);
    assert.equal(store.requests.length, sent);
    assert.deepEqual(await list(organizationId), [first]);

    await provision(organizationId, [{ ...body, name: "main", region: "elsewhere" }]);
    assert.equal(store.requests.length, sent);
    const [second] = await list(organizationId);
    assert.deepEqual(second, { ...first, name: "main", region: "elsewhere" });

    const warnings = await provision(organizationId, [
      { ...body, name: "main", secretAccessKey: "another_secret" },
    ]);
    assert.match(warnings.join(), /FAILED ITS PROBE/);
    const [third] = await list(organizationId);
    assert.deepEqual(third?.capabilities, {});
    await using buckets = new LocationBuckets(null as never, sealing, openStore, clouds);
    assert.equal(buckets.accessOf(third).secretAccessKey, "another_secret");
    await provision(organizationId, [{ ...body, name: "main" }]);
    const [fourth] = await list(organizationId);
    assert.equal(fourth?.capabilities["partsMax"], 10_000);
    assert.equal(fourth?.id, first?.id);
  });

  test("a store that is away is saved with a loud warning, and probed again at the next start", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    store.faults.add({ fault: "internalError" });
    const body = bodyOf(store);
    const [warning] = await provision(organizationId, [body]);
    assert.match(warning ?? "", /FAILED ITS PROBE/);
    const [away] = await list(organizationId);
    assert.deepEqual([away?.capabilities, away?.isFallback, away?.state], [{}, false, "active"]);
    await provision(organizationId, [body]);
    assert.deepEqual(await list(organizationId), [away]);
    store.faults.clear();
    assert.deepEqual(await provision(organizationId, [body]), []);
    const [back] = await list(organizationId);
    assert.equal(back?.capabilities["partsMax"], 10_000);
    const actions = (
      await node.all<{ action: string }>("SELECT action FROM audit WHERE subject = $1", back.id)
    ).map(({ action }) => action);
    assert.deepEqual(actions.sort(), ["location.added", "location.provisioned"]);
  });

  test("the file moves the fallback, but not to a retired location, and retires nothing", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    const [one, two] = [bodyOf(store, { path: "1" }), bodyOf(store, { path: "2" })];
    await provision(organizationId, [{ ...one, fallback: true }, two]);
    const stored = await list(organizationId);
    const [first, second] = ["1", "2"].map((path) => stored.find((each) => each.path === path));
    await node.write(updateLocation, {
      organizationId,
      id: second!.id,
      change: { fallback: true },
      by,
    });
    await provision(organizationId, [{ ...one, fallback: true }]);
    const fallback = async () =>
      (await list(organizationId)).find(({ isFallback }) => isFallback)?.id;
    assert.equal(await fallback(), first!.id);
    await node.write(updateLocation, {
      organizationId,
      id: second!.id,
      change: { state: "retired" },
      by,
    });
    const warnings = await provision(organizationId, [one, { ...two, fallback: true }]);
    assert.match(warnings.join(), /retired location as the fallback/);
    assert.equal(await fallback(), first!.id);
  });

  test("a named location may move to another endpoint, not to another bucket", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    const body = bodyOf(store, { name: "main" });
    await provision(organizationId, [body]);
    const [before] = await list(organizationId);
    const moved = store.endpoint.replace("127.0.0.1", "127.0.0.2");
    await provision(organizationId, [{ ...body, endpoint: moved }]);
    const [after] = await list(organizationId);
    assert.deepEqual([after?.id, after?.endpoint], [before?.id, moved]);
    await assert.rejects(provision(organizationId, [{ ...body, bucket: "other" }]), {
      name: "ConfigError",
      message: /another name/,
    });
    const forbidden = { ...body, endpoint: "http://169.254.169.254" };
    await assert.rejects(provision(organizationId, [forbidden]), { name: "ConfigError" });
  });

  test("a bucket that the service made is nothing that the file can describe", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    const body = bodyOf(store, { name: "main" });
    await provision(organizationId, [body]);
    await node.execute(
      "UPDATE location SET driver = 'aws', connection = 'c' WHERE organization = $1",
      organizationId,
    );
    await assert.rejects(provision(organizationId, [body]), {
      name: "ConfigError",
      message: /the service made that bucket itself/,
    });
    // Its name is free for others.
    await provision(organizationId, [{ ...body, path: "other" }]);
    assert.equal((await list(organizationId)).length, 2);
  });

  test("nodes that start at once with one file make one location", async () => {
    await using store = await startStore();
    const organizationId = await newOrganization();
    const locations = [bodyOf(store, { fallback: true }), bodyOf(store, { path: "p" })];
    const others = Array.from({ length: 3 }, () => provision(organizationId, locations));
    await Promise.all(others);
    assert.equal((await list(organizationId)).length, 2);
  });
});
