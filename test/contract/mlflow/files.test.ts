import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { call, type JsonObject, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";
import { RunFiles } from "./run-files.ts";

topic("files of runs, as MLflow's clients write them", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const newRun = async () => new RunFiles(caller, await caller.run());

  test("a file is read as it was written, and replaced whole", async () => {
    const run = await newRun();
    for (const text of ["first", "", "the third\r\n\u0000", "ä".repeat(70_000)]) {
      await run.put("a/b.txt", text);
      assert.equal(await run.text("a/b.txt"), text);
    }
    const reply = await run.get("a/b.txt");
    assert.equal(reply.headers["content-length"], "140000");
    assert.equal(reply.headers["x-content-type-options"], "nosniff");
    assert.equal(reply.headers["content-disposition"], "attachment; filename=b.txt");
  });

  test("a file has the name and the type that MLflow's server says of it", async () => {
    const run = await newRun();
    const names: [string, string, string][] = [
      ["a.txt", "text/plain", "filename=a.txt"],
      ["MLmodel", "text/plain", "filename=MLmodel"],
      ["deep/c.png", "image/png", "filename=c.png"],
      ["b.pkl", "application/octet-stream", "filename=b.pkl"],
      ["dog+step+20.png", "image/png", "filename=dog+step+20.png"],
      ["été.PDF", "application/pdf", "filename=\"-t-.PDF\"; filename*=UTF-8''%C3%A9t%C3%A9.PDF"],
    ];
    for (const [path, type, name] of names) {
      await run.put(path, "text");
      const { headers } = await run.get(path);
      const said = [headers["content-type"], headers["content-disposition"]];
      assert.deepEqual(said, [type, `attachment; ${name}`]);
      assert.match(String(headers["content-security-policy"]), /^sandbox/);
    }
  });

  test("what MLflow's client makes of a name with a question mark is refused, and changes nothing", async () => {
    const run = await newRun();
    await run.put("q", "the file q");
    await run.put("q?1.txt", "encoded");
    const address = run.address("q");
    for (const query of ["?", "?1.txt", "?a=b", "?1.txt?", "?%3F"]) {
      for (const method of ["PUT", "GET", "DELETE"]) {
        const body = method === "PUT" ? "another" : undefined;
        const reply = await caller.request({ path: `${address}${query}`, method, body });
        assert.equal(reply.status, 400, `${method} ${query}`);
        const { error_code: code, message } = parseObject(reply.text);
        assert.equal(code, "INVALID_PARAMETER_VALUE");
        assert.match(String(message), /question mark/);
      }
    }
    assert.deepEqual([await run.text("q"), await run.text("q?1.txt")], ["the file q", "encoded"]);
  });

  test("a chunked body of any length is a file", async () => {
    const run = await newRun();
    const headers = { "transfer-encoding": "chunked" };
    const large = randomBytes(9 * 1_048_576).toString("latin1");
    const sizes = { empty: 0, small: 11, large: Buffer.byteLength(large) };
    for (const [name, text] of Object.entries({ empty: "", small: "hello world", large })) {
      const reply = await run.put(name, text, headers);
      assert.equal(reply.text, "{}");
      const read = await run.text(name);
      assert.ok(read === text, name);
    }
    assert.deepEqual(await run.list(), [
      { path: "empty", is_dir: false, file_size: sizes.empty },
      { path: "large", is_dir: false, file_size: sizes.large },
      { path: "small", is_dir: false, file_size: sizes.small },
    ]);
  });

  test("names of every script come percent-encoded", async () => {
    const run = await newRun();
    const names = [
      "a b+c",
      "größe.png",
      "损失/模型 7.bin",
      "100%.txt",
      "emoji 😀",
      "q?&=;'\"",
      "a~b",
    ];
    for (const name of names) await run.put(name, name);
    for (const name of names) assert.equal(await run.text(name), name);
    const found = (await run.list()).map(({ path }) => path);
    const expected = names.map((name) => name.split("/")[0]);
    const bytes = (one: string, other: string) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other));
    assert.deepEqual(found, expected.sort(bytes));
    // An unescaped character means itself.
    assert.equal((await run.at("a+b", { method: "PUT", body: "plus" })).status, 200);
    assert.equal(await run.text("a+b"), "plus");
  });

  test("files as MLflow's pages send them, and those of models as they ask for them", async () => {
    const run = await newRun();
    const credential = organizations.acme.key;
    const upload = (query: Record<string, string>, body: string) => {
      const path = `/ajax-api/2.0/mlflow/upload-artifact?${new URLSearchParams(query).toString()}`;
      return call(system.baseUrl, { method: "POST", path, body, credential });
    };
    const named = { run_uuid: run.id, path: "charts/a b.json" };
    assert.equal((await upload(named, "{}")).status, 200);
    assert.equal(await run.text("charts/a b.json"), "{}");
    for (const [query, body] of [
      [{ path: "a" }, "1"],
      [{ run_uuid: run.id }, "1"],
      [{ ...named, path: "../a" }, "1"],
      [named, ""],
      [named, "1".repeat(10 * 1_048_576 + 1)],
    ] as const)
      assert.equal((await upload(query as Record<string, string>, body)).status, 400);
    assert.equal((await upload({ ...named, run_uuid: "none" }, "1")).status, 404);

    const id = await caller.model();
    const model = new RunFiles(caller, id, `0/models/${id}/artifacts`);
    await model.put("MLmodel", "flavors: {}");
    await model.put("code/a b.py", "1");
    const ask = (what: string, query: Record<string, string>) => {
      const search = new URLSearchParams(query).toString();
      const path = `/ajax-api/2.0/mlflow/logged-models/${id}/artifacts/${what}?${search}`;
      return call(system.baseUrl, { path, credential });
    };
    assert.deepEqual(parseObject((await ask("directories", {})).text), {
      root_uri: `mlflow-artifacts:/0/models/${id}/artifacts`,
      files: [
        { path: "MLmodel", is_dir: false, file_size: 11 },
        { path: "code", is_dir: true },
      ],
    });
    const below = await ask("directories", { artifact_directory_path: "code" });
    assert.deepEqual(parseObject(below.text).files, [
      { path: "code/a b.py", is_dir: false, file_size: 1 },
    ]);
    assert.equal((await ask("files", { artifact_file_path: "code/a b.py" })).text, "1");
    assert.equal((await ask("files", { artifact_file_path: "none" })).status, 404);
    assert.equal((await ask("files", {})).status, 400);
  });

  test("a list is one level, by bytes; of a file and of nothing it is empty", async () => {
    const run = await newRun();
    assert.deepEqual(await run.listed(), {});
    for (const name of ["b", "a/x", "a/y/z", "a-", "a0/1"]) await run.put(name, "12345");
    assert.deepEqual(await run.list(), [
      { path: "a", is_dir: true },
      { path: "a-", is_dir: false, file_size: 5 },
      { path: "a0", is_dir: true },
      { path: "b", is_dir: false, file_size: 5 },
    ]);
    const below = [
      { path: "x", is_dir: false, file_size: 5 },
      { path: "y", is_dir: true },
    ];
    for (const folder of ["a", "a/", "./a"]) assert.deepEqual(await run.list(folder), below);
    for (const nothing of ["b", "nothing", "a/x/y"])
      assert.deepEqual(await run.listed(nothing), {});
    const inRun = await caller.get("artifacts/list", { run_id: run.id, path: "a" });
    assert.deepEqual(inRun, {
      root_uri: `mlflow-artifacts:/0/${run.id}/artifacts`,
      files: below.map((one) => ({ ...one, path: `a/${one.path}` })),
    });
    const root = await caller.get("artifacts/list", { run_id: run.id });
    assert.equal((root.files as JsonObject[])[0]?.path, "a");
  });

  test("more than a page of files below one folder does not hide what follows", async () => {
    const run = await newRun();
    await Promise.all([run.put("z", "1"), run.put("a", "1"), run.put("many!", "1")]);
    for (let start = 0; start < 1_100; start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, at) => run.put(`many/${start + at}`, "")));
    assert.deepEqual(
      (await run.list()).map(({ path }) => path),
      ["a", "many", "many!", "z"],
    );
    assert.equal((await run.list("many")).length, 1_100);
  });

  test("a range is what was asked for", async () => {
    const run = await newRun();
    await run.put("f", "0123456789");
    const ranged = async (range: string) => {
      const { status, text, headers } = await run.at("f", { headers: { range } });
      return [status, text, headers["content-range"]];
    };
    assert.deepEqual(await ranged("bytes=2-4"), [206, "234", "bytes 2-4/10"]);
    assert.deepEqual(await ranged("bytes=-3"), [206, "789", "bytes 7-9/10"]);
    assert.equal((await ranged("bytes=10-"))[0], 416);
    const path = run.address("f");
    const credential = organizations.acme.key;
    const head = await call(system.baseUrl, { method: "HEAD", path, credential });
    assert.deepEqual([head.status, head.headers["content-length"], head.text], [200, "10", ""]);
  });

  test("a path that climbs is refused, encoded or not, and so is what is no path", async () => {
    const run = await newRun();
    const root = `/api/2.0/mlflow-artifacts/artifacts/0/${run.id}/artifacts`;
    const climbing = [
      "/../x",
      "/%2e%2e/x",
      "/a/%2E%2E/%2e%2e/x",
      "/a%2f..%2fx",
      "/%252e%252e/x",
      "/..%5cx",
      "/a%5cb",
      "/a//b",
      "/./a",
      "/a/",
      "/a%00",
      "/a%0ab",
      "/%ff",
      "",
      `/${"a".repeat(256)}`,
      `/${"a/".repeat(600)}a`,
    ];
    for (const path of climbing) {
      for (const method of ["PUT", "GET", "DELETE"]) {
        if (path === "" && method !== "PUT") continue;
        const body = method === "PUT" ? "x" : undefined;
        const reply = await caller.request({ method, path: root + path, body });
        assert.equal(reply.status, 400, `${method} ${path}`);
        assert.equal(typeof parseObject(reply.text).error_code, "string", path);
      }
    }
    assert.equal((await run.refusedList("../x"))[0], 400);
    assert.equal((await run.refusedList("%2e%2e/x"))[0], 400);
    assert.deepEqual(await run.listed(), {});
  });

  test("only what is below a run is served", async () => {
    const run = await newRun();
    await run.put("f", "1");
    const get = (path: string) =>
      caller.request({ path: `/api/2.0/mlflow-artifacts/artifacts/${path}` });
    for (const path of [
      "f",
      `0/${run.id}`,
      `0/${run.id}/artifact/f`,
      `${run.id}/artifacts/f`,
      `0/models/${run.id}/artifacts/f`,
      `0/${"0".repeat(26)}/artifacts/f`,
      `0/${run.id}/artifacts/g`,
      `0/${run.id}/artifacts/f/g`,
    ]) {
      const reply = await get(path);
      assert.equal(reply.status, 404, path);
      assert.equal(parseObject(reply.text).error_code, "RESOURCE_DOES_NOT_EXIST", path);
    }
    // The run decides: it may have been moved since its client read the address.
    assert.equal((await get(`elsewhere/${run.id}/artifacts/f`)).text, "1");
    assert.equal((await run.at("nothing")).status, 404);
  });

  test("a path is a file or a folder", async () => {
    const run = await newRun();
    await run.put("a/b", "1");
    for (const path of ["a", "a/b/c"]) {
      const reply = await run.at(path, { method: "PUT", body: "2" });
      assert.deepEqual(
        [reply.status, parseObject(reply.text).error_code],
        [400, "INVALID_PARAMETER_VALUE"],
      );
    }
    const folder = await run.at("a");
    assert.equal(folder.status, 400);
    assert.match(folder.text, /Artifact path refers to a directory, not a file: 'a'/);
    assert.equal(await run.text("a/b"), "1");
  });

  test("a file is deleted, and all below a folder", async () => {
    const run = await newRun();
    for (const name of ["a/1", "a/b/2", "ab", "c"]) await run.put(name, "1");
    const remove = async (path: string) => (await run.at(path, { method: "DELETE" })).status;
    for (let turn = 0; turn < 2; turn++) assert.equal(await remove("a"), 200);
    assert.deepEqual(
      (await run.list()).map(({ path }) => path),
      ["ab", "c"],
    );
    assert.equal(await remove("c"), 200);
    assert.equal((await run.at("c")).status, 404);
    const all = `/api/2.0/mlflow-artifacts/artifacts/0/${run.id}/artifacts`;
    for (let turn = 0; turn < 2; turn++)
      assert.equal((await caller.request({ method: "DELETE", path: all })).status, 200);
    assert.deepEqual(await run.listed(), {});
  });

  test("a run that is marked as deleted is read, and takes nothing", async () => {
    const run = await newRun();
    await run.put("f", "1");
    await caller.post("runs/delete", { run_id: run.id });
    assert.equal(await run.text("f"), "1");
    const reply = await run.at("f", { method: "PUT", body: "2" });
    assert.deepEqual(
      [reply.status, parseObject(reply.text).error_code],
      [400, "INVALID_PARAMETER_VALUE"],
    );
    assert.equal((await run.at("f", { method: "DELETE" })).status, 200);
  });

  test("a logged model has files of its own, until it is deleted", async () => {
    const id = await caller.model();
    const model = new RunFiles(caller, id, `0/models/${id}/artifacts`);
    await model.put("MLmodel", "flavors: {}");
    await model.put("data/ü.bin", "weights");
    assert.equal(await model.text("data/ü.bin"), "weights");
    assert.deepEqual(await model.list(), [
      { path: "MLmodel", is_dir: false, file_size: 11 },
      { path: "data", is_dir: true },
    ]);
    // As the folder of a run it is nothing.
    const asRun = new RunFiles(caller, id);
    assert.equal((await asRun.at("MLmodel")).status, 404);
    const rival = new MlflowCaller(system, organizations.rival.key);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const body = method === "PUT" ? "x" : undefined;
      const reply = await rival.request({ method, path: model.address("MLmodel"), body });
      assert.equal(reply.status, 404);
    }
    const path = `/api/2.0/mlflow/logged-models/${id}`;
    assert.equal((await caller.request({ method: "DELETE", path })).status, 200);
    assert.equal((await model.at("MLmodel", { method: "PUT", body: "x" })).status, 404);
    assert.equal((await model.at("MLmodel", { method: "DELETE" })).status, 200);
  });

  test("get-artifact gives a file of a run, and the twins answer too", async () => {
    const run = await newRun();
    await run.put("a b/ü", "content");
    const query = new URLSearchParams({ run_id: run.id, path: "a b/ü" }).toString();
    assert.equal((await caller.request({ path: `/get-artifact?${query}` })).text, "content");
    const old = new URLSearchParams({ run_uuid: run.id, path: "a b/ü" }).toString();
    assert.equal((await caller.request({ path: `/get-artifact?${old}` })).text, "content");
    assert.equal((await caller.request({ path: `/get-artifact?run_id=${run.id}` })).status, 400);
    const climbing = new URLSearchParams({ run_id: run.id, path: "../x" }).toString();
    assert.equal((await caller.request({ path: `/get-artifact?${climbing}` })).status, 400);
    const twin = `/ajax-api/2.0/mlflow-artifacts/artifacts/0/${run.id}/artifacts/a%20b/%C3%BC`;
    const credential = organizations.acme.key;
    const twinned = (path: string) => call(system.baseUrl, { path, credential });
    assert.equal((await twinned(twin)).text, "content");
    const list = `/ajax-api/2.0/mlflow-artifacts/artifacts?path=0/${run.id}/artifacts`;
    assert.equal(JSON.parse((await twinned(list)).text).files.length, 1);
  });

  test("another organization's files do not exist", async () => {
    const run = await newRun();
    await run.put("f", "secret");
    const rival = new MlflowCaller(system, organizations.rival.key);
    const root = `/api/2.0/mlflow-artifacts/artifacts/0/${run.id}/artifacts`;
    const asked: [string, string, string?][] = [
      ["GET", `${root}/f`],
      ["PUT", `${root}/f`, "mine"],
      ["PUT", `${root}/g`, "mine"],
      ["DELETE", `${root}/f`],
      ["DELETE", root],
      ["GET", `/api/2.0/mlflow-artifacts/artifacts?path=0/${run.id}/artifacts`],
      ["GET", `/api/2.0/mlflow/artifacts/list?run_id=${run.id}`],
      ["GET", `/get-artifact?run_id=${run.id}&path=f`],
    ];
    for (const [method, path, body] of asked) {
      const reply = await rival.request({ method, path, body });
      assert.equal(reply.status, 404, `${method} ${path}`);
      assert.equal(parseObject(reply.text).error_code, "RESOURCE_DOES_NOT_EXIST");
      const open = await call(system.baseUrl, { method, path, body });
      assert.equal(open.status, 401, `${method} ${path}`);
    }
    assert.equal(await run.text("f"), "secret");
    assert.equal((await run.list()).length, 1);
  });

  test("of many PUTs at once of one path one is read, whole", async () => {
    const run = await newRun();
    const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(300_000));
    await Promise.all(texts.map((text) => run.put("f", text)));
    const read = await run.text("f");
    assert.ok(texts.includes(read), createHash("sha256").update(read).digest("hex"));
    assert.equal((await run.list()).length, 1);
  });

  test("a body of another encoding than its own is refused", async () => {
    const run = await newRun();
    const headers = { "content-encoding": "gzip" };
    const reply = await run.at("f", { method: "PUT", body: "x", headers });
    assert.equal(reply.status, 400);
    assert.equal((await run.at("f")).status, 404);
  });
});
