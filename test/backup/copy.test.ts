import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { Client } from "pg";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../contract/mlflow/run-files.ts";
import { Writer } from "../contract/writer.ts";
import { signIn } from "../contract/people.ts";
import { call, type JsonObject, ok } from "../http.ts";
import { pngOf } from "../web/pushed-artifacts.ts";
import { sharedPostgres } from "../postgres.ts";
import { connectionsEnd } from "../postgres-rows.ts";
import { type Finished, finished, start } from "../cli/command-line.ts";
import { organizations, Service } from "../service.ts";
import { type Operation, S3Double } from "../stores/s3-double.ts";
import {
  answerOf,
  artifactsOf,
  backUp,
  callerOf,
  contentOf,
  lossless,
  pointsOf,
  Recorder,
  sealed,
  sealingSoon,
} from "./recorded.ts";

interface Copied {
  rows: number;
  objects: number;
  files: number;
  verification: { problems: string[]; points: number };
}

suite("copies between a data directory and PostgreSQL", () => {
  test("there and back, with ids, tokens and artifacts; and each goes on from there", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lossless-copy-"));
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await using first = await Service.start({ ...sealingSoon, people: true });
    const recorder = await Recorder.open(first, "runs/moves");
    await recorder.send(12);
    const folder = await callerOf(first).ask("folder.create", {
      name: "outer",
      parentFolderId: null,
    });
    const inner = { name: "inner", parentFolderId: folder.folderId as string };
    await callerOf(first).ask("folder.create", inner);
    const writer = await Writer.open(artifactsOf(first), "models/moves");
    await writer.write("v1", { "model.bin": Buffer.from("weights that move") });
    const logged = await logModel(first, recorder);
    await runFilesOf(first, recorder).put("a folder/größe", "a file that moves");

    const pictured = await reportWithPictures(first);

    const toDatabase = ["copy", "--data", first.dataDirectory, "--to", databaseUrl];
    const running = await lossless(...toDatabase, "--to-data", join(directory, "early"));
    assert.equal(running.code, 3, running.stderr);
    assert.equal(await first.stop(), 0);
    await using second = new Service({ ...sealingSoon, databaseUrl, people: true });
    // A copy that fails halfway does not hinder the next one.
    const [segments, away] = [join(first.dataDirectory, "segments"), join(directory, "away")];
    renameSync(segments, away);
    const halfway = await lossless(...toDatabase, "--to-data", second.dataDirectory);
    assert.equal(halfway.code, 2, halfway.stderr);
    assert.match(halfway.stderr, /There is no object .* Nothing can be copied so/);
    assert.deepEqual(leftIn(second.dataDirectory), []);
    rmSync(segments, { recursive: true, force: true });
    renameSync(away, segments);
    const there = await answerOf<Copied>(...toDatabase, "--to-data", second.dataDirectory);
    assert.deepEqual(there.verification.problems, []);
    assert.equal(there.verification.points, recorder.acknowledged);
    assert.ok(there.rows > 20 && there.objects > 0 && there.files > 0);
    const again = await lossless(...toDatabase, "--to-data", join(directory, "again"));
    assert.equal(again.code, 2);
    assert.match(again.stderr, /has data/);

    await second.start();
    await isWhole(second, recorder, 1_200);
    assert.deepEqual(await readModel(second, recorder), logged);
    await picturesAreWhole(second, pictured);
    // The token of before is good, and what it sends again is known.
    const { experimentId, slug, token, expiresAtMs } = recorder.experiment;
    const moved = await callerOf(second).open(slug);
    assert.equal(moved.experimentId, experimentId);
    const old = moved.withToken(token);
    const point = (step: number) =>
      old.metric({ step, metricValue: Math.sin(step) }, `drill-${step}`);
    const replies = await old.send(point(100), point(1_200));
    assert.deepEqual(
      replies.map(({ data }) => data.deduplicated),
      [true, false],
    );
    assert.ok(expiresAtMs > 0);
    // New numbers of metrics' names do not meet those that were copied.
    await old.send(old.metric({ metricName: "another", step: 0 }));
    await new Writer(artifactsOf(second), "models/moves", writer.epoch).write("v2", {
      "model.bin": Buffer.from("weights of the second home"),
    });
    const place = join(directory, "backups");
    const busy = ["copy", "--data", second.dataDirectory, "--database-url", databaseUrl];
    const refused = await lossless(...busy, "--to-data", join(directory, "busy"));
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /other connections/);
    const made = await backUp(second, place);
    assert.deepEqual(made.problems, []);
    assert.equal(made.generation.points, 1_202);
    assert.equal(await second.stop(), 0);
    await connectionsEnd(databaseUrl);
    // As after a restore by PostgreSQL's own tools: tokens end, keys stay.
    const located = ["--database-url", databaseUrl, "--data", second.dataDirectory];
    const { ended } = await answerOf<{ ended: Record<string, number> }>("restored", ...located);
    assert.ok(ended.experimentTokens > 0 && ended.apiKeys > 0, JSON.stringify(ended));

    await using third = new Service({ ...sealingSoon, people: true });
    const back = await answerOf<Copied>(...busy, "--to-data", third.dataDirectory);
    assert.deepEqual(back.verification.problems, []);
    assert.equal(back.verification.points, 1_202);
    await third.start();
    await isWhole(third, recorder, 1_201, "weights of the second home");
    await using fourth = new Service({ ...sealingSoon, people: true });
    await answerOf("restore", place, fourth.dataDirectory);
    await fourth.start();
    assert.deepEqual(await readModel(fourth, recorder), logged);
    await isWhole(fourth, recorder, 1_201, "weights of the second home");
    rmSync(directory, { recursive: true, force: true });
  });

  test("sealed points go to a bucket, and the copy is refused without its credentials", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lossless-copy-"));
    const databaseUrl = await (await sharedPostgres()).createDatabase();
    await using store = await S3Double.start({ buckets: ["sealed"] });
    await using first = await Service.start(sealingSoon);
    const recorder = await Recorder.open(first, "runs/to-a-bucket");
    await recorder.send(12);
    await sealed(first);
    assert.equal(await first.stop(), 0);
    const segments = `s3://sealed/points?endpoint=${store.endpoint}`;
    const to = ["--to", databaseUrl, "--to-segments", segments];
    const words = ["copy", "--data", first.dataDirectory, ...to];
    const refused = await lossless(...words, "--to-data", join(directory, "refused"));
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--to-segments needs the variable AWS_ACCESS_KEY_ID/);
    const environment = {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    };
    await using second = new Service({
      databaseUrl,
      environment,
      flags: [...sealingSoon.flags!, "--segments", segments],
    });
    const there = second.dataDirectory;
    const copy = () => start("", [...words, "--to-data", there], environment);
    const interruptedAt = (wanted: Operation): Promise<Finished> => {
      const child = copy();
      store.faults.clear();
      store.faults.add({
        fault: "hang",
        when: ({ operation, key }) =>
          operation === wanted && !key.endsWith("OWNER") && child.kill("SIGINT"),
      });
      return finished(child);
    };
    // Objects come before the rows.
    const early = await interruptedAt("PutObject");
    assert.equal(early.code, "SIGINT", early.stderr);
    assert.match(early.stderr, /stopped; no data is in the copy, .* run the same command again/);
    assert.deepEqual(leftIn(there), []);
    assert.equal(await queryOf(databaseUrl, "SELECT FROM installation WHERE name = 'segments'"), 0);
    // The connection ends during the commit.
    store.faults.clear();
    await queryOf(databaseUrl, cutAtCommit);
    const cut = await finished(copy());
    assert.equal(cut.code, 6, cut.stderr);
    assert.match(
      cut.stderr,
      /during COMMIT: .*; the database on PostgreSQL got the whole copy, or/,
    );
    assert.ok(leftIn(there).includes("master.key"));
    await queryOf(databaseUrl, "DROP TRIGGER cut ON organization");
    const taken = await finished(copy());
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /is not empty/);
    for (const name of leftIn(there)) rmSync(join(there, name), { recursive: true });
    // Objects are read when the copy is checked, and not before.
    const late = await interruptedAt("GetObject");
    assert.equal(late.code, "SIGINT", late.stderr);
    assert.match(late.stderr, /stopped; the copy is whole, .* check it with lossless verify/);
    const located = ["--database-url", databaseUrl, "--data", there, "--segments", segments];
    store.faults.clear();
    const checked = await finished(start("", ["verify", ...located, "--json"], environment));
    assert.equal(checked.code, 0, checked.stderr);
    const { problems, points } = JSON.parse(checked.stdout) as Copied["verification"];
    assert.deepEqual([problems, points], [[], 1_200]);
    const names = [...store.objects("sealed").keys()];
    assert.ok(names.length > 1, names.join());
    assert.ok(
      names.every((name) => name.startsWith("points/")),
      names.join(),
    );
    await second.start();
    assert.equal(await pointsOf(second, recorder.experiment.experimentId), 1_200);
    rmSync(directory, { recursive: true, force: true });
  });
});

