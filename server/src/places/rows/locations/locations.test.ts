import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { failsWith } from "../../../database/node.fixture.ts";
import { newId } from "../../../ground/ids.ts";
import { Sealing } from "../../../ground/sealing.ts";
import { addLocation, type NewLocation } from "./add.ts";
import { ensureBuiltInLocations } from "./built-in.ts";
import {
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
  const node = fresh.node();
  const nodes = fresh.dialect === "sqlite" ? [node] : [node, fresh.node(), fresh.node()];

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
