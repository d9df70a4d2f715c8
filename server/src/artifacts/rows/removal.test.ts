import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import {
  countRemovals,
  dueRemovals,
  expireUploads,
  findUploads,
  forgetUploads,
  listRemovals,
  readRemoval,
  type Removal,
  removalDone,
  removalFailed,
} from "./removal.ts";
import { TestArtifacts } from "./artifacts.fixture.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

onEachDatabase((fresh) => {
  const node = fresh.node();
  /** The organization's due removals. */
  const due = async ({ locationId }: TestArtifacts): Promise<Removal[]> => {
    const found: Removal[] = [];
    for (const one of await node.read(dueRemovals, { limit: 1_000, without: [] })) {
      if (one.locationId !== locationId) continue;
      found.push((await node.read(readRemoval, { uploadId: one.id }))!);
    }
    return found;
  };
  const stateOf = async (id: string) =>
    (await node.all<{ state: string }>("SELECT state FROM upload WHERE id = $1", id))[0]?.state;

  test("what an abandoned upload left is due after ten minutes, with all that removing it needs", async () => {
    const artifacts = await TestArtifacts.open(node);
    const epoch = await artifacts.openNew("a");
    const upload = await artifacts.begin("a", "1", epoch, ["x", "y"]);
    await artifacts.openNew("a");
    node.nowMs += 10 * minuteMs - 1;
    assert.deepEqual(await due(artifacts), []);
    node.nowMs += 1;
    const [found, ...more] = await due(artifacts);
    assert.equal(more.length, 0);
    const { location, files, ...rest } = found;
    const prefix = `${artifacts.organizationId}/${upload}/`;
    assert.deepEqual(rest, {
      id: upload,
      organizationId: artifacts.organizationId,
      prefix,
      storeUploads: ["store-x", "store-y"],
      reason: "superseded",
      manifestKey: `${prefix}_manifest.json`,
      attempts: 0,
      notBeforeMs: node.nowMs,
    });
    assert.equal(location.id, artifacts.locationId);
    assert.deepEqual(
      files?.map(({ key }) => key),
      [`${prefix}x`, `${prefix}y`],
    );
  });

  test("a removal that fails is tried later and later; one that is done is over", async () => {
    const artifacts = await TestArtifacts.open(node);
    const epoch = await artifacts.openNew("a");
    const uploadId = await artifacts.begin("a", "1", epoch);
    await artifacts.openNew("a");
    node.nowMs += 10 * minuteMs;
    for (const waitMs of [1, 2, 4, 8].map((minutes) => minutes * minuteMs)) {
      assert.equal((await due(artifacts)).length, 1);
      await node.write(removalFailed, { uploadId });
      node.nowMs += waitMs - 1;
      assert.deepEqual(await due(artifacts), []);
      node.nowMs += 1;
    }
    for (let times = 0; times < 40; times++) await node.write(removalFailed, { uploadId });
    node.nowMs += 6 * hourMs;
    assert.equal((await due(artifacts))[0]?.attempts, 44);
    assert.ok((await node.read((reader) => countRemovals(reader), {})).failing >= 1);
    const { notBeforeMs } = (await due(artifacts))[0];
    await node.write(removalDone, { uploadId, notBeforeMs: notBeforeMs - 1 });
    assert.equal((await due(artifacts)).length, 1, "one that was queued anew meanwhile stays");
    await node.write(removalDone, { uploadId, notBeforeMs });
    assert.deepEqual(await due(artifacts), []);
    assert.equal(await stateOf(uploadId), "abandoned");
    await node.write(removalDone, { uploadId, notBeforeMs });
    await node.write(removalFailed, { uploadId });
  });

  test("uploads expire after six days, those that were never begun to the end after an hour", async () => {
    const artifacts = await TestArtifacts.open(node);
    const epoch = await artifacts.openNew("a");
    const starting = await artifacts.begin("a", "1", epoch);
    await node.execute("UPDATE upload SET state = 'starting' WHERE id = $1", starting);
    const pending = await artifacts.begin("a", "1", epoch);
    const completing = await artifacts.begin("a", "1", epoch);
    await node.execute("UPDATE upload SET state = 'completing' WHERE id = $1", completing);
    await artifacts.commitAll("b", { "1": ["f"] });
    node.nowMs += hourMs + 10;
    assert.ok((await node.write(expireUploads, { limit: 1_000 })) >= 1);
    const all = [starting, pending, completing];
    assert.deepEqual(await Promise.all(all.map(stateOf)), ["abandoned", "pending", "completing"]);
    node.nowMs += limits.pendingUploadLifetimeMs;
    assert.equal(await node.write(expireUploads, { limit: 1 }), 1);
    assert.ok((await node.write(expireUploads, { limit: 1_000 })) >= 1);
    assert.equal(await node.write(expireUploads, { limit: 1_000 }), 0);
    assert.ok((await Promise.all(all.map(stateOf))).every((state) => state === "abandoned"));
    node.nowMs += 10 * minuteMs;
    const reasons = (await due(artifacts)).map(({ reason }) => reason);
    assert.deepEqual(reasons.sort(), ["expired", "expired", "unstarted"]);
  });

  test("the files of a removed upload are forgotten at once, its row after a month", async () => {
    const artifacts = await TestArtifacts.open(node);
    const epoch = await artifacts.openNew("a");
    const uploadId = await artifacts.begin("a", "1", epoch);
    const other = await artifacts.begin("a", "1", epoch);
    await artifacts.openNew("a");
    await artifacts.commitAll("kept", { "1": ["f"] });
    const rows = async (table: string) =>
      (await node.all(`SELECT 1 AS one FROM ${table} WHERE upload = $1`, uploadId)).length;
    node.nowMs += 10 * minuteMs;
    const removal = (await node.read(readRemoval, { uploadId }))!;
    await node.write(removalDone, { uploadId, notBeforeMs: removal.notBeforeMs });
    assert.equal(await node.read(readRemoval, { uploadId }), null);
    assert.deepEqual([await rows("upload_files"), await rows("store_upload")], [0, 0]);
    const root = `${artifacts.organizationId}/${uploadId}`;
    const keys = [`${root}/f`, `${root}/_manifest.json`, `${root}x/f`, `${root}/1/${other}/f`];
    const found = { id: uploadId, state: "abandoned" };
    assert.deepEqual(await node.read(findUploads, { keys }), [found, found, null, null]);
    node.nowMs += 30 * 24 * hourMs;
    await node.write(forgetUploads, { limit: 1_000 });
    assert.equal(await stateOf(uploadId), "abandoned");
    node.nowMs += 7 * 24 * hourMs;
    assert.equal(await node.write(forgetUploads, { limit: 1 }), 1);
    while ((await node.write(forgetUploads, { limit: 1 })) > 0);
    assert.equal(await stateOf(uploadId), undefined);
    assert.equal(await stateOf(other), "abandoned", "its removal is not done");
    const { organizationId } = artifacts;
    const uploads = await node.all("SELECT id FROM upload WHERE organization = $1", organizationId);
    assert.equal(uploads.length, 2);
  });

  test("removals are listed page by page, without the locations that failed", async () => {
    const artifacts = await TestArtifacts.open(node);
    const epoch = await artifacts.openNew("a");
    const uploads: string[] = [];
    for (const version of ["1", "2", "3"]) {
      uploads.push(await artifacts.begin("a", version, epoch));
    }
    await artifacts.openNew("a");
    const listed: string[] = [];
    for (let after = ""; ;) {
      const page = await node.read(listRemovals, { after, limit: 2 });
      listed.push(...page);
      if (page.length < 2) break;
      after = page[1]!;
    }
    assert.deepEqual(
      listed.filter((id) => uploads.includes(id)),
      uploads.toSorted(),
    );
    node.nowMs += 10 * minuteMs;
    const without = [artifacts.locationId];
    const left = await node.read(dueRemovals, { limit: 1_000, without });
    assert.ok(left.every(({ id }) => !uploads.includes(id)));
  });

  test("an object belongs to the upload that lists its key, whatever ids stand in it", async () => {
    const artifacts = await TestArtifacts.open(node);
    const epoch = await artifacts.openNew("a");
    const first = await artifacts.begin("a", "1", epoch);
    const second = await artifacts.begin("a", "2", epoch, [`${first}/f`]);
    const root = `${artifacts.organizationId}/`;
    const keys = [
      `${root}${first}/f`,
      `${root}${first}/g`,
      `${root}${second}/${first}/f`,
      `${root}${second}/_manifest.json`,
      `${root}nothing`,
    ];
    assert.deepEqual(await node.read(findUploads, { keys }), [
      { id: first, state: "pending" },
      null,
      { id: second, state: "pending" },
      { id: second, state: "pending" },
      null,
    ]);
  });
});
