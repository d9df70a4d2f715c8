import assert from "node:assert/strict";
import { before, test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { readAudit } from "../audit/audit.ts";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith, TestNode } from "../database/node.fixture.ts";
import { newId } from "../ground/ids.ts";
import { Sealing } from "../ground/sealing.ts";
import { addLocation, type NewLocation } from "./add.ts";
import { ensureBuiltInLocations } from "./built-in.ts";
import {
  findLocation,
  listLocations,
  locationRecord,
  locationSecretContext,
  type StoredLocation,
} from "./location.ts";
import { provisionLocations } from "./provisioned.ts";
import { resealSecrets, sealingMasterKeys } from "./secrets.ts";
import { updateLocation } from "./update.ts";

const by = { actor: "person-1", address: "192.0.2.1" };
const sealing = new Sealing(new Uint8Array(32).fill(1));

onEachDatabase((fresh) => {
  let node: TestNode;
  let nodes: TestNode[];
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
    nodes = [node, new TestNode(await fresh.open()), new TestNode(await fresh.open())];
    if (fresh.dialect === "sqlite") nodes = [node];
  });

  const newOrganization = async (): Promise<string> => {
    const id = await node.newOrganization();
    await node.addMember(id, "admin", by.actor);
    return id;
  };
  const newLocation = (organizationId: string, given: Partial<NewLocation> = {}): NewLocation => {
    const id = newId((node.nowMs += 1));
    return {
      id,
      organizationId,
      name: `location ${id}`,
      cloud: "aws",
      region: "us-east-1",
      endpoint: "https://s3.test",
      bucket: id,
      path: "",
      signingRegion: "us-east-1",
      pathStyle: true,
      accessKeyId: "AK",
      sealedSecret: sealing.seal("secret", locationSecretContext({ id, organizationId })),
      capabilities: { probedAtMs: 5, listsUploads: true },
      fallback: false,
      ...given,
    };
  };
  const add = (organizationId: string, given: Partial<NewLocation> = {}, on = node) =>
    on.write(addLocation, { location: newLocation(organizationId, given), by });
  const change = (
    { organizationId, id }: StoredLocation,
    what: Parameters<typeof updateLocation>[1]["change"],
    on = node,
  ) => on.write(updateLocation, { organizationId, id, change: what, by });
  const list = (organizationId: string) => node.read(listLocations, { organizationId });
  const actionsOf = async (organizationId: string, subject: string) => {
    const input = { organizationId, before: null, limit: 1_000 };
    const events = await node.read((reader) => readAudit(reader, input), {});
    // Events of one transaction have no order.
    return events
      .filter((one) => one.subject === subject)
      .map(({ action }) => action)
      .sort();
  };
  const summary = async (organizationId: string) =>
    (await list(organizationId)).map(({ name, isFallback, isDefault, state }) => ({
      name,
      isFallback,
      isDefault,
      state,
    }));

  test("a location comes back as it was added, and its secret never", async () => {
    const organizationId = await newOrganization();
    const location = newLocation(organizationId, { name: "main", path: "a/b", pathStyle: false });
    const stored = await node.write(addLocation, { location, by });
    assert.deepEqual(await list(organizationId), [stored]);
    const { fallback: _fallback, ...fields } = location;
    assert.deepEqual(stored, {
      ...fields,
      driver: "s3",
      connection: null,
      access: null,
      isFallback: false,
      isDefault: false,
      state: "active",
      createdAtMs: node.nowMs,
    });
    assert.deepEqual(locationRecord(stored, "https://here.test"), {
      id: stored.id,
      name: "main",
      kind: "s3",
      cloud: "aws",
      region: "us-east-1",
      protocol: "s3",
      endpoint: "https://s3.test",
      bucket: stored.bucket,
      path: "a/b",
      connection: null,
      fallback: false,
      default: false,
      state: "active",
      created: new Date(node.nowMs).toISOString(),
    });
    assert.deepEqual(await actionsOf(organizationId, stored.id), ["location.added"]);
    const other = await newOrganization();
    assert.deepEqual(await list(other), []);
    const foreign = await node.read((reader) => findLocation(reader, other, stored.id), {});
    assert.equal(foreign, undefined);
  });

  test("endpoint, bucket and path are taken once in an organization, also by a retired location", async () => {
    const organizationId = await newOrganization();
    const first = await add(organizationId, { bucket: "one" });
    await assert.rejects(add(organizationId, { bucket: "one" }), failsWith("conflict"));
    await add(organizationId, { bucket: "one", path: "p" });
    await add(await newOrganization(), { bucket: "one" });
    await change(first, { state: "retired" });
    await assert.rejects(add(organizationId, { bucket: "one" }), failsWith("conflict"));
    assert.equal((await list(organizationId)).length, 2);
  });

  test("a fallback that is added takes the place of the one before", async () => {
    const organizationId = await newOrganization();
    const first = await add(organizationId, { name: "1" });
    assert.equal(first.isFallback, false);
    const second = await add(organizationId, { name: "2", fallback: true });
    assert.equal(second.isFallback, true);
    await add(organizationId, { name: "3", fallback: true });
    const fallbacks = (await list(organizationId)).filter(({ isFallback }) => isFallback);
    assert.deepEqual(
      fallbacks.map(({ name }) => name),
      ["3"],
    );
    assert.deepEqual(await actionsOf(organizationId, second.id), [
      "location.added",
      "location.fallbackMoved",
    ]);
  });

  test("the number of locations is limited", async () => {
    const organizationId = await newOrganization();
    await node.execute(
      `INSERT INTO location (id, organization, driver, name, cloud, region, endpoint, bucket, path, capabilities,
         is_fallback, is_default, state, created_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
       SELECT 'limit-' || i, $1, 's3', 'n', 'c', 'r', 'e', 'b' || i, '', '{}', 0, 0, 'retired', 0 FROM n`,
      organizationId,
      limits.locationsPerOrganizationMax - 1,
    );
    await add(organizationId);
    await assert.rejects(add(organizationId), failsWith("conflict"));
  });

  test("a change asks for name, fallback, default and state; all of it or nothing", async () => {
    const organizationId = await newOrganization();
    const a = await add(organizationId, { name: "a", fallback: true });
    const b = await add(organizationId, { name: "b" });
    const c = await add(organizationId, { name: "c", cloud: "gcp" });
    const changed = await change(b, { name: "new", fallback: true, default: true });
    assert.deepEqual(changed, { ...b, name: "new", isFallback: true, isDefault: true });
    await change(c, { default: true });
    await change(a, { default: true });
    assert.deepEqual(await summary(organizationId), [
      { name: "a", isFallback: false, isDefault: true, state: "active" },
      { name: "new", isFallback: true, isDefault: false, state: "active" },
      { name: "c", isFallback: false, isDefault: true, state: "active" },
    ]);
    const before = await list(organizationId);
    await assert.rejects(change(b, { name: "x", state: "retired" }), failsWith("conflict"));
    await assert.rejects(change(a, { state: "retired", fallback: true }), failsWith("conflict"));
    await assert.rejects(change(a, { state: "retired", default: true }), failsWith("conflict"));
    assert.deepEqual(await list(organizationId), before);
    await change(b, { name: "new", fallback: true });
    assert.deepEqual(await actionsOf(organizationId, b.id), [
      "location.added",
      "location.defaultMoved",
      "location.fallbackMoved",
      "location.renamed",
    ]);
  });

  test("retiring clears the default, can be repeated, and ends nothing but writes", async () => {
    const organizationId = await newOrganization();
    await add(organizationId, { fallback: true });
    const old = await add(organizationId, { name: "old" });
    await change(old, { default: true });
    const retired = await change(old, { state: "retired", name: "older" });
    assert.deepEqual(retired, { ...old, name: "older", state: "retired" });
    assert.deepEqual(await change(old, { state: "retired" }), retired);
    assert.deepEqual(await change(old, { name: "oldest" }), { ...retired, name: "oldest" });
    for (const what of [{ fallback: true }, { default: true }] as const) {
      await assert.rejects(change(old, what), failsWith("conflict"));
    }
    const actions = await actionsOf(organizationId, old.id);
    assert.equal(actions.filter((action) => action === "location.retired").length, 1);
  });

  test("a location of another organization, or none, is not found", async () => {
    const mine = await add(await newOrganization());
    const organizationId = await newOrganization();
    const foreign = { ...mine, organizationId };
    await assert.rejects(change(foreign, { name: "x" }), failsWith("not_found"));
    await assert.rejects(change({ ...foreign, id: "none" }, { name: "x" }), failsWith("not_found"));
    const [unchanged] = await list(mine.organizationId);
    assert.deepEqual(unchanged, mine);
  });

  test("100 changes at once, on every node: one fallback, never none and never two (R17)", async () => {
    const organizationId = await newOrganization();
    const all = [await add(organizationId, { fallback: true })];
    for (let count = 1; count < 6; count += 1) all.push(await add(organizationId));
    const isFallback = async () =>
      (await list(organizationId)).filter((one) => one.isFallback && one.state === "active").length;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, async (_, index) => {
        const location = all[index % all.length];
        const what = index % 3 === 0 ? { state: "retired" as const } : { fallback: true as const };
        await change(location, what, nodes[index % nodes.length]);
        assert.equal(await isFallback(), 1);
      }),
    );
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") failsWith("conflict")(outcome.reason);
    }
    assert.equal(await isFallback(), 1);
    assert.ok(outcomes.some(({ status }) => status === "fulfilled"));
  });

  test("the same place is added once, whoever asks at once", async () => {
    const organizationId = await newOrganization();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        add(organizationId, { bucket: "same", fallback: true }, nodes[index % nodes.length]),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await list(organizationId)).length, 1);
  });

  test("an organization without locations gets the built-in one, once", async () => {
    const empty = await newOrganization();
    const named = await newOrganization();
    const served = await newOrganization();
    await add(served);
    await Promise.all(
      [...nodes, ...nodes].map((one) => one.write(ensureBuiltInLocations, { except: [named] })),
    );
    assert.deepEqual(await list(named), []);
    assert.equal((await list(served)).length, 1);
    const [builtIn, ...more] = await list(empty);
    assert.equal(more.length, 0);
    assert.equal(builtIn?.driver, "built-in");
    const record = locationRecord(builtIn, "http://here.test");
    assert.equal(record.endpoint, "http://here.test");
    assert.equal(record.kind, "s3");
    assert.deepEqual([record.fallback, record.state, record.cloud], [true, "active", "local"]);
    await change(await add(empty, { fallback: true }), { default: true });
    await change(builtIn, { state: "retired" });
    await node.write(ensureBuiltInLocations, { except: [] });
    assert.equal((await list(empty)).length, 2);
  });

  test("a provision adds, changes what is asked for, moves the fallback, and takes nothing away", async () => {
    const organizationId = await newOrganization();
    const location = newLocation(organizationId, { fallback: true });
    const provision = (what: Partial<NewLocation>, isNew: boolean) =>
      node.write(provisionLocations, {
        organizationId,
        locations: [{ ...location, ...what, isNew }],
      });
    await provision({}, true);
    const [added] = await list(organizationId);
    assert.equal(added?.isFallback, true);
    await assert.rejects(provision({ id: newId(1) }, true), failsWith("conflict"));
    await change(added, { default: true });
    const other = await add(organizationId, { fallback: true });
    const changes = {
      name: "new",
      cloud: "gcp",
      region: "europe",
      endpoint: "https://moved.test",
      signingRegion: "auto",
      pathStyle: false,
      accessKeyId: "AK2",
      sealedSecret: new Uint8Array([1, 2, 3]),
      capabilities: { probedAtMs: 9 },
    };
    await provision(changes, false);
    const [changed, second] = await list(organizationId);
    assert.deepEqual(changed, { ...added, ...changes, isFallback: true, isDefault: false });
    assert.deepEqual(second, { ...other, isFallback: false });
    await change(second, { fallback: true });
    await change(changed, { state: "retired" });
    await provision(changes, false);
    assert.deepEqual(await list(organizationId), [
      { ...changed, isFallback: false, state: "retired" },
      { ...second, isFallback: true },
    ]);
    await assert.rejects(provision({ ...changes, id: "gone" }, false), failsWith("conflict"));
  });

  test("a master key is changed for all secrets at once, and only once", async () => {
    const organizationId = await newOrganization();
    // Secrets of the other tests of this file are no real ones.
    await node.execute("UPDATE location SET sealed_secret = NULL");
    const stored = [await add(organizationId), await add(await newOrganization())];
    const keyIds = () => node.read(sealingMasterKeys, {});
    assert.deepEqual(await keyIds(), [sealing.keyId]);
    const next = new Sealing(new Uint8Array(32).fill(2), new Uint8Array(32).fill(1));
    const reseal = (to: Sealing) =>
      node.write((transaction) => resealSecrets(transaction, to), undefined);
    await assert.rejects(reseal(new Sealing(new Uint8Array(32).fill(9))), /master key/);
    assert.deepEqual(await keyIds(), [sealing.keyId]);
    assert.equal(await reseal(next), 2);
    assert.equal(await reseal(next), 0);
    assert.deepEqual(await keyIds(), [next.keyId]);
    for (const { organizationId: owner, id } of stored) {
      const [found] = (await list(owner)).filter((one) => one.id === id);
      assert.equal(next.open(found.sealedSecret!, locationSecretContext(found)), "secret");
    }
  });
});
