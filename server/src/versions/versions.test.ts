import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { VersionsPage } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith, TestNode } from "../database/node.fixture.ts";
import { place, TestWalks } from "./walks.fixture.ts";

const files = { "model.bin": Buffer.alloc(9 * 1_048_576, 7), empty: Buffer.alloc(0) };
const small = { "a/ü file.txt": Buffer.from("a") };

onEachDatabase((fresh) => {
  let node: TestNode;
  let other: TestNode;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
    other = new TestNode(await fresh.open());
  });
  const usageOf = async (walks: TestWalks) => {
    const rows = await node.all<object>(
      `SELECT kind, match, transfer, bytes, count FROM usage WHERE organization = $1
       ORDER BY kind DESC, match, transfer`,
      walks.organizationId,
    );
    return rows.map((row) => ({ ...row }));
  };
  const stateOf = async ({ upload }: { upload: string }) => {
    const [row] = await node.all<{ state: string }>(
      "SELECT state FROM upload WHERE id = $1",
      upload,
    );
    return row?.state;
  };

  test("a version is opened, begun, sent, committed and read back", async () => {
    const walks = await TestWalks.open(node);
    assert.deepEqual(await walks.open("runs/a"), { epoch: 1, version: null, source: null });
    const upload = await walks.begin("runs/a", "001", 1, files, { metaText: '{"step":1}' });
    const [location] = walks.buckets.keys();
    assert.deepEqual(upload.placement, {
      location: { id: location, cloud: "aws", region: "us-east-1" },
      match: "region",
    });
    assert.equal(upload.warning, null);
    assert.equal(upload.expires, new Date(walks.home.expiresAtMs).toISOString());
    assert.deepEqual(
      upload.files.map(({ name, size, partSize, parts }) => [name, size, partSize, parts.length]),
      [
        ["model.bin", files["model.bin"].length, limits.partBytesMin, 2],
        ["empty", 0, limits.partBytesMin, 1],
      ],
    );
    await assert.rejects(walks.read("runs/a"), failsWith("not_found"));
    await assert.rejects(walks.read("runs/a", "001"), failsWith("not_found"));
    const done = await walks.commit("runs/a", upload, 1, walks.send(upload, files).toReversed());
    assert.equal(done.version, "001");
    const record = await walks.read("runs/a");
    assert.deepEqual(record, {
      artifact: "runs/a",
      version: "001",
      committed: done.committed,
      location: upload.placement.location,
      transfer: "local",
      bytes: files["model.bin"].length,
      meta: { step: 1 },
      source: "test",
      expires: upload.expires,
      files: record.files,
    });
    for (const { name, size, url } of record.files) {
      const bytes = await walks.home.read(url!.slice("test:".length), 0, size);
      assert.ok(Buffer.from(files[name as keyof typeof files]).equals(bytes));
    }
    assert.deepEqual(await usageOf(walks), [
      { kind: "write", match: "region", transfer: "local", bytes: record.bytes, count: 1 },
      { kind: "read", match: "", transfer: "local", bytes: record.bytes, count: 1 },
    ]);
  });

  test("the manifest beside the files tells everything that the record tells", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("m");
    const upload = await walks.begin("m", "v1", 1, files, { metaText: '{"a":[1]}' });
    const sent = walks.send(upload, files);
    const { committed } = await walks.commit("m", upload, 1, sent);
    const [key] = [...walks.home.objects.keys()].filter((each) => each.endsWith("_manifest.json"));
    const manifest = JSON.parse(Buffer.from(walks.home.objects.get(key)!).toString());
    const prefix = `${walks.organizationId}/m/v1/${upload.upload}/`;
    assert.deepEqual(manifest, {
      format: "lossless-version-1",
      organization: walks.organizationId,
      artifact: "m",
      version: "v1",
      epoch: 1,
      upload: upload.upload,
      committed,
      location: upload.placement.location,
      bytes: files["model.bin"].length,
      meta: { a: [1] },
      source: "test",
      files: upload.files.map(({ name, size, partSize }, at) => ({
        name,
        size,
        partSize,
        key: prefix + name,
        etags: sent[at].etags.map((etag) => etag.replaceAll('"', "")),
      })),
    });
  });

  test("a meta is handed on letter by letter: to the record, the page, the next writer, the manifest", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("m");
    const metaText = '{"seed":12345678901234567890,"z":-0,"f":1.0,"__proto__":"\\u00e9"}';
    const upload = await walks.begin("m", "v1", 1, small, { metaText });
    await walks.commit("m", upload, 1, walks.send(upload, small));
    const [key] = [...walks.home.objects.keys()].filter((each) => each.endsWith("_manifest.json"));
    const { organizationId, versions } = walks;
    const name = { organizationId, artifact: "m" };
    const texts = [
      await versions.read({ ...name, version: "v1", urls: false, place }),
      await versions.list({ ...name, after: null, urls: true, place }),
      await versions.open({ ...name, mode: "latest", place }),
      Buffer.from(walks.home.objects.get(key)!),
    ];
    for (const text of texts) assert.ok(String(text).includes(`,"meta":${metaText},"source":`));
  });

  test("open: latest, new and fork give what the writer goes on from, or change nothing", async () => {
    const walks = await TestWalks.open(node);
    await assert.rejects(walks.open("a", "latest"), failsWith("not_found"));
    await assert.rejects(walks.open("a", "fork", "b"), failsWith("not_found"));
    await assert.rejects(walks.open("a", "fork", "a"), failsWith("not_found"));
    assert.equal((await walks.open("a")).epoch, 1);
    await assert.rejects(walks.open("a", "latest"), failsWith("not_found"));
    assert.equal((await walks.open("a")).epoch, 2);
    await walks.write("a", "v1", 2, small);
    await assert.rejects(walks.open("a"), failsWith("not_empty"));
    await assert.rejects(walks.open("a", "fork", "a"), failsWith("not_empty"));
    const latest = await walks.open("a", "latest");
    assert.equal(latest.epoch, 3);
    assert.equal(latest.source, null);
    assert.equal(latest.version?.version, "v1");
    assert.notEqual(latest.version?.files[0]?.url, null);
    const fork = await walks.open("b", "fork", "a");
    assert.deepEqual(fork, { epoch: 1, source: "a", version: latest.version });
    // Another organization's artifact of the same path is another one.
    const rival = await TestWalks.open(node);
    await assert.rejects(rival.open("b", "fork", "a"), failsWith("not_found"));
    assert.equal((await rival.open("a")).epoch, 1);
    assert.equal((await usageOf(walks)).length, 1);
  });

  test("open signs the first 100 files; a store that does not sign hides no epoch", async () => {
    const walks = await TestWalks.open(node);
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, at) => [`${at}`, Buffer.from("xy")]),
    );
    await walks.open("a");
    await walks.write("a", "1", 1, many);
    const { version } = await walks.open("a", "latest");
    assert.equal(version?.files.filter(({ url }) => url !== null).length, 100);
    assert.equal((await usageOf(walks)).length, 1);
    walks.home.failing = "signReads";
    const unsigned = await walks.open("a", "latest");
    assert.equal(unsigned.epoch, 3);
    assert.equal(unsigned.version?.expires, null);
    assert.ok(unsigned.version?.files.every(({ url }) => url === null));
    assert.equal(walks.warnings.length, 1);
    await assert.rejects(walks.read("a"), failsWith("upstream"));
  });

  test("begin: superseded before not_after_latest, and neither begins anything", async () => {
    const walks = await TestWalks.open(node);
    await assert.rejects(walks.begin("a", "1", 0, small), failsWith("superseded", { epoch: 0 }));
    await assert.rejects(walks.begin("a", "1", 7, small), failsWith("superseded", { epoch: 0 }));
    await walks.open("a");
    for (const epoch of [0, 2]) {
      await assert.rejects(
        walks.begin("a", "1", epoch, small),
        failsWith("superseded", { epoch: 1 }),
      );
    }
    await walks.write("a", "v10", 1, small);
    for (const version of ["v10", "v1", "V9", "v09"]) {
      await assert.rejects(walks.begin("a", version, 1, small), failsWith("not_after_latest"));
    }
    await assert.rejects(walks.begin("a", "v1", 2, small), failsWith("superseded", { epoch: 1 }));
    await walks.begin("a", "v9", 1, small);
    assert.equal(walks.home.calls.filter(({ call }) => call === "startUpload").length, 2);
  });

  test("placement: region, default of the cloud, fallback; exclude skips, and says so", async () => {
    const walks = await TestWalks.open(node);
    await walks.addLocation({ name: "europe", cloud: "aws", region: "eu-1", isDefault: true });
    await walks.addLocation({ name: "gcp", cloud: "gcp", region: "g" });
    const [home, europe, gcp] = walks.buckets.keys();
    await walks.open("a");
    const begin = async (cloud: string, region: string, exclude: string[]) => {
      const at = { ...place, cloud, region };
      const { placement, warning } = await walks.begin("a", "1", 1, small, { place: at, exclude });
      return [placement.location.id, placement.match, warning !== null];
    };
    assert.deepEqual(await begin("aws", "us-east-1", []), [home, "region", false]);
    assert.deepEqual(await begin("aws", "elsewhere", []), [europe, "cloud", false]);
    assert.deepEqual(await begin("azure", "x", []), [home, null, false]);
    assert.deepEqual(await begin("gcp", "g", [gcp, "unknown"]), [home, null, true]);
    assert.deepEqual(await begin("aws", "us-east-1", [home]), [europe, "cloud", true]);
    await assert.rejects(begin("gcp", "g", [gcp, home]), failsWith("not_ready"));
    await node.execute(
      "UPDATE location SET state = 'retired', is_fallback = 0 WHERE id = $1",
      home,
    );
    await assert.rejects(begin("azure", "x", []), failsWith("not_ready"));
  });

  test("a location that fails is skipped, with the reason; when all fail the last one is told", async () => {
    const walks = await TestWalks.open(node);
    const near = await walks.addLocation({ name: "near", cloud: "gcp", region: "g" });
    await walks.open("a");
    near.failing = "startUpload";
    const at = { ...place, cloud: "gcp", region: "g" };
    const upload = await walks.begin("a", "1", 1, files, { place: at });
    assert.equal(upload.placement.match, null);
    assert.match(upload.warning!, /"near" failed to begin the uploads: SlowDown/);
    const again = JSON.parse((await walks.resign("a", upload, 1)).toString());
    assert.deepEqual(again, upload);
    walks.home.failing = "startUpload";
    await assert.rejects(walks.begin("a", "1", 1, small, { place: at }), failsWith("upstream"));
    // A file was begun at the failing location before another failed: its removal is queued.
    const queued = await node.all<{ reason: string }>(
      "SELECT reason FROM removal JOIN upload ON upload = id WHERE organization = $1",
      walks.organizationId,
    );
    assert.deepEqual(
      queued.map(({ reason }) => reason),
      ["failed", "failed", "failed"],
    );
    near.failing = walks.home.failing = undefined;
    walks.home.failing = "signParts";
    await assert.rejects(walks.begin("a", "1", 1, small), failsWith("upstream"));
  });

  test("a location that does not sign is skipped too, and what it had begun is removed", async () => {
    const walks = await TestWalks.open(node);
    const near = await walks.addLocation({ name: "near", cloud: "gcp", region: "g" });
    await walks.open("a");
    near.failing = "signParts";
    const upload = await walks.begin("a", "1", 1, small, { place: { ...place, cloud: "gcp" } });
    const [home] = walks.buckets.keys();
    assert.equal(upload.placement.location.id, home);
    assert.equal(upload.warning, null, "it was not the better place");
    const at = { ...place, cloud: "gcp", region: "g" };
    const moved = await walks.begin("a", "2", 1, small, { place: at });
    assert.equal(moved.placement.location.id, home);
    assert.match(moved.warning!, /"near" failed to begin the uploads: SlowDown/);
    const queued = await node.all<{ reason: string }>(
      "SELECT reason FROM removal JOIN upload ON upload = id WHERE organization = $1",
      walks.organizationId,
    );
    assert.deepEqual(
      queued.map(({ reason }) => reason),
      ["failed"],
    );
    await walks.commit("a", moved, 1, walks.send(moved, small));
    // One that begins uploads and then never signs is given up like one that never begins.
    const end = Promise.withResolvers<void>();
    near.failing = undefined;
    near.before = (call) => (call === "signParts" ? end.promise : undefined);
    const impatient = walks.again(node, "", 1_000);
    const later = await impatient.begin("a", "3", 1, small, { place: at });
    assert.equal(later.placement.location.id, home);
    assert.match(later.warning!, /"near" failed to begin the uploads: timeout/);
    end.resolve();
  });

  test("files that no store takes are refused before anything is written", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    walks.home.limits = { partsMax: 1, partBytesMin: 1, partBytesMax: 8 * 1_048_576 };
    await assert.rejects(walks.begin("a", "1", 1, files), failsWith("bad_request"));
    const rows = await node.all(
      "SELECT id FROM upload WHERE organization = $1",
      walks.organizationId,
    );
    assert.deepEqual(rows, []);
    assert.deepEqual(walks.home.calls, []);
  });

  test("resign gives the same upload, and refuses what is committed, unknown or superseded", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    await walks.open("b");
    const upload = await walks.begin("a", "1", 1, files);
    const again = JSON.parse((await walks.resign("a", upload, 1)).toString());
    assert.deepEqual(again, upload);
    await assert.rejects(walks.resign("a", { upload: "nothing" }, 1), failsWith("not_found"));
    await assert.rejects(walks.resign("b", upload, 1), failsWith("not_found"));
    const rival = await TestWalks.open(node);
    await rival.open("a");
    await assert.rejects(rival.resign("a", upload, 1), failsWith("not_found"));
    await assert.rejects(walks.resign("a", upload, 2), failsWith("superseded", { epoch: 1 }));
    await walks.commit("a", upload, 1, walks.send(upload, files));
    await assert.rejects(walks.resign("a", upload, 1), failsWith("conflict"));
    await walks.open("a", "latest");
    await assert.rejects(walks.resign("a", upload, 1), failsWith("superseded", { epoch: 2 }));
  });

  test("a taken over writer hears superseded from everything, and its upload is queued", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    const upload = await walks.begin("a", "1", 1, small);
    const sent = walks.send(upload, small);
    await walks.open("a");
    const stop = failsWith("superseded", { epoch: 2 });
    await assert.rejects(walks.begin("a", "2", 1, small), stop);
    await assert.rejects(walks.resign("a", upload, 1), stop);
    await assert.rejects(walks.commit("a", upload, 1, sent), stop);
    // The new writer's epoch does not bring the old upload back.
    await assert.rejects(walks.commit("a", upload, 2, sent), failsWith("not_found"));
    await assert.rejects(walks.resign("a", upload, 2), failsWith("not_found"));
    assert.equal(await stateOf(upload), "abandoned");
    await assert.rejects(walks.read("a"), failsWith("not_found"));
  });

  test("commit refuses another artifact's upload and leaves what can be sent again pending", async () => {
    const walks = await TestWalks.open(node);
    const rival = await TestWalks.open(node);
    for (const each of [walks, rival]) await each.open("a");
    await walks.open("b");
    const upload = await walks.begin("a", "1", 1, files);
    const sent = walks.send(upload, files);
    await assert.rejects(walks.commit("b", upload, 1, sent), failsWith("not_found"));
    await assert.rejects(rival.commit("a", upload, 1, sent), failsWith("not_found"));
    const [model, empty] = sent as [(typeof sent)[0], (typeof sent)[0]];
    const wrong = [
      [model],
      [model, model],
      [model, { ...empty, name: "other" }],
      [...sent, { name: "more", etags: [] }],
      [model, { ...empty, etags: [] }],
      [{ ...model, etags: model.etags.toReversed() }, empty],
      [{ ...model, etags: ["x", ""] }, empty],
      [],
    ];
    for (const one of wrong) {
      await assert.rejects(walks.commit("a", upload, 1, one), failsWith("bad_request"));
      assert.equal(await stateOf(upload), "pending");
    }
    const short = upload.files[0].parts[0].url;
    walks.home.force(short, Buffer.alloc(5));
    await assert.rejects(walks.commit("a", upload, 1, sent), failsWith("bad_request"));
    walks.send(upload, files);
    const blank = sent.map(({ name, etags }) => ({ name, etags: etags.map(() => "") }));
    assert.equal((await walks.commit("a", upload, 1, blank)).version, "1");
  });

  test("parts that were never sent are told by name, nothing is completed", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    const upload = await walks.begin("a", "1", 1, files);
    const sent = walks.send(upload, files);
    const again = await walks.begin("a", "1", 1, files);
    await assert.rejects(walks.commit("a", again, 1, sent), /Part 1 of the file/);
    assert.equal(walks.home.objects.size, 0);
    // Both are pending; the first commit wins, the other can never be one.
    await walks.commit("a", upload, 1, sent);
    await assert.rejects(walks.commit("a", again, 1, sent), failsWith("not_after_latest"));
    assert.equal(await stateOf(again), "abandoned");
  });

  test("a commit that is repeated is answered as the first, even after a take-over", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    const upload = await walks.begin("a", "1", 1, small);
    const sent = walks.send(upload, small);
    const first = await walks.commit("a", upload, 1, sent);
    node.nowMs += 60_000;
    assert.deepEqual(await walks.commit("a", upload, 1, sent), first);
    await walks.open("a", "latest");
    assert.deepEqual(await walks.commit("a", upload, 1, sent), first);
    await walks.write("a", "2", 2, small);
    assert.deepEqual(await walks.commit("a", upload, 1, []), first);
    const write = (await usageOf(walks)).filter((row) => "kind" in row && row.kind === "write");
    assert.deepEqual(write, [
      { kind: "write", match: "region", transfer: "local", bytes: 2, count: 2 },
    ]);
  });

  test("one hundred commits of one upload make one version, on two nodes", async () => {
    const walks = await TestWalks.open(node);
    const beside = walks.again(fresh.dialect === "postgres" ? other : node);
    await walks.open("a");
    const upload = await walks.begin("a", "1", 1, files);
    const sent = walks.send(upload, files);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        (at % 2 === 0 ? walks : beside).commit("a", upload, 1, sent),
      ),
    );
    assert.equal(new Set(replies.map((reply) => JSON.stringify(reply))).size, 1);
    const [, page] = [await walks.read("a"), await usageOf(walks)];
    assert.equal((page[0] as { count: number }).count, 1);
  });

  test("writers that open at once get an epoch each; only the last one commits", async () => {
    const walks = await TestWalks.open(node);
    const beside = walks.again(fresh.dialect === "postgres" ? other : node);
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? walks : beside).open("a")),
    );
    const epochs = opened.map(({ epoch }) => epoch).sort((a, b) => a - b);
    assert.deepEqual(
      epochs,
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    const outcomes = await Promise.allSettled(
      epochs.map((epoch) => walks.write("a", `v${epoch}`, epoch, small)),
    );
    assert.deepEqual(
      outcomes.flatMap(({ status }, at) => (status === "fulfilled" ? [epochs[at]] : [])),
      [20],
    );
  });

  test("lists: versions in name order by pages, the newest signed first", async () => {
    const walks = await TestWalks.open(node);
    const list = async (after: string | null, urls = false) => {
      const { organizationId } = walks;
      const input = { organizationId, artifact: "a", after, urls, place: {} };
      return JSON.parse(String(await walks.versions.list(input))) as VersionsPage;
    };
    assert.deepEqual(await list(null), { versions: [], next: null });
    await walks.open("a");
    const sixty = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}`, Buffer.from("z")]),
    );
    const names = ["V3", "a.1", "a_1", "b"];
    for (const name of names) await walks.write("a", name, 1, sixty);
    const page = await list(null, true);
    assert.deepEqual(
      page.versions.map(({ version }) => version),
      names,
    );
    assert.deepEqual(
      page.versions.map(({ files: all }) => all.filter(({ url }) => url !== null).length),
      [0, 0, 40, 60],
    );
    assert.deepEqual(
      page.versions.map(({ expires }) => expires === null),
      [true, true, false, false],
    );
    assert.ok(page.versions.every(({ transfer }) => transfer === "unknown"));
    assert.deepEqual((await usageOf(walks)).at(-1), {
      kind: "read",
      match: "",
      transfer: "unknown",
      bytes: 100,
      count: 2,
    });
    assert.deepEqual(
      (await list("a.1")).versions.map(({ version }) => version),
      ["a_1", "b"],
    );
    assert.deepEqual(
      (await list("a")).versions.map(({ version }) => version),
      ["a.1", "a_1", "b"],
    );
    assert.deepEqual(await list("zz"), { versions: [], next: null });
    const far = await walks.addLocation({
      name: "far",
      cloud: "gcp",
      region: "r",
      isDefault: true,
    });
    const upload = await walks.begin("a", "c", 1, small, { place: { ...place, cloud: "gcp" } });
    await walks.commit("a", upload, 1, walks.send(upload, small));
    walks.home.failing = "signReads";
    const asked = walks.home.calls.length;
    const partly = await list(null, true);
    // Once for the whole page, and what is elsewhere is signed.
    assert.deepEqual(
      walks.home.calls.slice(asked).map(({ call }) => call),
      ["signReads"],
    );
    assert.equal(walks.warnings.length, 1);
    assert.deepEqual(
      partly.versions.map(({ expires }) => expires === null),
      [true, true, true, true, false],
    );
    far.failing = "signReads";
    const unsigned = await list(null, true);
    assert.equal(unsigned.versions.length, 5);
    assert.ok(unsigned.versions.every(({ expires }) => expires === null));
  });
});
