import assert from "node:assert/strict";
import { test } from "node:test";
import type { UploadReply } from "@lossless/protocol";
import { call, type HttpReply, ok } from "../../http.ts";
import { MovableClock } from "../../movable-clock.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { organizations } from "../../service.ts";
import { collectGarbageLater } from "../../garbage.ts";
import { ArtifactCaller, fails, type Files, sendPart, sendParts } from "../artifact-caller.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

const partBytes = 8 * 1_048_576;
const weights = oneFile["model.bin"];
const clock = new MovableClock(suiteDirectory("clock"));

/** The parts and files of the built-in location; those of S3 stores are the stores' own. */
topic(
  "signed addresses",
  (system) => {
    const acme = new ArtifactCaller(system, organizations.acme.key);

    const put = (url: string, body: Uint8Array, headers: Record<string, string> = {}) =>
      sendPart({ url, headers }, body);

    const firstPart = ({ files }: UploadReply) => files[0].parts[0];

    async function committed(files: Files = oneFile): Promise<{ writer: Writer; url: string }> {
      const writer = await Writer.open(acme);
      await writer.write("1", files);
      const record = await acme.read(writer.artifact, "1", { urls: "1" });
      return { writer, url: record.files[0].url! };
    }

    async function refused(reply: HttpReply | Promise<HttpReply>, where = ""): Promise<void> {
      const { status, text } = await reply;
      assert.equal(status, 403, `${where} ${text.slice(0, 300)}`);
    }

    test("rule 3: each PUT gives an ETag; a part can be sent again, and the last one counts", async () => {
      const files: Files = { f: Buffer.alloc(partBytes + 5, "abc"), g: Buffer.from("g") };
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", files);
      const other = Buffer.alloc(partBytes, "x");
      const first = await sendPart(firstPart(upload), other);
      const sent = await sendParts(upload, files);
      const etags = sent[0].etags;
      assert.equal(etags.length, 2);
      assert.ok(typeof first.headers.etag === "string" && first.headers.etag !== etags[0]);
      ok(await writer.commit(upload.upload, sent), 200);
      const record = await acme.read(writer.artifact, "1", { urls: "1" });
      const stored = await (await fetch(record.files[0].url!)).arrayBuffer();
      assert.ok(files.f.equals(Buffer.from(stored)));
    });

    test("A20, T12: a part that is longer or shorter than was signed is refused", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1");
      const { url, headers } = firstPart(upload);
      for (const body of [
        Buffer.concat([weights, Buffer.from("x")]),
        weights.subarray(1),
        Buffer.alloc(0),
        Buffer.alloc(partBytes + 1),
      ]) {
        await refused(put(url, body, headers), `${body.length} bytes`);
      }
      const { id, sent } = { id: upload.upload, sent: await sendParts(upload, oneFile) };
      await refused(put(url, Buffer.concat([weights, Buffer.from("x")]), headers));
      ok(await writer.commit(id, sent), 200);
    });

    test("T12: an address of a part is for one PUT of one part of one upload", async () => {
      const files: Files = { f: Buffer.alloc(partBytes + 7, "f"), g: weights };
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", files);
      const other = await writer.begin("2", files);
      const sent = await sendParts(upload, files);
      const { url } = upload.files[1].parts[0];
      const { origin, pathname, search } = new URL(url);
      for (const method of ["GET", "HEAD", "POST", "DELETE", "PATCH"]) {
        const reply = await call(origin, { method, path: pathname + search });
        assert.ok([403, 404, 405].includes(reply.status), `${method} ${reply.status}`);
      }
      const evil = Buffer.from("evil!!!");
      assert.equal(evil.length, weights.length);
      for (const [name, value] of new URLSearchParams(search)) {
        const changed = new URL(url);
        for (const wrong of [`${value}0`, value.slice(0, -1), "", "1", "2", "999999999999999"]) {
          if (wrong === value) continue;
          changed.searchParams.set(name, wrong);
          await refused(put(changed.href, evil), changed.search);
        }
        changed.searchParams.delete(name);
        await refused(put(changed.href, evil), changed.search);
      }
      const words = pathname.split("/").slice(1);
      for (const at of words.keys()) {
        if (at === 0) continue;
        const path = `/${words.with(at, `${words[at]}0`).join("/")}`;
        await refused(put(origin + path + search, evil), path);
      }
      const otherPath = new URL(other.files[1].parts[0].url).pathname;
      await refused(put(origin + otherPath + search, evil), "another upload");
      const second = new URL(upload.files[0].parts[1].url);
      await refused(put(origin + second.pathname + search, evil), "another file");
      const twice = await put(`${url}&part=1`, evil);
      assert.ok(twice.status === 400 || twice.status === 403, "A62: a repeated parameter");
      const host = await call(origin, {
        method: "PUT",
        path: pathname + search,
        headers: { host: "evil.example" },
        body: evil,
      });
      assert.ok(host.status === 403 || host.status === 421, String(host.status));
      ok(await writer.commit(upload.upload, sent), 200);
      const record = await acme.read(writer.artifact, "1", { urls: "1" });
      assert.equal(await (await fetch(record.files[1].url!)).text(), "weights");
    });

    test("A27, T12: after the commit no address changes a byte", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1");
      const sent = await sendParts(upload, oneFile);
      const fresh = ok<UploadReply>(await writer.resign(upload.upload), 200);
      ok(await writer.commit(upload.upload, sent), 200);
      for (const { url, headers } of [firstPart(upload), firstPart(fresh)]) {
        await refused(put(url, Buffer.from("evil!!!"), headers));
        await refused(put(url, weights, headers));
      }
      const record = await acme.read(writer.artifact, "1", { urls: "1" });
      assert.equal(await (await fetch(record.files[0].url!)).text(), "weights");
    });

    test("T12: after a takeover the address of a part is refused", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1");
      await acme.open(writer.artifact);
      await refused(put(firstPart(upload).url, weights));
    });

    test("T13: an address of a file is for GET of that file of that version", async () => {
      const { writer, url } = await committed({ a: weights, b: Buffer.from("b") });
      await writer.write("2", { a: Buffer.from("second!") });
      const second = await acme.read(writer.artifact, "2", { urls: "1" });
      const first = await acme.read(writer.artifact, "1", { urls: "1" });
      const { origin, pathname, search } = new URL(url);
      const get = (path: string) => call(origin, { path });
      for (const other of [second.files[0].url!, first.files[1].url!]) {
        await refused(get(new URL(other).pathname + search));
        await refused(get(pathname + new URL(other).search));
      }
      for (const [name, value] of new URLSearchParams(search)) {
        const changed = new URL(url);
        for (const wrong of [`${value}0`, value.slice(1), ""]) {
          changed.searchParams.set(name, wrong);
          await refused(get(pathname + changed.search), changed.search);
        }
        changed.searchParams.delete(name);
        await refused(get(pathname + changed.search), changed.search);
      }
      await refused(get(pathname));
      await refused(get(pathname.replace(/\w+$/, "_manifest.json") + search));
      for (const method of ["PUT", "POST", "DELETE"]) {
        const reply = await call(origin, { method, path: pathname + search, body: "evil!!!" });
        assert.ok([403, 404, 405].includes(reply.status), `${method} ${reply.status}`);
      }
      assert.equal(await (await fetch(url)).text(), "weights");
    });

    test("a file is read whole or in ranges, and never shown as a page", async () => {
      const { url } = await committed({ "page.html": Buffer.from("<script>x</script>") });
      const whole = await fetch(url);
      assert.equal(whole.status, 200);
      assert.equal(whole.headers.get("x-content-type-options"), "nosniff", "T46");
      assert.match(whole.headers.get("content-disposition")!, /^attachment/, "T46");
      assert.equal(await whole.text(), "<script>x</script>");
      const range = async (value: string) => {
        const reply = await fetch(url, { headers: { range: value } });
        return [reply.status, await reply.text(), reply.headers.get("content-range")];
      };
      assert.deepEqual(await range("bytes=1-6"), [206, "script", "bytes 1-6/18"]);
      assert.deepEqual(await range("bytes=9-"), [206, "</script>", "bytes 9-17/18"]);
      assert.deepEqual(await range("bytes=-3"), [206, "pt>", "bytes 15-17/18"]);
      const [status, , shown] = await range("bytes=18-");
      assert.deepEqual([status, shown], [416, "bytes */18"]);
    });

    test("rule 4, limits: addresses live 60 minutes, then resign gives others for what is left", async () => {
      const files: Files = { f: Buffer.alloc(partBytes + 1, "f") };
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", files);
      const { url: read } = await committed();
      const [first, second] = upload.files[0].parts;
      const one = await sendPart(first, files.f.subarray(0, partBytes));
      assert.equal(one.status, 200);
      clock.aheadMs = 59 * 60_000;
      assert.equal((await sendPart(second, files.f.subarray(partBytes))).status, 200);
      assert.equal((await fetch(read)).status, 200);
      clock.aheadMs = 61 * 60_000;
      await refused(sendPart(second, files.f.subarray(partBytes)));
      assert.equal((await fetch(read)).status, 403);
      const fresh = ok<UploadReply>(await writer.resign(upload.upload), 200);
      assert.equal(fresh.upload, upload.upload);
      assert.deepEqual(fresh.placement, upload.placement);
      const shape = ({ files: all }: UploadReply) =>
        all.map(({ name, size, partSize, parts }) => [name, size, partSize, parts.length]);
      assert.deepEqual(shape(fresh), shape(upload));
      const two = await sendPart(fresh.files[0].parts[1], files.f.subarray(partBytes));
      assert.equal(two.status, 200);
      const etags = [String(one.headers.etag), String(two.headers.etag)];
      ok(await writer.commit(upload.upload, [{ name: "f", etags }]), 200);
      clock.aheadMs = 0;
    });

    test("A12, A21: a pending upload outlives five days, and is gone after seven", async () => {
      const writer = await Writer.open(acme);
      const [kept, gone] = [await writer.begin("1"), await writer.begin("2")];
      const sent = await sendParts(gone, oneFile);
      clock.aheadMs = 5 * 86_400_000;
      assert.equal((await writer.resign(kept.upload)).status, 200);
      clock.aheadMs = 7 * 86_400_000 + 60_000;
      // At once what the service does by itself within two minutes.
      await collectGarbageLater(system.service, 7 * 86_400_000 + 60_000);
      await fails(writer.resign(gone.upload), 404, "not_found");
      await fails(writer.commit(gone.upload, sent), 404, "not_found");
      clock.aheadMs = 0;
    });

    test("A21, A22, A10: resign of another's, a committed, an unknown and a superseded upload", async () => {
      const writer = await Writer.open(acme);
      const { upload } = await writer.begin("1");
      const rival = new ArtifactCaller(system, organizations.rival.key);
      await fails(new Writer(rival, writer.artifact, 1).resign(upload), 404, "not_found");
      const neighbour = await Writer.open(acme);
      await fails(neighbour.resign(upload), 404, "not_found");
      await fails(writer.resign("unknown"), 404, "not_found");
      await fails(writer.resign(""), 404, "not_found");
      for (const epoch of ["1", 1.5, -1, null, undefined]) {
        await fails(writer.resign(upload, { epoch }), 400, "bad_request");
      }
      await fails(writer.resign(upload, { files: [] }), 400, "bad_request");
      for (const epoch of [0, 2]) {
        await fails(writer.resign(upload, { epoch }), 409, "superseded", 1);
      }
      const done = await writer.sent("2");
      ok(await writer.commit(done.id, done.sent), 200);
      await fails(writer.resign(done.id), 409, "conflict");
      await acme.open(writer.artifact, "latest");
      await fails(writer.resign(upload), 409, "superseded", 2);
      await fails(writer.resign("unknown"), 404, "not_found");
      await fails(
        acme.request("versions/resign", { artifact: writer.artifact }, { body: { epoch: 2 } }),
        400,
        "bad_request",
      );
    });
  },
  clock.service,
);
