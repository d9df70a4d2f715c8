import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { UploadReply, VersionRecord } from "@lossless/protocol";
import { call, type HttpReply } from "../../http.ts";
import { checkoutRoot, organizations, Service } from "../../service.ts";
import {
  ArtifactCaller,
  fetchBytes,
  type Files,
  ok,
  place,
  sendPart,
  sendParts,
} from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { ownServices, type System, topic } from "../topic.ts";

const files: Files = { "a.bin": Buffer.from("first file"), "b.bin": Buffer.from("second") };
const hourMs = 3_600_000;
const scratch = mkdtempSync(join(tmpdir(), "lossless-built-in-"));
const clockFile = join(scratch, "clock");
writeFileSync(clockFile, "0");
after(() => rmSync(scratch, { recursive: true }));

const shifted = {
  NODE_OPTIONS: `--import ${join(checkoutRoot, "test/shifted-clock.ts")}`,
  LOSSLESS_TEST_CLOCK: clockFile,
};

const define = (system: System): void => {
  let acme: ArtifactCaller;
  before(() => {
    writeFileSync(clockFile, "0");
    acme = new ArtifactCaller(system, organizations.acme.key);
  });

  /** An artifact with an upload whose parts are not sent. */
  const begun = async (): Promise<{ artifact: string; epoch: number; upload: UploadReply }> => {
    const artifact = uniqueName("built-in");
    const { epoch } = await acme.open(artifact);
    return { artifact, epoch, upload: await acme.begin(artifact, "1", epoch, files) };
  };

  const refusedWith = async (reply: HttpReply | Promise<HttpReply>): Promise<string> => {
    const { status, text } = await reply;
    return `${status} ${(JSON.parse(text) as { error: string }).error}`;
  };

  const at = (url: string, request: Partial<Parameters<typeof call>[1]>) => {
    const { origin, pathname, search } = new URL(url);
    return call(origin, { path: pathname + search, ...request });
  };

  const put = (url: string, body: Uint8Array) => sendPart({ url, headers: {} }, body);

  test("T12: a signed part address is good for that part alone, until commit", async () => {
    const { artifact, epoch, upload } = await begun();
    const [{ url }] = upload.files[0].parts;
    const bytes = files["a.bin"];
    const altered = [
      url.replace("part=1", "part=2"),
      url.replace("length=10", "length=11"),
      url.replace(/expires=\d+/, `expires=${Date.now() + 10 * hourMs}`),
      url.replace(/\/objects\/\w+\//, "/objects/other/"),
      url.replace("/0?", "/1?"),
      url.replace("/0?", "/_manifest.json?"),
      url.replace("/0?", "/..%2f..%2f..%2flossless.db?"),
      url.replace(/signature=(.)/, (_, first: string) => `signature=${first === "A" ? "B" : "A"}`),
      url.replace(/&signature=.*/, ""),
    ];
    for (const target of altered) {
      assert.equal(await refusedWith(put(target, bytes)), "403 forbidden", target);
    }
    assert.equal(await refusedWith(put(url, Buffer.from("longer body"))), "403 forbidden");
    assert.equal(await refusedWith(at(url, { method: "GET" })), "403 forbidden");
    const host = { host: new URL(url).host.replace("127.0.0.1", "localhost") };
    const elsewhere = await at(url, { method: "PUT", body: bytes, headers: host });
    assert.ok(elsewhere.status === 403 || elsewhere.status === 421, `${elsewhere.status}`);
    const sent = await sendParts(upload, files);
    ok(await acme.commit(artifact, upload.upload, epoch, sent), 200);
    const other = Buffer.from("other byte");
    assert.equal(await refusedWith(put(url, other)), "403 forbidden");
    const record = await acme.read(artifact, "1", { urls: "1" });
    assert.ok(bytes.equals(await fetchBytes(record.files[0].url)));
  });

  test("T12: after a takeover no part is taken", async () => {
    const { artifact, upload } = await begun();
    await acme.open(artifact);
    const [{ url }] = upload.files[0].parts;
    assert.equal(await refusedWith(put(url, files["a.bin"])), "403 forbidden");
  });

  test("T12: addresses end after an hour; resign gives others, and what was sent stays", async () => {
    const { artifact, epoch, upload } = await begun();
    const [{ url }] = upload.files[0].parts;
    const first = await put(url, files["a.bin"]);
    assert.equal(first.status, 200);
    writeFileSync(clockFile, `${hourMs + 1_000}`);
    const late = upload.files[1].parts[0].url;
    assert.equal(await refusedWith(put(late, files["b.bin"])), "403 forbidden");
    const query = { artifact, upload: upload.upload };
    const signed = ok<UploadReply>(await acme.post("versions/resign", query, { epoch }), 200);
    const second = await put(signed.files[1].parts[0].url, files["b.bin"]);
    assert.equal(second.status, 200);
    const sent = [first, second].map(({ headers }, index) => ({
      name: Object.keys(files)[index],
      etags: [String(headers.etag)],
    }));
    ok(await acme.commit(artifact, upload.upload, epoch, sent), 200);
    const record = await acme.read(artifact, "1", { urls: "1" });
    assert.ok(files["a.bin"].equals(await fetchBytes(record.files[0].url)));
    writeFileSync(clockFile, `${2 * hourMs + 2_000}`);
    const ended = at(record.files[0].url!, { method: "GET" });
    assert.equal(await refusedWith(ended), "403 forbidden");
    writeFileSync(clockFile, "0");
  });

  test("T13: a read address is good for its file of its version alone", async () => {
    const artifact = uniqueName("built-in");
    const { epoch } = await acme.open(artifact);
    await acme.write(artifact, "1", epoch, files);
    await acme.write(artifact, "2", epoch, files);
    const url = (await acme.read(artifact, "1", { urls: "1" })).files[0].url!;
    const other = (await acme.read(artifact, "2", { urls: "1" })).files[0].url!;
    const path = new URL(other).pathname;
    for (const target of [
      url.replace(/\/objects\/[^?]+/, path),
      url.replace("/0?", "/1?"),
      url.replace("/0?", "/_manifest.json?"),
      url.replace(/expires=\d+/, `expires=${Date.now() + 10 * hourMs}`),
      url.replace(/\?.*/, ""),
    ]) {
      const reply = at(target, { method: "GET" });
      assert.equal(await refusedWith(reply), "403 forbidden", target);
    }
    assert.equal(await refusedWith(at(url, { method: "PUT", body: "x" })), "403 forbidden");
    const range = await at(url, { headers: { range: "bytes=6-" } });
    assert.deepEqual([range.status, range.text], [206, "file"]);
    assert.equal(range.headers["content-range"], "bytes 6-9/10");
    const same = await at(url, { headers: { "if-none-match": String(range.headers.etag) } });
    assert.deepEqual([same.status, same.text], [304, ""]);
    assert.equal(range.headers["content-disposition"], "attachment");
    assert.match(String(range.headers["content-security-policy"]), /^sandbox/);
  });

  test("T34: nothing of the directory can be reached without a signature", async () => {
    for (const path of ["/objects", "/objects/", "/objects/a", "/artifacts/directory-id"]) {
      assert.equal((await call(system.baseUrl, { path })).status, 404, path);
    }
    const reply = await call(system.baseUrl, { path: "/objects/a/b/c" });
    assert.equal(await refusedWith(reply), "403 forbidden");
  });
};

topic("the built-in location", define, { environment: shifted });

ownServices("the built-in location elsewhere", () => {
  test("a service that finds another directory than its own says so, and serves the rest", async () => {
    const directory = join(scratch, "moved");
    mkdirSync(directory);
    const headers = { host: "lossless.test" };
    const flags = ["--base-url", "http://lossless.test"];
    const started = async (more: string[], work: (service: Service) => Promise<void>) => {
      await using service = await Service.start({ directory, flags: [...flags, ...more] });
      await work(service);
      await service.stop();
    };
    const get = (service: Service, path: string) =>
      call(service.baseUrl, { path, headers, credential: organizations.acme.key });
    const post = async (service: Service, path: string, body: unknown) => {
      const credential = organizations.acme.key;
      return call(service.baseUrl, {
        path: `/api/v1/${path}`,
        method: "POST",
        headers,
        credential,
        body,
      });
    };
    const open = "artifacts/open?artifact=moved";
    const sizes = Object.entries(files).map(([name, { length }]) => ({ name, size: length }));
    const begin = { epoch: 1, place, files: sizes, meta: {} };
    let address = "";
    await started([], async (service) => {
      ok(await post(service, open, { mode: "new", place }), 200);
      const upload = ok<UploadReply>(
        await post(service, "versions/begin?artifact=moved&version=1", begin),
        201,
      );
      const sent = [];
      for (const { name, parts } of upload.files) {
        const { pathname, search } = new URL(parts[0].url);
        const request = { path: pathname + search, method: "PUT", headers, body: files[name] };
        const { headers: received } = await call(service.baseUrl, request);
        sent.push({ name, etags: [String(received.etag)] });
      }
      const commit = `versions/commit?artifact=moved&upload=${upload.upload}`;
      ok(await post(service, commit, { epoch: 1, files: sent }), 200);
      const read = await get(service, "/api/v1/versions/read?artifact=moved&version=1&urls=1");
      address = ok<VersionRecord>(read, 200).files[0].url!.slice("http://lossless.test".length);
      assert.equal((await get(service, address)).text, "first file");
    });
    await started(["--artifacts", join(scratch, "empty")], async (service) => {
      assert.match(service.errors, /is not the one in which this installation keeps its files/);
      const gone = await get(service, address);
      assert.deepEqual([gone.status, /"unavailable"/.test(gone.text)], [503, true], gone.text);
      const refused = await post(service, "versions/begin?artifact=moved&version=2", begin);
      assert.deepEqual(
        [refused.status, /"upstream"/.test(refused.text)],
        [502, true],
        refused.text,
      );
      const read = await get(service, "/api/v1/versions/read?artifact=moved&version=latest");
      assert.equal(ok<VersionRecord>(read, 200).version, "1");
    });
    await started([], async (service) => {
      assert.equal((await get(service, address)).text, "first file");
    });
  });
});
