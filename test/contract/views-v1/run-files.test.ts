import assert from "node:assert/strict";
import { before, test } from "node:test";
import { call, type HttpReply, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { observed } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { RunFiles } from "../mlflow/run-files.ts";
import { topic } from "../topic.ts";

topic("files of runs for pages", (system) => {
  let caller: MlflowCaller;
  before(() => void (caller = new MlflowCaller(system, organizations.acme.key)));

  const ask = (
    name: string,
    query: Record<string, string>,
    { credential } = system.acme,
  ): Promise<HttpReply> => {
    const search = new URLSearchParams(query).toString();
    return observed(system, { path: `/api/views/v1/${name}?${search}`, credential });
  };
  const page = async (query: Record<string, string>) => {
    const reply = await ask("run-files", query);
    assert.equal(reply.status, 200, reply.text);
    const { files, next } = JSON.parse(reply.text) as {
      files: { path: string; bytes: number; changedAtMs: number }[];
      next: string | null;
    };
    assert.ok(files.every(({ changedAtMs }) => changedAtMs > 0));
    return { files: files.map(({ path, bytes }) => [path, bytes]), next };
  };

  test("all files of a run are listed by path, in pages, whatever their folders", async () => {
    const owner = await caller.run();
    assert.deepEqual(await page({ owner }), { files: [], next: null });
    const files = new RunFiles(caller, owner);
    for (const path of ["a b/ü.txt", "a", "z/1", "z/deep/2"]) await files.put(path, path);
    const all = [
      ["a", 1],
      ["a b/ü.txt", 10],
      ["z/1", 3],
      ["z/deep/2", 8],
    ];
    assert.deepEqual(await page({ owner }), { files: all, next: null });
    const first = await page({ owner, limit: "3" });
    assert.deepEqual(first, { files: all.slice(0, 3), next: "z/1" });
    const rest = await page({ owner, limit: "3", after: "z/1" });
    assert.deepEqual(rest, { files: all.slice(3), next: null });
  });

  test("a file comes from its address, and in parts, as it was written; a model's likewise", async () => {
    const model = await caller.model();
    const owners = [await caller.run(), model];
    for (const owner of owners) {
      const root = owner === model ? `0/models/${model}/artifacts` : undefined;
      await new RunFiles(caller, owner, root).put("deep/text", "0123456789");
      const query = { owner, file: "deep/text" };
      const signed = await ask("run-file-address", query);
      const { url, bytes } = parseObject(signed.text);
      assert.deepEqual([signed.status, bytes], [200, 10], signed.text);
      const { origin, pathname, search } = new URL(String(url));
      const read = await call(origin, { path: pathname + search });
      assert.deepEqual([read.status, read.text], [200, "0123456789"]);
      const part = await ask("run-file", { ...query, offset: "2", length: "3" });
      assert.deepEqual([part.status, part.text], [200, "234"]);
      assert.equal(part.headers["x-svc-file-bytes"], "10");
      assert.equal(part.headers["content-disposition"], "attachment");
      assert.equal((await ask("run-file", { ...query, offset: "10" })).text, "");
    }
  });

  test("what is not there, and another organization's, is not found; what is no path is refused", async () => {
    const owner = await caller.run();
    const files = new RunFiles(caller, owner);
    await files.put("deep/text", "text");
    const file = "deep/text";
    const cases: [string, Record<string, string>, number, typeof system.acme?][] = [
      ["run-files", { owner }, 404, system.rival],
      ["run-files", { owner: "unknown" }, 404],
      ["run-files", { owner: "m-unknown" }, 404],
      ["run-files", {}, 400],
      ["run-files", { owner, limit: "0" }, 400],
    ];
    for (const name of ["run-file", "run-file-address"]) {
      cases.push(
        [name, { owner, file }, 404, system.rival],
        [name, { owner, file: "deep/none" }, 404],
        [name, { owner, file: "deep" }, 400],
        [name, { owner, file: "../deep" }, 400],
        [name, { owner }, 400],
      );
    }
    for (const [name, query, status, who] of cases) {
      const reply = await ask(name, query, who);
      const code = status === 404 ? "not_found" : "bad_request";
      const found = [name, query, reply.status, parseObject(reply.text).error];
      assert.deepEqual(found, [name, query, status, code]);
    }
  });
});