/** Logs data of MLflow's clients beside an experiment, with a step that no double holds. */
async function logModel(service: Service, { experiment: { experimentId } }: Recorder) {
  const caller = mlflowOf(service);
  const params = [{ key: "lr", value: "0.1" }];
  const modelId = await caller.model("0", { name: "copied", params, tags: params });
  const dataset = { name: "iris", digest: "1", source_type: "local", source: "{}", profile: "{}" };
  const tags = [{ key: "mlflow.data.context", value: "train" }];
  const inputs = { datasets: [{ dataset, tags }], models: [{ model_id: modelId }] };
  await caller.post("runs/log-inputs", { run_id: experimentId, ...inputs });
  const metric = `"key":"m","value":"NaN","timestamp":1,"step":9223372036854775807`;
  const whose = `"run_id":"${experimentId}","model_id":"${modelId}"`;
  await caller.post("runs/log-metric", `{${whose},${metric},"dataset_name":"iris"}`);
  return readModel(service, { experiment: { experimentId } });
}

async function readModel(
  service: Service,
  { experiment: { experimentId } }: { experiment: Pick<Recorder["experiment"], "experimentId"> },
) {
  const caller = mlflowOf(service);
  const { run } = await caller.get("runs/get", { run_id: experimentId });
  const { inputs, data } = run as { inputs: JsonObject; data: { metrics: JsonObject[] } };
  const { models } = await caller.post("logged-models/search", { experiment_ids: ["0"] });
  assert.equal((models as JsonObject[]).length, 1);
  const metrics = data.metrics.filter(({ key }) => key === "m");
  assert.deepEqual([metrics.length, Object.keys(inputs).length], [1, 2]);
  return { inputs, models, metrics };
}

