import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import type { FileAddressReply, UploadReply, UsageRow } from "@lossless/protocol";
import { call, ok, parseObject } from "../../http.ts";
import { MovableClock } from "../../movable-clock.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { organizations } from "../../service.ts";
import type { S3Double } from "../../stores/s3-double.ts";
import {
  address,
  ArtifactCaller,
  fails,
  fetchBytes,
  type Files,
  type Query,
  sendPart,
  sendParts,
} from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { locationBody, OrganizationSetup, startStore } from "../organization-setup.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { oneFile, opened, Writer } from "../writer.ts";

const dayMs = 86_400_000;
const near = { cloud: "aws", region: "us-east-1", source: "trainer" };
const files: Files = { "a.bin": Buffer.from("abc"), "dir/ü x": Buffer.alloc(0) };
const clock = new MovableClock(suiteDirectory("clock"));

topic(
  "what is stored, and what is counted",
  (system) => {
    let store: S3Double;
    let ada: OrganizationSetup;
    let acme: ArtifactCaller;
    before(async () => {
      store = await startStore();
      ada = new OrganizationSetup(system, await signIn(system, "ada"));
      acme = new ArtifactCaller(system, organizations.acme.key);
      await ada.add(locationBody(store, { name: "east", path: "our/prefix" }));
    });
    after(() => store[Symbol.asyncDispose]());
    afterEach(() => {
      clock.aheadMs = 0;
    });

    const objects = () => store.objects("models");

    async function stored(artifact = uniqueName("runs/läuf 1")) {
      const writer = await Writer.open(acme, artifact);
      const meta = { step: 3, "": [null] };
      const upload = await writer.begin("7", files, { place: near, meta });
      const sent = await sendParts(upload, files);
      ok(await writer.commit(upload.upload, sent), 200);
      return { writer, upload, sent, meta };
    }

    test("A26: every key has the prefix, the artifact, the version and the upload's id in it", async () => {
      const { writer, upload } = await stored();
      const keys = [...objects().keys()].filter((key) => key.includes(upload.upload));
      const root = keys[0].slice(0, keys[0].indexOf(upload.upload) + upload.upload.length + 1);
      assert.ok(root.startsWith("our/prefix/"), root);
      assert.ok(root.endsWith(`/${writer.artifact}/7/${upload.upload}/`), root);
      const names = [...Object.keys(files), "_manifest.json"];
      assert.deepEqual(keys.sort(), names.map((name) => root + name).sort());
      for (const [name, bytes] of Object.entries(files)) {
        assert.ok(
          bytes.equals(
            await objects()
              .get(root + name)!
              .bytes(),
          ),
        );
      }
    });

    test("rule 5, A28: _manifest.json is the record with the ETags of all parts, and no address", async () => {
      const { writer, upload, sent, meta } = await stored();
      const key = [...objects().keys()].find(
        (one) => one.includes(upload.upload) && one.endsWith("/_manifest.json"),
      )!;
      const text = (await objects().get(key)!.bytes()).toString();
      const manifest = parseObject(text);
      const record = await acme.read(writer.artifact, "7");
      assert.deepEqual(
        [manifest.artifact, manifest.version, manifest.committed, manifest.meta],
        [writer.artifact, "7", record.committed, meta],
      );
      for (const { etags } of sent) {
        for (const etag of etags) assert.ok(text.includes(etag.replaceAll('"', "")), etag);
      }
      assert.doesNotMatch(text, /X-Amz-|http:\/\/|secret/i);
    });

    test("rule 5: a commit whose manifest is not stored is upstream, and the same commit succeeds later", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", files, { place: near });
      const sent = await sendParts(upload, files);
      store.faults.add({ operation: "PutObject", key: /_manifest/, fault: "internalError" });
      const message = await fails(writer.commit(upload.upload, sent), 502, "upstream");
      assert.ok(!message.includes(store.secretAccessKey) && !/http|X-Amz/.test(message), "T60");
      const { artifact } = writer;
      await fails(acme.request("versions/read", { artifact, version: "1" }), 404, "not_found");
      store.faults.clear();
      const done = await writer.commit(upload.upload, sent);
      ok(done, 200);
      assert.equal((await writer.commit(upload.upload, sent)).text, done.text, "A24");
    });

    test("upstream: a begin that no location's store takes; nothing of it is seen", async () => {
      const writer = await Writer.open(acme);
      const builtIn = (await ada.view()).locations.find(({ fallback }) => fallback)!;
      store.faults.add({ operation: "CreateMultipartUpload", fault: "slowDown" });
      const more = { place: near, exclude: [builtIn.id] };
      await fails(writer.tryBegin("1", more), 502, "upstream");
      store.faults.clear();
      assert.equal((await writer.tryBegin("1", more)).status, 201);
    });

    test("a file of a bucket is saved under its own name, and no other can be written into its address", async () => {
      const { writer } = await stored();
      const query = { artifact: writer.artifact, version: "7", file: "dir/ü x" };
      const path = address("file-address", query).replace("/v1/", "/views/v1/");
      const { credential } = acme;
      const { url } = ok<FileAddressReply>(await call(system.baseUrl, { path, credential }), 200);
      const saved = (await fetch(url)).headers.get("content-disposition");
      assert.equal(saved, "attachment; filename=\"- x\"; filename*=UTF-8''%C3%BC%20x");
      const altered = url.replace("attachment", "inline");
      assert.notEqual(altered, url);
      assert.equal((await fetch(altered)).status, 403);
      const record = await acme.read(writer.artifact, "7", { urls: "1" });
      assert.ok(!record.files[0].url!.includes("disposition"), "what programs fetch has no name");
    });

    test("T12, A20: at an S3 store, too, an address takes one part of its length and nothing after the commit", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", oneFile, { place: near });
      const { url } = upload.files[0].parts[0];
      const refused = async (to: string, body: string) => {
        // With the length of this body, whatever the reply of begin said.
        const reply = await sendPart({ url: to, headers: {} }, Buffer.from(body));
        assert.ok([400, 403, 404].includes(reply.status), `${reply.status} ${reply.text}`);
      };
      await refused(url, "weights and more");
      await refused(url, "short");
      await refused(url.replace("partNumber=1", "partNumber=2"), "weights");
      await refused(url.replace(/uploadId=[^&]+/, "uploadId=x"), "weights");
      await refused(url.replace("model.bin", "other.bin"), "weights");
      await refused(url.replace(/&X-Amz-Signature=\w+/, ""), "weights");
      const sent = await sendParts(upload, oneFile);
      ok(await writer.commit(upload.upload, sent), 200);
      await refused(url, "weights");
      await refused(url, "evil!!!");
      const record = await acme.read(writer.artifact, "1", { urls: "1" });
      assert.equal((await fetchBytes(record.files[0].url)).toString(), "weights");
      const other = await Writer.open(acme);
      const begun = await other.begin("1", oneFile, { place: near });
      await acme.open(other.artifact);
      const late = begun.files[0].parts[0];
      const sentLate = await sendPart(late, oneFile["model.bin"]);
      // The store may still take it into its dead upload; no version can come of it.
      if (sentLate.status === 200) {
        const etags = [String(sentLate.headers.etag)];
        const commit = other.commit(begun.upload, [{ name: "model.bin", etags }]);
        await fails(commit, 409, "superseded", 2);
      }
    });

    test("T13: an S3 address of a file cannot be made into one of another", async () => {
      const { writer } = await stored();
      const record = await acme.read(writer.artifact, "7", { urls: "1" });
      const url = record.files[0].url!;
      assert.equal(await (await fetch(url)).text(), "abc");
      for (const other of [
        url.replace("a.bin", "dir/%C3%BC%20x"),
        url.replace("/7/", "/8/"),
        url.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=604800"),
        url.replace(/X-Amz-Signature=\w/, "X-Amz-Signature=z"),
      ]) {
        assert.notEqual(other, url);
        assert.equal((await fetch(other)).status, 403, other);
      }
      assert.equal((await fetch(url, { method: "PUT", body: "evil" })).status, 403);
      assert.equal((await fetch(url, { method: "DELETE" })).status, 403);
    });

    test("T60, T62: a store whose secret is wrong is upstream; no reply has it", async () => {
      const rita = new OrganizationSetup(system, await signIn(system, "rita"));
      const other = await startStore();
      try {
        const broken = await rita.add(locationBody(other, { region: "us-broken-1" }));
        other.faults.add({ fault: "requestTimeTooSkewed" });
        const rival = new ArtifactCaller(system, organizations.rival.key);
        const writer = await Writer.open(rival);
        const place = { ...near, region: "us-broken-1" };
        // The built-in location is the fallback: the write goes there, and says why.
        const upload: UploadReply = ok(await writer.tryBegin("1", { place }), 201);
        assert.ok(upload.placement.location.id !== broken.id);
        assert.equal(typeof upload.warning, "string", "A17, rule 2");
        for (const text of [upload.warning!, (await rita.request("GET", "org")).text]) {
          assert.ok(!text.includes(other.secretAccessKey));
          assert.doesNotMatch(text, /secret|sealed/i);
        }
      } finally {
        await other[Symbol.asyncDispose]();
      }
    });

    test("T38: a symbolic link in the built-in location is not followed", async () => {
      const { artifact } = await Writer.open(acme).then(async (writer) => {
        await writer.write("1", { secret: Buffer.from("#".repeat(12_345)) });
        return writer;
      });
      const directory = join(system.service.dataDirectory, "artifacts");
      const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => readFileSync(path).includes("#".repeat(12_345)));
      assert.ok(paths.length > 0, "the file is found on the disk");
      const elsewhere = join(system.service.directory, "elsewhere");
      for (const path of paths) {
        writeFileSync(elsewhere, readFileSync(path, "latin1").replaceAll("#", "!"), "latin1");
        rmSync(path);
        symlinkSync(elsewhere, path);
      }
      const record = await acme.read(artifact, "1", { urls: "1" });
      const reply = await fetch(record.files[0].url!).catch(() => undefined);
      if (reply !== undefined) {
        const text = await reply.text().catch(() => "cut off");
        assert.ok(!text.includes("!"), `${reply.status} ${text.slice(0, 100)}`);
        assert.equal(reply.status, 500);
        assert.equal(parseObject(text).error, "internal");
      }
    });

    test("A32, A60: usage by UTC day, newest first; only commits and signed reads count", async () => {
      // Noon, so that no day ends during the test.
      const noonMs = dayMs / 2 - (Date.now() % dayMs);
      const setDay = (day: number) => {
        clock.aheadMs = noonMs + day * dayMs;
        return new Date(Date.now() + noonMs + day * dayMs).toISOString().slice(0, 10);
      };
      const cloud = uniqueName("cloud");
      const place = { cloud, region: "r", source: "one" };
      // A session does not live for 30 days; a key does.
      const key = new OrganizationSetup(system, organizations.acme.key);
      const mine = async (days?: string) =>
        (await key.usage(days)).filter(({ placeCloud }) => placeCloud === cloud);
      const write = async (writer: Writer, version: string, at = place) => {
        const upload = await writer.begin(version, files, { place: at });
        ok(await writer.resign(upload.upload), 200);
        const sent = await sendParts(upload, files);
        for (let again = 0; again < 3; again++) ok(await writer.commit(upload.upload, sent), 200);
        return upload.placement.location;
      };
      const first = setDay(0);
      const writer = await Writer.open(acme);
      const location = await write(writer, "1");
      await write(writer, "2", { ...place, source: "two" });
      const lost = await writer.begin("3", files, { place });
      const sent = await sendParts(lost, files);
      const next = await Writer.open(acme, writer.artifact, "latest");
      await fails(writer.commit(lost.upload, sent), 409, "superseded", 2);
      await next.begin("9", files, { place });
      const group = {
        kind: "write",
        placeCloud: cloud,
        placeRegion: "r",
        location: location.id,
        match: null,
        transfer: "cross-cloud",
      };
      assert.deepEqual(await mine("1"), [{ ...group, day: first, bytes: 6, count: 2 }]);

      const second = setDay(1);
      await write(next, "4");
      const read = (more: Query) =>
        acme.read(writer.artifact, "latest", { cloud, region: "r", ...more });
      await read({ urls: "1" });
      await read({ urls: "1", source: "x" });
      await read({ urls: "0" });
      await read({});
      const today = [
        { ...group, kind: "read", day: second, bytes: 6, count: 2 },
        { ...group, day: second, bytes: 3, count: 1 },
      ];
      const rows = await settled(mine, today.length + 1);
      assert.deepEqual(rows, [...today, { ...group, day: first, bytes: 6, count: 2 }]);
      assert.deepEqual(await mine("1"), today);
      assert.deepEqual(await mine("2"), rows);
      setDay(30);
      assert.deepEqual(await mine("30"), today, "30 days, today among them");
      assert.deepEqual(await mine(), today, "A60: 30 is the default");
      assert.deepEqual(await mine("31"), rows);
    });

    test("A32: an open is no read, whatever it signs", async () => {
      const { writer } = await stored();
      const cloud = uniqueName("cloud");
      const place = { cloud, region: "", source: "" };
      await opened(acme, writer.artifact, { mode: "latest", place });
      // A read from the same place comes after it, and is the only one.
      await acme.read(writer.artifact, "latest", { urls: "1", cloud });
      const mine = async () => (await ada.usage()).filter(({ placeCloud }) => placeCloud === cloud);
      assert.deepEqual(
        (await settled(mine, 1)).map(({ kind, count }) => [kind, count]),
        [["read", 1]],
      );
    });
  },
  { allowPrivate: ["127.0.0.0/8"], ...clock.service },
);

/** Reads may be counted a moment later. */
async function settled(ask: () => Promise<UsageRow[]>, rows: number): Promise<UsageRow[]> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const found = await ask();
    if (found.length >= rows || performance.now() > endMs) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
