import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("experiments of MLflow", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const rival = new MlflowCaller(system, organizations.rival.key);
  const read = async (id: string) =>
    (await caller.get("experiments/get", { experiment_id: id })).experiment as JsonObject;
  const named = async (name: string) =>
    (await caller.get("experiments/get-by-name", { experiment_name: name }))
      .experiment as JsonObject;

  test("one is a folder of exactly its name, at the root, and the name is taken once", async () => {
    const name = `${uniqueName("a")}/b`;
    const tags = [{ key: "team", value: "vision" }];
    const { experiment_id: id } = await caller.post("experiments/create", { name, tags });
    const experiment = await named(name);
    assert.equal(experiment.experiment_id, id);
    assert.equal(experiment.artifact_location, `mlflow-artifacts:/${String(id)}`);
    assert.equal(experiment.lifecycle_stage, "active");
    assert.deepEqual(experiment.tags, tags);
    const [status, code] = await caller.refusal("experiments/create", { name });
    assert.deepEqual([status, code], [400, "RESOURCE_ALREADY_EXISTS"]);
    const tree = (await system.acme.ask("foldertree.read", {})) as {
      folders: { name: string; folderId: string }[];
    };
    assert.ok(tree.folders.some((folder) => folder.folderId === id && folder.name === name));
  });

  test("a folder of v2 is one too, by the path of its names", async () => {
    const outer = uniqueName("outer");
    const create = async (name: string, parentFolderId: string | null) =>
      (await system.acme.ask("folder.create", { name, parentFolderId })) as {
        folderId: string;
      };
    const { folderId: parent } = await create(outer, null);
    const { folderId } = await create("inner", parent);
    const path = `${outer}/inner`;
    assert.equal((await named(path)).experiment_id, folderId);
    assert.equal((await read(folderId)).name, path);
    assert.equal((await caller.refusal("experiments/create", { name: path }))[0], 400);
    const rename = (name: string) => ({ experiment_id: folderId, new_name: name });
    assert.equal((await caller.refusal("experiments/update", rename("elsewhere")))[0], 400);
    await caller.post("experiments/update", rename(`${outer}/last`));
    assert.equal((await read(folderId)).name, `${outer}/last`);
    await system.acme.ask("folder.delete", { folderId });
    assert.equal((await caller.refusal(`experiments/get?experiment_id=${folderId}`))[0], 404);
  });

  test("the root is Default, always there", async () => {
    assert.equal((await read("0")).name, "Default");
    assert.equal((await named("Default")).experiment_id, "0");
    assert.equal((await caller.refusal("experiments/delete", { experiment_id: "0" }))[0], 400);
    const rename = { experiment_id: "0", new_name: "x" };
    assert.equal((await caller.refusal("experiments/update", rename))[0], 400);
  });

  test("a deleted one keeps its name, takes its runs along, and brings them back", async () => {
    const name = uniqueName("gone");
    const id = await caller.experiment(name);
    const before = await caller.run(id, { run_name: "before" });
    const stays = await caller.run(id, { run_name: "stays deleted" });
    await caller.post("runs/delete", { run_id: stays });
    await caller.post("experiments/delete", { experiment_id: id });
    assert.equal((await read(id)).lifecycle_stage, "deleted");
    assert.equal((await caller.read(before)).info.lifecycle_stage, "deleted");
    assert.deepEqual(await caller.found(id), []);
    assert.equal((await caller.refusal("runs/create", { experiment_id: id }))[0], 400);
    assert.equal((await caller.refusal("experiments/create", { name }))[0], 400);
    assert.equal((await caller.refusal("experiments/delete", { experiment_id: id }))[0], 404);
    await caller.post("experiments/restore", { experiment_id: id });
    assert.deepEqual(await caller.found(id), ["before"]);
  });

  test("tags are set, replaced and removed", async () => {
    const id = await caller.experiment(uniqueName("tagged"));
    const tag = { experiment_id: id, key: "k" };
    await caller.post("experiments/set-experiment-tag", { ...tag, value: "1" });
    await caller.post("experiments/set-experiment-tag", { ...tag, value: "2" });
    assert.deepEqual((await read(id)).tags, [{ key: "k", value: "2" }]);
    await caller.post("experiments/delete-experiment-tag", tag);
    assert.equal((await read(id)).tags, undefined);
    const [status, code] = await caller.refusal("experiments/delete-experiment-tag", tag);
    assert.deepEqual([status, code], [404, "RESOURCE_DOES_NOT_EXIST"]);
  });

  test("searches go by filter, order and pages", async () => {
    const mark = uniqueName("s");
    for (const name of ["a", "b", "c"]) {
      const tags = [{ key: "mark", value: mark }];
      await caller.post("experiments/create", { name: `${mark} ${name}`, tags });
    }
    const page = async (more: JsonObject) =>
      caller.post("experiments/search", { filter: `tags.mark = '${mark}'`, ...more });
    const names = ({ experiments = [] }: JsonObject) =>
      (experiments as { name: string }[]).map(({ name }) => name.at(-1));
    assert.deepEqual(names(await page({ order_by: ["name DESC"] })), ["c", "b", "a"]);
    const first = await page({ order_by: ["name"], max_results: 2 });
    assert.deepEqual(names(first), ["a", "b"]);
    const next = { order_by: ["name"], page_token: first.next_page_token };
    const second = await page(next);
    assert.deepEqual([names(second), second.next_page_token], [["c"], undefined]);
    assert.deepEqual(
      names(
        await page({ filter: `name LIKE '${mark} %' AND name != '${mark} b'`, order_by: ["name"] }),
      ),
      ["a", "c"],
    );
  });

  test("an id that no text can have is that of none", async () => {
    const id = "\ud800";
    const [status, code] = await caller.refusal("experiments/delete", { experiment_id: id });
    assert.deepEqual([status, code], [404, "RESOURCE_DOES_NOT_EXIST"]);
    assert.deepEqual(await caller.post("runs/search", { experiment_ids: [id] }), {});
  });

  test("another organization's are not there", async () => {
    const name = uniqueName("mine");
    const id = await caller.experiment(name);
    const calls: [string, JsonObject?][] = [
      [`experiments/get?experiment_id=${id}`],
      [`experiments/get-by-name?experiment_name=${name}`],
      ["experiments/delete", { experiment_id: id }],
      ["experiments/restore", { experiment_id: id }],
      ["experiments/update", { experiment_id: id, new_name: "x" }],
      ["experiments/set-experiment-tag", { experiment_id: id, key: "k", value: "v" }],
      ["experiments/delete-experiment-tag", { experiment_id: id, key: "k" }],
      ["runs/create", { experiment_id: id }],
    ];
    for (const [path, body] of calls) {
      const [status, code] = await rival.refusal(path, body);
      assert.deepEqual([path, status, code], [path, 404, "RESOURCE_DOES_NOT_EXIST"]);
    }
    const { experiments } = await rival.get("experiments/search", { filter: `name = '${name}'` });
    assert.equal(experiments, undefined);
  });
});