function mlflowOf({ baseUrl }: Service): MlflowCaller {
  return new MlflowCaller({ baseUrl, observe() {} }, organizations.acme.key);
}

function runFilesOf(service: Service, { experiment }: Recorder): RunFiles {
  return new RunFiles(mlflowOf(service), experiment.experimentId);
}

async function isWhole(
  service: Service,
  recorder: Recorder,
  points: number,
  weights = "weights that move",
): Promise<void> {
  const { experimentId } = recorder.experiment;
  assert.equal(await pointsOf(service, experimentId, "loss"), points);
  assert.equal(await runFilesOf(service, recorder).text("a folder/größe"), "a file that moves");
  assert.equal(await contentOf(service, "models/moves"), weights);
  const tree = await callerOf(service).ask("foldertree.read", {});
  assert.match(JSON.stringify(tree), /outer.*inner/);
}

/** Names but those of the lock, with which a directory counts as empty. */
function leftIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => !name.startsWith("lock.db"));
}

/** The server ends the connection when all has been checked that is checked at the commit. */
const cutAtCommit = `
  CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
  CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON organization DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION cut()`;

/** Gives how many rows it finds. */
async function queryOf(databaseUrl: string, sql: string): Promise<number | null> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount;
  } finally {
    await client.end();
  }
}

/** A shared report with more pictures than are copied at once; their names. */
async function reportWithPictures({ baseUrl }: Service): Promise<{ id: string; names: string[] }> {
  const credential = await signIn({ baseUrl, observe: () => undefined }, "ada");
  const body = { name: "pictured", scope: "shared", blocks: [] };
  const { id } = ok(await call(baseUrl, { path: "/api/views/v1/reports", body, credential }), 201);
  const path = `/api/views/v1/report-picture?id=${id as string}`;
  const names: string[] = [];
  for (let width = 1; width <= 9; width++) {
    const asked = { method: "POST", path, body: pngOf(width, 2), credential };
    names.push(ok(await call(baseUrl, asked), 201).picture as string);
  }
  return { id: id as string, names };
}

async function picturesAreWhole(
  { baseUrl }: Service,
  { id, names }: { id: string; names: string[] },
): Promise<void> {
  const credential = organizations.acme.key;
  for (const [at, picture] of names.entries()) {
    const path = `/api/views/v1/report-picture?id=${id}&picture=${picture}`;
    const { bytes } = await call(baseUrl, { path, credential });
    assert.ok(bytes.equals(pngOf(at + 1, 2)));
  }
}
