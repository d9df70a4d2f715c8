import assert from "node:assert/strict";
import { test } from "node:test";
import { realStores } from "../../../../test/stores/real-stores.ts";
import { createBucket } from "../../../../test/stores/sdk.ts";
import { EgressPolicy } from "../../buckets/egress.ts";
import { probeStore } from "./location-setup.ts";
import { storeOpener } from "../../artifacts/versions/artifact-services.ts";

const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });
const openStore = storeOpener(egress);
const times = { stepsMs: 60_000, cleanupMs: 60_000 };

for (const store of realStores()) {
  test(`the probe finds out what ${store.name} can do, and leaves nothing`, async () => {
    const name = `probe-${crypto.randomUUID()}`;
    await createBucket(store, name);
    const { endpoint, region: signingRegion, pathStyle, accessKeyId, secretAccessKey } = store;
    const keys = { accessKeyId, secretAccessKey };
    const access = { endpoint, bucket: name, signingRegion, pathStyle, ...keys };
    const settings = { egress, openStore, clock: Date.now };
    const found = await probeStore(settings, access, "some/where", times);
    assert.ok(Math.abs(found.clockSkewMs) < 60_000);
    assert.deepEqual(
      { ...found, probedAtMs: 0, clockSkewMs: 0 },
      {
        probedAtMs: 0,
        clockSkewMs: 0,
        enforcesPartLength: true,
        completesAgain: true,
        listsUploads: true,
        partsMax: store.name === "swift" ? 1_000 : 10_000,
      },
    );
    await using bucket = openStore(access);
    assert.deepEqual(await Array.fromAsync(bucket.list("")), []);
    assert.deepEqual(await Array.fromAsync(bucket.listUploads("")), []);
    const wrong = { ...access, secretAccessKey: "wrong" };
    await assert.rejects(probeStore(settings, wrong, "", times), /at the step "put": \w+\.$/);
  });
}
