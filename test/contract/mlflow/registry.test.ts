import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditReply } from "@lossless/protocol";
import { type JsonObject, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

topic("registered models of MLflow", (system) => {
  const caller = new MlflowCaller(system, organizations.acme.key);
  const rival = new MlflowCaller(system, organizations.rival.key);

  const registered = async (versions = 0): Promise<string> => {
    const name = uniqueName("net");
    await caller.post("registered-models/create", { name });
    for (let at = 0; at < versions; at++) await added(name);
    return name;
  };
  const added = async (name: string, more: JsonObject = {}): Promise<JsonObject> => {
    const body = { name, source: "runs:/run_id/model", run_id: "run_id", ...more };
    return (await caller.post("model-versions/create", body)).model_version as JsonObject;
  };
  const model = async (name: string): Promise<JsonObject> =>
    (await caller.get("registered-models/get", { name })).registered_model as JsonObject;
  const version = async (name: string, number: number): Promise<JsonObject> => {
    const query = { name, version: String(number) };
    return (await caller.get("model-versions/get", query)).model_version as JsonObject;
  };
  const stage = (name: string, number: number, word: string, archives = false) =>
    caller.post("model-versions/transition-stage", {
      name,
      version: String(number),
      stage: word,
      archive_existing_versions: archives,
    });

  test("a model is made, described, renamed and deleted; its name is free again", async () => {
    const name = uniqueName("net 1");
    const tags = [{ key: "team", value: "vision" }];
    const made = await caller.post("registered-models/create", { name, tags, description: "d" });
    const { creation_timestamp: at, ...rest } = made.registered_model as JsonObject;
    assert.deepEqual(rest, { name, last_updated_timestamp: at, description: "d", tags });
    assert.deepEqual((await caller.refusal("registered-models/create", { name })).slice(0, 2), [
      400,
      "RESOURCE_ALREADY_EXISTS",
    ]);
    const renamed = `${name} again`;
    await caller.post("registered-models/rename", { name, new_name: renamed });
    assert.deepEqual(
      await caller.refusal(`registered-models/get?name=${encodeURIComponent(name)}`),
      [404, "RESOURCE_DOES_NOT_EXIST", `Registered Model with name=${name} not found`],
    );
    await caller.ask("PATCH", "registered-models/update", { name: renamed, description: "other" });
    assert.equal((await model(renamed)).description, "other");
    await caller.ask("DELETE", "registered-models/delete", { name: renamed });
    await caller.post("registered-models/create", { name: renamed });
    for (const bad of ["a/b", "a:b", " ", "..", "x".repeat(257)]) {
      const refused = await caller.refusal("registered-models/create", { name: bad });
      assert.deepEqual(refused.slice(0, 2), [400, "INVALID_PARAMETER_VALUE"], bad);
    }
    const prompt = [{ key: "mlflow.prompt.is_prompt", value: "true" }];
    const asked = await caller.refusal("registered-models/create", { name: "p", tags: prompt });
    assert.deepEqual(asked.slice(0, 2), [501, "NOT_IMPLEMENTED"]);
  });

  test("versions are numbered, and numbers are not given again", async () => {
    const name = await registered(2);
    await caller.ask("DELETE", "model-versions/delete", { name, version: "2" });
    assert.equal((await added(name)).version, "3");
    const gone = await caller.refusal(`model-versions/get?name=${name}&version=2`);
    assert.deepEqual(gone.slice(0, 2), [404, "RESOURCE_DOES_NOT_EXIST"]);
    const numbers = await Promise.all(Array.from({ length: 20 }, () => added(name)));
    assert.deepEqual(
      numbers.map((one) => Number(one.version)).sort((one, two) => one - two),
      Array.from({ length: 20 }, (_, at) => at + 4),
    );
  });

  test("aliases are those of the service: they have a history, and end with their version", async () => {
    const name = await registered(2);
    for (const number of ["1", "2", "2"])
      await caller.post("registered-models/alias", { name, alias: "best", version: number });
    const found = await caller.get("registered-models/alias", { name, alias: "best" });
    assert.equal((found.model_version as JsonObject).version, "2");
    assert.deepEqual((await model(name)).aliases, [{ alias: "best", version: "2" }]);
    await caller.ask("DELETE", "model-versions/delete", { name, version: "2" });
    const query = `registered-models/alias?name=${name}&alias=best`;
    assert.deepEqual(await caller.refusal(query), [
      400,
      "INVALID_PARAMETER_VALUE",
      "Registered model alias best not found.",
    ]);
    // An unknown alias is removed without a word, as by MLflow's server.
    await caller.ask("DELETE", "registered-models/alias", { name, alias: "best" });
    for (const alias of ["latest", "v3", "_x", "a b"]) {
      const body = { name, alias, version: "1" };
      assert.equal((await caller.refusal("registered-models/alias", body))[0], 400, alias);
    }
    const body = { name, alias: "best", version: "9" };
    assert.equal((await caller.refusal("registered-models/alias", body))[0], 404);
    const ada = new ArtifactCaller(system, await signIn(system, "ada"));
    const { events } = ok<AuditReply>(await ada.request("audit", { limit: "50" }), 200);
    assert.deepEqual(
      events
        .filter(({ action, details }) => action.includes("alias") && details["name"] === name)
        .map(({ action, details: { from, to } }) => [action, from, to]),
      [
        ["model.aliasRemoved", "2", null],
        ["model.aliasMoved", "1", "2"],
        ["model.aliasSet", null, "1"],
      ],
    );
  });

  test("stages are aliases: one version is in Production, and the one before is archived or in none", async () => {
    const name = await registered(4);
    await stage(name, 1, "Production");
    assert.deepEqual((await model(name)).aliases, [{ alias: "production", version: "1" }]);
    await stage(name, 2, "production", true);
    await stage(name, 3, "Staging");
    const stages = async () =>
      Promise.all([1, 2, 3, 4].map(async (at) => (await version(name, at)).current_stage));
    assert.deepEqual(await stages(), ["Archived", "Production", "Staging", "None"]);
    await stage(name, 3, "Production");
    assert.deepEqual(await stages(), ["Archived", "None", "Production", "None"]);
    // An alias that is set elsewhere moves the stage.
    await caller.post("registered-models/alias", { name, alias: "production", version: "4" });
    assert.deepEqual(await stages(), ["Archived", "None", "None", "Production"]);
    const latest = async (body: JsonObject) =>
      ((await caller.post("registered-models/get-latest-versions", body)).model_versions ??
        []) as JsonObject[];
    assert.deepEqual(
      (await latest({ name })).map((one) => [one.current_stage, one.version]),
      [
        ["None", "3"],
        ["Production", "4"],
        ["Archived", "1"],
      ],
    );
    assert.equal((await latest({ name, stages: ["Staging"] })).length, 0);
    await stage(name, 4, "None");
    assert.equal((await model(name)).aliases, undefined);
    const bad = { name, version: "4", stage: "Else" };
    assert.equal((await caller.refusal("model-versions/transition-stage", bad))[0], 400);
  });

  test("a version of a logged model, and of a version, says where its files are", async () => {
    const name = await registered();
    const runId = await caller.run();
    const logged = await caller.model("0", { name: "net", source_run_id: runId });
    await added(name, { source: `models:/${logged}`, run_id: "", model_id: logged });
    const first = await version(name, 1);
    assert.deepEqual([first.run_id, first.model_id], [runId, logged]);
    const uri = async (model: string, number: string) => {
      const query = { name: model, version: number };
      return (await caller.get("model-versions/get-download-uri", query)).artifact_uri;
    };
    assert.equal(await uri(name, "1"), `mlflow-artifacts:/0/models/${logged}/artifacts`);
    await caller.post("registered-models/alias", { name, alias: "best", version: "1" });
    const copy = await added(name, { source: `models:/${name}@best`, run_id: "" });
    assert.deepEqual([copy.source, copy.run_id], [`models:/${name}/1`, runId]);
    await caller.ask("DELETE", "model-versions/delete", { name, version: "1" });
    await caller.post("registered-models/rename", { name, new_name: `${name}-2` });
    assert.equal(await uri(`${name}-2`, "2"), `mlflow-artifacts:/0/models/${logged}/artifacts`);
    for (const source of [
      "/etc/passwd",
      "file:///etc",
      "s3://other/x",
      "runs:/a/../b",
      "http://x/y",
    ]) {
      const body = { name: `${name}-2`, source };
      const refused = await caller.refusal("model-versions/create", body);
      assert.deepEqual(refused.slice(0, 2), [400, "INVALID_PARAMETER_VALUE"], source);
    }
    const unknown = { name: `${name}-2`, source: `models:/m-${"0".repeat(32)}` };
    assert.equal((await caller.refusal("model-versions/create", unknown))[0], 404);
  });

  test("searches find by name, run, source and tags, by pages that hold their place", async () => {
    const word = uniqueName("Searched");
    for (const letter of ["a", "b", "c", "d", "e"]) {
      const name = `${word}${letter}`;
      const tags = [{ key: "letter", value: letter.toUpperCase() }];
      await caller.post("registered-models/create", { name, tags });
      await added(name, { run_id: `run-${letter}`, tags });
      await added(name, { source: `runs:/x/${word}-${letter}` });
    }
    const pages = async (
      place: "registered-models" | "model-versions",
      more: Record<string, string>,
    ) => {
      const found: JsonObject[] = [];
      for (let token: string | undefined = ""; token !== undefined;) {
        const query = { max_results: "2", page_token: token, ...more };
        const page = await caller.get(`${place}/search`, query);
        found.push(...((page[place.replace("-", "_")] ?? []) as JsonObject[]));
        token = page.next_page_token as string | undefined;
      }
      return found;
    };
    const models = async (filter: string, order = "name ASC") =>
      (await pages("registered-models", { filter, order_by: order })).map((one) =>
        String(one.name).replace(word, ""),
      );
    assert.deepEqual(await models(`name LIKE '${word}%'`), ["a", "b", "c", "d", "e"]);
    assert.deepEqual(await models(`name LIKE '${word}%'`, "name DESC"), ["e", "d", "c", "b", "a"]);
    assert.deepEqual(await models(`name LIKE '${word}%'`, "last_updated_timestamp DESC"), [
      "e",
      "d",
      "c",
      "b",
      "a",
    ]);
    assert.deepEqual(await models(`name ILIKE '${word.toUpperCase()}%' AND tags.letter != 'C'`), [
      "a",
      "b",
      "d",
      "e",
    ]);
    assert.deepEqual(await models(`name = '${word}b'`), ["b"]);
    assert.deepEqual(
      await models(`name = '${word}b' AND tag.\`mlflow.prompt.is_prompt\` != 'true'`),
      ["b"],
    );
    assert.deepEqual(await models("tags.`mlflow.prompt.is_prompt` = 'true'"), []);
    const versions = async (filter: string, order = "version_number ASC") =>
      (await pages("model-versions", { filter, order_by: order })).map(
        (one) => `${String(one.name).replace(word, "")}${String(one.version)}`,
      );
    assert.deepEqual(await versions(`name LIKE '${word}%' AND run_id IN ('run-a', 'run-c')`), [
      "a1",
      "c1",
    ]);
    assert.deepEqual(await versions(`source_path = 'runs:/x/${word}-d'`), ["d2"]);
    assert.deepEqual(await versions(`name LIKE '${word}%' AND version_number > 1`, "name DESC"), [
      "e2",
      "d2",
      "c2",
      "b2",
      "a2",
    ]);
    assert.deepEqual(await versions(`name LIKE '${word}%' AND tags.letter LIKE 'E%'`), ["e1"]);
    const wrong = await caller.refusal("registered-models/search?filter=colour%20%3D%20'x'");
    assert.deepEqual(wrong.slice(0, 2), [400, "INVALID_PARAMETER_VALUE"]);
    const [status] = await caller.refusal(
      "registered-models/search?page_token=eyJ2YWx1ZXMiOlsxXSwiaWQiOiIifQ",
    );
    assert.equal(status, 400);
  });

  test("what another organization asks for is not there, and one who reads changes nothing", async () => {
    const name = await registered(1);
    assert.equal((await rival.refusal(`registered-models/get?name=${name}`))[0], 404);
    const body = { name, alias: "best", version: "1" };
    assert.equal((await rival.refusal("registered-models/alias", body))[0], 404);
    await rival.post("registered-models/create", { name });
    assert.equal((await model(name)).aliases, undefined);
  });
});
