import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { UploadReply, VersionRecord } from "@lossless/protocol";
import { call, ok } from "../../http.ts";
import { organizations, Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { fails, type Files, place } from "../artifact-caller.ts";
import { ownServices, topic } from "../topic.ts";

const files: Files = { "a.bin": Buffer.from("first file"), "b.bin": Buffer.from("second") };
const scratch = suiteDirectory("built-in");

topic("the built-in location", (system) => {
  test("T34: nothing of the directory can be reached without a signature", async () => {
    for (const path of ["/objects", "/objects/", "/objects/a", "/artifacts/directory-id"]) {
      assert.equal((await call(system.baseUrl, { path })).status, 404, path);
    }
    await fails(call(system.baseUrl, { path: "/objects/a/b/c" }), 403, "forbidden");
  });
});

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
