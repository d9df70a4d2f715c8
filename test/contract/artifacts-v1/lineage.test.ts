import assert from "node:assert/strict";
import { before, test } from "node:test";
import type {
  LineageGraph,
  LineageLink,
  RecordedUse,
  RunLineage,
  VersionLineage,
} from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, type Query, sendParts } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { askTrash, entriesOf } from "../trash-v1/trash-calls.ts";
import { oneFile, Writer } from "../writer.ts";

topic("lineage", (system) => {
  let acme: ArtifactCaller;
  let rival: ArtifactCaller;
  let ada: string;
  before(async () => {
    acme = new ArtifactCaller(system, organizations.acme.key);
    rival = new ArtifactCaller(system, organizations.rival.key);
    ada = await signIn(system, "ada");
  });

  const use = (body: object, as = acme): Promise<HttpReply> => as.post("lineage/uses", {}, body);
  const used = async (body: object): Promise<RecordedUse> => ok<RecordedUse>(await use(body), 200);
  const ofRun = async (experimentId: string, as = acme): Promise<RunLineage> =>
    ok<RunLineage>(await as.request("lineage/run", { experimentId }), 200);
  const ofVersion = async (query: Query): Promise<VersionLineage> =>
    ok<VersionLineage>(await acme.request("lineage/version", query), 200);
  const graphOf = async (query: Query): Promise<LineageGraph> =>
    ok<LineageGraph>(await acme.request("lineage/graph", query), 200);
  const shown = (links: readonly LineageLink[]) =>
    links.map(({ node, role, named }) => [
      node.kind,
      node.name,
      node.version,
      node.state,
      role,
      named,
    ]);
  const written = async (version: string, meta: object = {}): Promise<string> => {
    const writer = await Writer.open(acme);
    const upload = await writer.begin(version, oneFile, { meta });
    ok(await writer.commit(upload.upload, await sendParts(upload, oneFile)), 200);
    return writer.artifact;
  };

  test("a run has the versions that it used and wrote, each use once a role", async () => {
    const { experimentId, slug } = await system.acme.open();
    const numbers = await written("1");
    const made = await written("7", { experiment: slug, step: 3 });
    ok(
      await acme.request(
        "artifacts/alias",
        { artifact: numbers, alias: "best" },
        { method: "PUT", body: { version: "1" } },
      ),
      200,
    );
    const body = { experimentId, artifact: numbers, version: "@best" };
    assert.deepEqual(await used(body), { artifact: numbers, version: "1", isNew: true });
    assert.equal((await used(body)).isNew, false);
    assert.equal((await used({ ...body, version: "latest" })).isNew, false);
    assert.equal((await used({ ...body, version: "1", role: "validation" })).isNew, true);
    const { node, inputs, outputs, ...left } = await ofRun(experimentId);
    assert.deepEqual([node.experimentId, node.name, node.state], [experimentId, slug, "present"]);
    assert.deepEqual(shown(inputs).toSorted(), [
      ["version", numbers, "1", "present", "", "@best"],
      ["version", numbers, "1", "present", "validation", ""],
    ]);
    assert.deepEqual(shown(outputs), [["version", made, "7", "present", "", ""]]);
    assert.equal(outputs[0].step, 3);
    assert.deepEqual(left, { inputsLeftOut: 0, outputsLeftOut: 0, isBehind: false });
  });

  test("an annotation of a client says a use, also of a version that is not there", async () => {
    const run = await system.acme.open();
    const artifact = uniqueName("nobody's");
    const annotate = (meta: Record<string, string | number>) =>
      run.tell("annotate", { annotation: "used", meta });
    for (const version of ["1", "1", "2"])
      await annotate({ kind: "artifact-used", artifact, version });
    for (const odd of [
      { artifact: 3 },
      { version: "latest" },
      { role: 1 },
      { artifact: "a//b" },
      { role: "x".repeat(129) },
    ])
      await annotate({ kind: "artifact-used", artifact, version: "9", ...odd });
    const { inputs } = await ofRun(run.experimentId);
    assert.deepEqual(shown(inputs).toSorted(), [
      ["version", artifact, "1", "unknown", "", ""],
      ["version", artifact, "2", "unknown", "", ""],
    ]);
  });

  test("a version that was saved before its run was opened is linked when an annotation says so", async () => {
    const slug = uniqueName("late");
    const artifact = await written("1", { experiment: slug, step: 4 });
    const foreign = await written("1", { experiment: "another" });
    const run = await system.acme.open(slug);
    assert.deepEqual((await ofRun(run.experimentId)).outputs, []);
    for (const one of [artifact, foreign])
      await run.tell("annotate", {
        annotation: "saved",
        meta: { kind: "artifact", artifact: one, version: "1" },
      });
    const { outputs } = await ofRun(run.experimentId);
    assert.deepEqual(
      outputs.map(({ node, step }) => [node.name, step]),
      [[artifact, 4]],
    );
    assert.equal((await ofVersion({ artifact, version: "1" })).maker?.node.slug, slug);
  });

  test("a deleted version keeps its name, on both sides", async () => {
    const maker = await system.acme.open();
    const reader = await system.acme.open();
    const artifact = await written("1", { experiment: maker.slug });
    await used({ experimentId: reader.experimentId, artifact, version: "1" });
    const trashed = await entriesOf(
      askTrash(system, "versions", { body: { artifact, versions: ["1"] } }),
    );
    const states = async () => [
      (await ofRun(maker.experimentId)).outputs.map(({ node }) => [node.name, node.state]),
      (await ofRun(reader.experimentId)).inputs.map(({ node }) => [node.name, node.state]),
    ];
    assert.deepEqual(await states(), [[[artifact, "trashed"]], [[artifact, "trashed"]]]);
    await entriesOf(
      askTrash(system, "purge", { body: { ids: trashed.map(({ id }) => id) }, credential: ada }),
    );
    assert.deepEqual(await states(), [[[artifact, "deleted"]], [[artifact, "deleted"]]]);
  });

  test("a version has the run that made it, all that used it, and the models that have it", async () => {
    const maker = await system.acme.open();
    const artifact = await written("1", { experiment: maker.slug, step: 5 });
    const readers = await Promise.all([1, 2, 3].map(() => system.acme.open()));
    for (const { experimentId } of readers)
      await used({ experimentId, artifact, version: "1", role: "base" });
    const model = uniqueName("model");
    ok(await acme.post("models/version", { model }, { artifact, version: "1" }), 200);
    const path = { model, alias: "best" };
    ok(await acme.request("models/alias", path, { method: "PUT", body: { version: 1 } }), 200);
    const found = await ofVersion({ artifact, version: "latest" });
    assert.deepEqual([found.node.name, found.node.version], [artifact, "1"]);
    assert.deepEqual([found.maker?.node.slug, found.maker?.step], [maker.slug, 5]);
    assert.deepEqual(
      found.users.map(({ node, role }) => [node.slug, role]).toSorted(),
      readers.map(({ slug }) => [slug, "base"]).toSorted(),
    );
    assert.deepEqual(
      [found.usersLeftOut, found.models],
      [0, [{ model, version: 1, aliases: ["best"] }]],
    );
    await entriesOf(askTrash(system, "versions", { body: { artifact, versions: ["1"] } }));
    assert.equal((await ofVersion({ artifact, version: "1" })).node.state, "trashed");
    const none = { artifact, version: "2" };
    assert.equal((await acme.request("lineage/version", none)).status, 404);
    assert.equal((await rival.request("lineage/version", { ...none, version: "1" })).status, 404);
  });

  test("a graph follows inputs up and outputs down, with a bound, and says what it lacks", async () => {
    // data, prepare, clean, train0 … train3, model0 …; train0 goes on with its own model.
    const prepare = await system.acme.open();
    const data = await written("1");
    await used({ experimentId: prepare.experimentId, artifact: data, version: "1" });
    const clean = await written("1", { experiment: prepare.slug });
    const trainings = await Promise.all([0, 1, 2, 3].map(() => system.acme.open()));
    const models: string[] = [];
    for (const { experimentId, slug } of trainings) {
      await used({ experimentId, artifact: clean, version: "1" });
      models.push(await written("1", { experiment: slug }));
    }
    const [first] = trainings;
    await used({ experimentId: first.experimentId, artifact: models[0], version: "1" });
    const names = (graph: LineageGraph) => graph.nodes.map(({ name }) => name).toSorted();
    const whole = await graphOf({ artifact: clean, version: "1" });
    const slugs = trainings.map(({ slug }) => slug);
    assert.deepEqual(names(whole), [clean, data, prepare.slug, ...slugs, ...models].toSorted());
    assert.equal(whole.edges.length, 11);
    assert.deepEqual([whole.isCut, whole.nodes.some(({ leftOut }) => leftOut > 0)], [false, false]);
    assert.equal(whole.nodes.find(({ name }) => name === data)?.distance, -2);
    assert.equal(whole.nodes.find(({ name }) => name === models[1])?.distance, 2);
    const up = await graphOf({ experimentId: trainings[1].experimentId, direction: "up" });
    assert.deepEqual(names(up), [slugs[1], clean, prepare.slug, data].toSorted());
    const near = await graphOf({ artifact: data, version: "1", depth: "2" });
    assert.deepEqual(names(near), [data, prepare.slug, clean].toSorted());
    assert.deepEqual(
      near.nodes.map(({ name, leftOut }) => [name, leftOut]),
      [
        [data, 0],
        [prepare.slug, 0],
        [clean, 4],
      ],
    );
    const few = await graphOf({ artifact: clean, version: "1", direction: "down", nodes: "3" });
    assert.deepEqual([few.nodes.length, few.isCut, few.nodes[0].leftOut], [3, true, 2]);
    for (const odd of [{}, { artifact: data }, { experimentId: "x", artifact: data, version: "1" }])
      assert.equal((await acme.request("lineage/graph", odd)).status, 400);
    assert.equal((await acme.request("lineage/graph", { experimentId: "none" })).status, 404);
    assert.equal(
      (await rival.request("lineage/graph", { artifact: clean, version: "1" })).status,
      404,
    );
  });

  test("data sets and models of MLflow's clients are in it; a source may name a version", async () => {
    const mlflow = new MlflowCaller(system, organizations.acme.key);
    const artifact = await written("1");
    const [runId, other] = [await mlflow.run("0"), await mlflow.run("0")];
    const dataset = {
      name: uniqueName("set"),
      digest: "d1",
      source_type: "http",
      source: JSON.stringify({ url: `${system.baseUrl}/artifact?name=${artifact}&version=1` }),
    };
    const tags = [{ key: "mlflow.data.context", value: "training" }];
    for (const run of [runId, other])
      await mlflow.post("runs/log-inputs", { run_id: run, datasets: [{ dataset, tags }] });
    const [near, far] = [await mlflow.run("0"), await mlflow.run("0")];
    for (const [run, host] of [
      [near, ""],
      [far, "https://host"],
    ]) {
      const source = `${host}/artifact?name=${artifact}&version=1`;
      const named = { ...dataset, name: uniqueName("set"), source };
      await mlflow.post("runs/log-inputs", { run_id: run, datasets: [{ dataset: named, tags }] });
    }
    const model = await mlflow.model("0", { name: "net", source_run_id: runId });
    await mlflow.post("runs/log-inputs", { run_id: other, models: [{ model_id: model }] });
    const logged = await mlflow.model("0", { name: "other" });
    const made = [{ model_id: logged, step: 9 }];
    await mlflow.post("runs/outputs", { run_id: runId, models: made });
    const { inputs, outputs } = await ofRun(runId);
    assert.deepEqual(
      inputs.map(({ node, role }) => [node.kind, node.name, node.version ?? node.digest, role]),
      [
        ["version", artifact, "1", "training"],
        ["dataset", dataset.name, "d1", "training"],
      ],
    );
    assert.deepEqual(
      outputs.map(({ node, step }) => [node.kind, node.modelId, step]),
      [
        ["model", logged, 9],
        ["model", model, null],
      ],
    );
    const { users } = await ofVersion({ artifact, version: "1" });
    assert.deepEqual(
      users.map(({ node }) => node.experimentId).toSorted(),
      [runId, other, near].toSorted(),
    );
    const graph = await graphOf({ experimentId: other, direction: "up" });
    const found = graph.nodes.map(({ kind, distance }) => [kind, distance]);
    assert.deepEqual(found.toSorted(), [
      ["dataset", -1],
      ["model", -1],
      ["run", -2],
      ["run", 0],
      ["version", -1],
    ]);
  });

  test("a data set whose source is a version of a registered model has used that version", async () => {
    const mlflow = new MlflowCaller(system, organizations.acme.key);
    const artifact = await written("1");
    const model = uniqueName("model");
    ok(await acme.post("models/version", { model }, { artifact, version: "1" }), 200);
    const path = { model, alias: "best" };
    ok(await acme.request("models/alias", path, { method: "PUT", body: { version: 1 } }), 200);
    const sources = [
      `models:/${model}/1`,
      JSON.stringify({ uri: `models:/${model}@best` }),
      `models:/${model}/2`,
      `models:/${model}@none`,
      "models:/nobody/1",
      "models:/m-1",
    ];
    const found: object[] = [];
    for (const source of sources) {
      const run = await mlflow.run("0");
      const dataset = { name: "weights", digest: "d", source_type: "model", source };
      await mlflow.post("runs/log-inputs", { run_id: run, datasets: [{ dataset, tags: [] }] });
      const { inputs } = await ofRun(run);
      found.push(inputs.flatMap(({ node }) => (node.kind === "version" ? [node.name] : [])));
    }
    assert.deepEqual(found, [[artifact], [artifact], [], [], [], []]);
  });

  test("a version or run that is not there, or is another organization's, is refused", async () => {
    const { experimentId } = await system.acme.open();
    const artifact = await written("1");
    const body = { experimentId, artifact, version: "1" };
    for (const odd of [
      { version: "2" },
      { version: "@none" },
      { artifact: uniqueName("no") },
      { experimentId: "no" },
    ])
      assert.equal((await use({ ...body, ...odd })).status, 404);
    assert.equal((await use(body, rival)).status, 404);
    assert.equal((await rival.request("lineage/run", { experimentId })).status, 404);
    assert.deepEqual((await ofRun(experimentId)).inputs, []);
  });
});
