import assert from "node:assert/strict";
import { test } from "node:test";
import { Runner } from "../../storage/background/runner.ts";
import { queueRemoval } from "../rows/removal.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { hashSecret } from "../../ground/secrets.ts";
import { allLocations } from "./removals.ts";
import { Sweeper } from "./sweeper.ts";
import { NodeStorage, TestWalks } from "../versions/walks.fixture.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const files = { "a.bin": Buffer.from("first"), "b.bin": Buffer.from("second") };

onEachDatabase((fresh) => {
  const node = fresh.node();

  const sweeperOf = (walks: TestWalks, sharesDatabase = false) =>
    new Sweeper({
      storage: new NodeStorage(node),
      buckets: { bucketOf: ({ id }: StoredLocation) => walks.buckets.get(id) ?? walks.home },
      clock: () => node.nowMs,
      warn: (message) => walks.warnings.push(message),
      sharesDatabase,
    });

  test("what abandoned uploads left goes, versions and pending uploads stay", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const { epoch } = await walks.open("kept");
    await walks.write("kept", "1", epoch, files);
    const lost = await walks.open("lost");
    const upload = await walks.begin("lost", "1", lost.epoch, files);
    walks.send(upload, files);
    await walks.open("lost");
    const pending = await walks.open("pending");
    await walks.begin("pending", "1", pending.epoch, files);
    const kept = [...home.objects.keys()];
    const sweeper = sweeperOf(walks);
    await sweeper.round();
    assert.equal(home.uploads.size, 4, "a completion may be under way");
    node.nowMs += 10 * minuteMs;
    await sweeper.round();
    assert.deepEqual([...home.objects.keys()], kept);
    assert.equal(home.uploads.size, 2);
    assert.deepEqual(sweeper.figures.queue, { queued: 0, failing: 0, bytes: 0 });
    assert.equal(sweeper.figures.removed, 1);
    node.nowMs += 7 * 24 * hourMs;
    await sweeper.round();
    node.nowMs += 10 * minuteMs;
    await sweeper.round();
    assert.equal(home.uploads.size, 0, "expired after six days");
    assert.deepEqual([...home.objects.keys()], kept);
    await walks.read("kept");
  });

  test("what lies in a bucket whose connection was removed is out of reach: it leaves the queue, nobody warns", async () => {
    const walks = await TestWalks.open(node);
    const [id] = walks.buckets.keys();
    const { epoch } = await walks.open("lost");
    await walks.begin("lost", "1", epoch, files);
    await walks.open("lost");
    await node.execute(
      "UPDATE location SET driver = 'azure', connection = 'gone' WHERE id = $1",
      id,
    );
    walks.home.failing = "abort";
    node.nowMs += 25 * hourMs;
    const sweeper = sweeperOf(walks);
    await sweeper.round();
    assert.deepEqual(sweeper.figures.queue, { queued: 0, failing: 0, bytes: 0 });
    assert.deepEqual(walks.warnings, []);
    assert.equal(walks.home.uploads.size, 2, "nobody can end them any more");
    const later = (await allLocations(new NodeStorage(node))).map((location) => location.id);
    assert.equal(later.includes(id), false);
  });

  test("sessions that ended a month ago are forgotten in a round", async () => {
    const walks = await TestWalks.open(node);
    const person = await node.addMember(await node.newOrganization(), "member");
    const sessions = async () =>
      (await node.all("SELECT hash FROM session WHERE person = $1", person)).length;
    await node.database.write((transaction) =>
      transaction.run(
        `INSERT INTO session (hash, person, created_at_ms, expires_at_ms) VALUES ($1, $2, 0, $3)`,
        hashSecret(person),
        person,
        node.nowMs,
      ),
    );
    const sweeper = sweeperOf(walks);
    await sweeper.round();
    assert.equal(await sessions(), 1);
    node.nowMs += 31 * 24 * hourMs;
    await sweeper.round();
    assert.equal(await sessions(), 0);
  });

  test("objects and manifest of a commit that lost are removed too", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const { epoch } = await walks.open("a");
    const upload = await walks.begin("a", "1", epoch, files);
    const sent = walks.send(upload, files);
    home.before = async (call) => {
      if (call !== "put") return;
      home.before = () => {};
      await walks.open("a");
    };
    await assert.rejects(walks.commit("a", upload, epoch, sent), { code: "superseded" });
    assert.equal(home.objects.size, 3);
    node.nowMs += 10 * minuteMs;
    await sweeperOf(walks).round();
    assert.equal(home.objects.size, 0);
  });

  test("a begin that died leaves uploads that were not written down: they are found", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const { epoch } = await walks.open("a");
    const died = new Error("died");
    let started = 0;
    home.after = (call) => {
      if (call === "startUpload" && ++started === 2) throw died;
    };
    await assert.rejects(walks.begin("a", "1", epoch, files), died);
    assert.ok(home.uploads.size > 0);
    home.after = () => {};
    node.nowMs += 2 * hourMs;
    const sweeper = sweeperOf(walks);
    await sweeper.round();
    node.nowMs += 10 * minuteMs;
    await sweeper.round();
    assert.equal(home.uploads.size, 0);
  });

  test("what comes after an upload was removed is found by its prefix when it is queued anew", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const { epoch } = await walks.open("a");
    const { upload } = await walks.begin("a", "1", epoch, files);
    const prefix = `${walks.organizationId}/a/1/${upload}/`;
    const sweeper = sweeperOf(walks);
    await walks.open("a");
    node.nowMs += 10 * minuteMs;
    await sweeper.round();
    assert.equal(home.uploads.size, 0);
    home.objects.set(`${prefix}a.bin`, Buffer.from("late"));
    // Another artifact may bear the upload's id in its name.
    const other = `${prefix}1/0123456789abcdefghjkmnpqrs/a.bin`;
    home.objects.set(other, Buffer.from("of another upload"));
    await home.startUpload(`${prefix}b.bin`);
    await node.database.write((transaction) =>
      queueRemoval(transaction, upload, "superseded", node),
    );
    node.nowMs += 10 * minuteMs;
    await sweeper.round();
    assert.deepEqual([...home.objects.keys()], [other]);
    assert.equal(home.uploads.size, 0);
  });

  test("a store that fails is tried again later, and keeps no other waiting", async () => {
    const walks = await TestWalks.open(node);
    const other = await walks.addLocation({ name: "other", cloud: "gcp", region: "x" });
    const { home } = walks;
    const otherId = [...walks.buckets.keys()][1];
    for (const name of ["a", "b"]) {
      const { epoch } = await walks.open(name);
      await walks.begin(name, "1", epoch, files);
      const elsewhere = { cloud: "gcp", region: "x", source: "test" };
      await walks.begin(name, "1", epoch, files, { place: elsewhere });
      await walks.open(name);
    }
    assert.equal(other.uploads.size, 4, otherId);
    node.nowMs += 10 * minuteMs;
    home.failing = "abort";
    const sweeper = sweeperOf(walks);
    await sweeper.round();
    assert.equal(other.uploads.size, 0);
    assert.equal(home.uploads.size, 4);
    assert.equal(sweeper.figures.failed, 1, "it is asked once in a round");
    assert.equal(sweeper.figures.queue?.failing, 1);
    assert.equal(walks.warnings.length, 1, "one store, one warning a round");
    home.failing = undefined;
    await sweeper.round();
    assert.equal(home.uploads.size, 2, "what failed not before its time");
    node.nowMs += 2 * minuteMs;
    await sweeper.round();
    assert.equal(home.uploads.size, 0);
  });

  test("multipart uploads that no row knows go after a day, objects never", async () => {
    const walks = await TestWalks.open(node);
    const { home } = walks;
    const { epoch } = await walks.open("a");
    await walks.begin("a", "1", epoch, files);
    const root = `${walks.organizationId}/`;
    const stray = await home.startUpload(`${root}a/1/0123456789abcdefghjkmnpqrs/a.bin`);
    const foreign = await home.startUpload("somebody/else/1");
    home.objects.set(`${root}a/1/0123456789abcdefghjkmnpqrs/b.bin`, Buffer.from("unknown"));
    const sweeper = sweeperOf(walks);
    node.nowMs += 9 * minuteMs;
    await sweeper.round();
    assert.ok(home.uploads.has(stray), "not right after a start");
    node.nowMs += 2 * minuteMs;
    await sweeper.round();
    assert.ok(!home.uploads.has(stray));
    assert.ok(home.uploads.has(foreign));
    assert.equal(home.uploads.size, 3);
    assert.equal(home.objects.size, 1);
    assert.equal(sweeper.figures.abortedStrays, 1);
  });

  test("of several nodes one sweeps", async () => {
    const walks = await TestWalks.open(node);
    const [one, other] = [sweeperOf(walks, true), sweeperOf(walks, true)];
    for (const sweeper of [one, other]) await new Runner(sweeper, assert.fail).round();
    assert.notEqual(one.figures.queue, undefined);
    assert.equal(other.figures.queue, undefined);
  });
});
