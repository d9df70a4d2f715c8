import assert from "node:assert/strict";
import { test } from "node:test";
import { Issuer } from "../places/issuer/issuer.ts";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { addLocation } from "../places/rows/locations/add.ts";
import { listLocations, locationSecretContext } from "../places/rows/locations/location.ts";
import { SealBroken, Sealing } from "../ground/sealing.ts";
import { NodeStorage } from "../artifacts/versions/walks.fixture.ts";
import { masterKeysInUse, resealEverything } from "./sealed-secrets.ts";

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const sealing = new Sealing(keyOf(1));

onEachDatabase((fresh) => {
  const node = fresh.node();
  const inUse = () => node.read(masterKeysInUse, {});
  const reseal = (to: Sealing) =>
    node.write((transaction) => resealEverything(transaction, to), undefined);
  const issuerWith = (seal: Sealing) => {
    const storage = new NodeStorage(node);
    return new Issuer({ storage, sealing: seal, issuerUrl: "https://i.test", clock: () => 1e12 });
  };
  const token = { subject: "s", audience: "a" };

  test("the issuer's keys are sealed secrets as those of stores are: found, and sealed again", async () => {
    assert.deepEqual(await inUse(), []);
    await issuerWith(sealing).mint(token);
    assert.deepEqual(await inUse(), [sealing.keyId], "without any location");
    const organizationId = await node.newOrganization();
    const by = { actor: await node.addMember(organizationId, "admin"), address: null };
    const context = locationSecretContext({ id: "l", organizationId });
    await node.write(addLocation, {
      by,
      location: {
        id: "l",
        organizationId,
        name: "store",
        cloud: "aws",
        region: "us-east-1",
        endpoint: "https://s3.test",
        bucket: "b",
        path: "",
        signingRegion: "us-east-1",
        pathStyle: true,
        accessKeyId: "AK",
        sealedSecret: sealing.seal("secret", context),
        capabilities: { probedAtMs: 5, listsUploads: true },
        fallback: false,
      },
    });
    assert.deepEqual(await inUse(), [sealing.keyId]);

    await assert.rejects(reseal(new Sealing(keyOf(9))), SealBroken);
    const next = new Sealing(keyOf(2), keyOf(1));
    assert.equal(await reseal(next), 3, "one store, the active and the next key");
    assert.equal(await reseal(next), 0);
    assert.deepEqual(await inUse(), [next.keyId]);
    await issuerWith(new Sealing(keyOf(2))).mint(token);
    await assert.rejects(issuerWith(sealing).mint(token), SealBroken);
    const [location] = await node.read(listLocations, { organizationId });
    assert.equal(next.open(location.sealedSecret!, context), "secret");
  });
});
