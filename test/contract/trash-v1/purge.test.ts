import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { finished, start } from "../../cli/command-line.ts";
import type { JsonObject } from "../../http.ts";
import { MovableClock } from "../../movable-clock.ts";
import { organizations, type Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { ArtifactCaller } from "../artifact-caller.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { RunFiles } from "../mlflow/run-files.ts";
import { signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { Writer } from "../writer.ts";
import { askTrash, entriesOf, trashed, untilGone } from "./trash-calls.ts";

const dayMs = 24 * 60 * 60_000;
const clock = new MovableClock(suiteDirectory("trash"));

topic(
  "what was in the trash for its time",
  (system) => {
    test("it is purged by itself: objects and files are gone, what is living stays, all is sound", async () => {
      const { acme, service } = system;
      const living = await acme.open();
      const experiment = await acme.open();
      for (const one of [living, experiment]) {
        const events = Array.from({ length: 30 }, (_, step) => one.metric({ step }));
        await one.send(...events, one.event("annotate", { annotation: "x", meta: {} }));
      }
      const mlflow = new MlflowCaller(system, organizations.acme.key);
      const modelId = await mlflow.model();
      const metric = { key: "m", value: "NaN", timestamp: 1, step: 1 };
      await mlflow.post("runs/log-batch", {
        run_id: experiment.experimentId,
        metrics: [metric, { ...metric, model_id: modelId, dataset_name: "iris" }],
        params: [{ key: "p", value: "1" }],
        tags: [{ key: "t", value: "1" }],
      });
      const dataset = { name: "iris", digest: "1", source_type: "local", source: "{}" };
      const shared = [{ dataset, tags: [{ key: "mlflow.data.context", value: "train" }] }];
      const own = { dataset: { ...dataset, digest: "2", schema: "{}", profile: "{}" } };
      const readBy = (run: string, datasets: JsonObject[]) =>
        mlflow.post("runs/log-inputs", { run_id: run, datasets, models: [{ model_id: modelId }] });
      await readBy(experiment.experimentId, [...shared, own]);
      await readBy(living.experimentId, shared);
      const made = { run_id: experiment.experimentId, models: [{ model_id: modelId }] };
      await mlflow.post("runs/outputs", made);
      const runFiles = new RunFiles(mlflow, experiment.experimentId);
      await runFiles.put("folder/file", "it takes a place");
      const caller = new ArtifactCaller(system, organizations.acme.key);
      const writer = await Writer.open(caller);
      await writer.write("1");
      await writer.write("2");
      const segments = () => readdirSync(join(service.dataDirectory, "segments"));
      const artifactsDirectory = join(service.dataDirectory, "artifacts");
      const files = () => readdirSync(artifactsDirectory, { recursive: true });
      while (!segments().includes(experiment.experimentId)) await setTimeout(50);
      const before = files().length;
      const body = { artifact: writer.artifact, versions: ["1"] };
      const [entry] = await trashed(system, experiment.experimentId);
      const [version] = await entriesOf(askTrash(system, "versions", { body }));
      clock.aheadMs = 29 * dayMs;
      await entriesOf(askTrash(system, "restore", { body: { ids: [entry.id] } }));
      const [again] = await trashed(system, experiment.experimentId);
      clock.aheadMs = 60 * dayMs;
      await untilGone(system, [again.id, version.id]);
      while (segments().includes(experiment.experimentId)) await setTimeout(50);
      assert.ok(segments().includes(living.experimentId));
      assert.equal((await acme.series(living.experimentId)).done.points, 30);
      const { run } = await mlflow.get("runs/get", { run_id: living.experimentId });
      assert.deepEqual((run as JsonObject).inputs, {
        dataset_inputs: shared,
        model_inputs: [{ model_id: modelId }],
      });
      const { model } = await mlflow.get(`logged-models/${modelId}`);
      assert.deepEqual((model as JsonObject).data, {}, "the model outlives the run");
      await collectGarbage(system);
      assert.equal((await runFiles.at("folder/file")).status, 404);
      assert.equal(hasFile(service, "it takes a place"), false, "the file of the run is gone");
      assert.ok(files().length < before, "the files of the version are gone");
      assert.equal((await caller.read(writer.artifact)).version, "2");
      const data = ["--data", service.dataDirectory];
      const verify = await finished(start(system.baseUrl, ["verify", ...data]));
      assert.equal(verify.code, 0, verify.stdout + verify.stderr);
    });

    test("files of a run that an admin purges at once stay for the hour of their addresses", async () => {
      const { experimentId } = await system.acme.open();
      const mlflow = new MlflowCaller(system, organizations.acme.key);
      await new RunFiles(mlflow, experimentId).put("file", "an address is good");
      const [{ id }] = await trashed(system, experimentId);
      const credential = await signIn(system, "ada");
      await entriesOf(askTrash(system, "purge", { body: { ids: [id] }, credential }));
      await untilGone(system, [id]);
      await collectGarbage(system);
      assert.equal(hasFile(system.service, "an address is good"), true);
      clock.aheadMs += 60 * 60_000;
      await collectGarbage(system);
      assert.equal(hasFile(system.service, "an address is good"), false);
    });
  },
  { ...clock.service, backends: ["sqlite"], flags: ["--seal-points", "20"] },
);

async function collectGarbage({ service, baseUrl }: System): Promise<void> {
  const data = ["--data", service.dataDirectory];
  const key = ["--master-key-file", join(service.dataDirectory, "master.key")];
  const gc = await finished(start(baseUrl, ["gc", ...data, ...key], clock.command));
  assert.equal(gc.code, 0, gc.stdout + gc.stderr);
}

/** Whether the built-in location has a file with these bytes. */
function hasFile({ dataDirectory }: Service, bytes: string): boolean {
  const directory = join(dataDirectory, "artifacts");
  const name = new RegExp(`-${bytes.length}-[0-9a-f]{24}$`);
  return (readdirSync(directory, { recursive: true }) as string[]).some(
    (file) => name.test(file) && readFileSync(join(directory, file)).includes(bytes),
  );
}
