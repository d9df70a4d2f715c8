import assert from "node:assert/strict";
import { test } from "node:test";
import { findExpired } from "../rows/removal.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { StoreError } from "../../buckets/bucket.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { DirectStorage } from "../../storage/direct-storage.ts";
import { collectGarbage, type GarbageReport, noIssuerCode } from "./garbage.ts";
import { TestWalks } from "../versions/walks.fixture.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const files = { "a.bin": Buffer.from("first"), "b.bin": Buffer.from("second") };

onEachDatabase((fresh) => {
  const node = fresh.node();

  const collect = async (walks: TestWalks, dryRun: boolean): Promise<GarbageReport> => {
    const report = await collectGarbage({
      storage: new DirectStorage(node.database, () => node.nowMs),
      countExpired: async () => (await node.read(findExpired, { limit: 1000 })).length,
      buckets: { bucketOf: ({ id }: StoredLocation) => walks.buckets.get(id) ?? walks.home },
      clock: () => node.nowMs,
      dryRun,
    });
    assert.deepEqual(report.problems, []);
    return report;
  };

  test("a dry run shows what would go and changes nothing; then it goes, and the unknown stays", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const kept = await walks.open("kept");
    await walks.write("kept", "1", kept.epoch, files);
    const lost = await walks.open("lost");
    const upload = await walks.begin("lost", "1", lost.epoch, files);
    walks.send(upload, files);
    await walks.open("lost");
    const old = await walks.open("old");
    await walks.begin("old", "1", old.epoch, files);
    const root = `${walks.organizationId}/`;
    await home.startUpload(`${root}x/1/0123456789abcdefghjkmnpqrs/a.bin`);
    const unknown = `${root}x/1/0123456789abcdefghjkmnpqrs/b.bin`;
    home.objects.set(unknown, Buffer.from("unknown"));
    home.objects.set("somebody/else", Buffer.from("foreign"));
    const [early] = (await collect(walks, true)).removals;
    assert.equal(early?.state, "waiting");
    node.nowMs += 7 * dayMs;
    const before = { objects: [...home.objects.keys()], uploads: [...home.uploads.keys()] };
    const shown = await collect(walks, true);
    assert.equal(shown.expired, 1);
    assert.deepEqual(
      shown.removals.map(({ upload: id, reason, files: count, bytes, state }) => {
        return [id, reason, count, bytes, state];
      }),
      [[upload.upload, "superseded", 2, 11, "to be removed"]],
    );
    assert.equal(shown.strays.length, 1);
    assert.deepEqual(
      shown.objects.map(({ key, what }) => [key, what]),
      [[unknown, "unknown"]],
    );
    assert.deepEqual([...home.objects.keys()], before.objects);
    assert.deepEqual([...home.uploads.keys()], before.uploads);

    const done = await collect(walks, false);
    assert.equal(done.expired, 1);
    assert.deepEqual(done.removals.map(({ state }) => state).sort(), ["removed", "waiting"]);
    assert.equal(done.strays.length, 1);
    node.nowMs += 10 * minuteMs;
    await collect(walks, false);
    assert.equal(home.uploads.size, 0);
    assert.deepEqual([...home.objects.keys()], before.objects);
    const nothing = await collect(walks, false);
    assert.deepEqual({ ...nothing, objects: [] }, emptyReport);
    await walks.read("kept");
  });

  test("an object that came after its upload was removed goes; a pending upload's stays", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const { epoch } = await walks.open("a");
    const upload = await walks.begin("a", "1", epoch, files);
    const [first] = home.uploads.values();
    assert.ok(first !== undefined);
    home.objects.set(first.key, Buffer.from("late"));
    assert.deepEqual((await collect(walks, false)).objects, []);
    await walks.open("a");
    node.nowMs += 10 * minuteMs;
    const { removals } = await collect(walks, false);
    assert.equal(removals.find((one) => one.upload === upload.upload)?.state, "removed");
    home.objects.set(first.key, Buffer.from("later still"));
    const { objects } = await collect(walks, false);
    assert.deepEqual(
      objects.map(({ key, what }) => [key, what]),
      [[first.key, "abandoned"]],
    );
    assert.equal(home.objects.size, 0);
  });

  test("without the token issuer nothing was tried: the service's own removal is not put off", async () => {
    const walks = await TestWalks.open(node);
    const { epoch } = await walks.open("a");
    const { upload } = await walks.begin("a", "1", epoch, files);
    await walks.open("a");
    node.nowMs += 10 * minuteMs;
    const storage = new DirectStorage(node.database, () => node.nowMs);
    const queued = () => storage.read("removal.read", { uploadId: upload });
    const before = await queued();
    assert.ok(before !== null);
    for (const [code, isPutOff] of [
      [noIssuerCode, false],
      ["AccessDenied", true],
    ] as const) {
      const report = await collectGarbage({
        storage,
        countExpired: () => Promise.resolve(0),
        buckets: {
          bucketOf: () => {
            throw new StoreError(code, false, "no");
          },
        },
        clock: () => node.nowMs,
        dryRun: false,
      });
      const state = report.removals.find((one) => one.upload === upload)?.state;
      assert.equal(state, "failed");
      assert.equal((await queued())!.attempts - before.attempts, isPutOff ? 1 : 0);
    }
    node.nowMs += 2 * minuteMs;
    await collect(walks, false);
  });

  test("a store that fails is a problem, and the removal is tried again", async () => {
    const walks = await TestWalks.open(node);
    const { epoch } = await walks.open("a");
    await walks.begin("a", "1", epoch, files);
    await walks.open("a");
    node.nowMs += 10 * minuteMs;
    walks.home.failing = "abort";
    const failed = collect(walks, false);
    await assert.rejects(failed, /did not let the upload/);
    walks.home.failing = undefined;
    const { removals } = await collect(walks, false);
    assert.deepEqual(
      removals.map(({ state }) => state),
      ["removed"],
    );
  });
});

const emptyReport: GarbageReport = {
  expired: 0,
  removals: [],
  strays: [],
  objects: [],
  problems: [],
};
