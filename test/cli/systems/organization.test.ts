import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { pull, push } from "@lossless/client/files";
import { OrganizationCaller } from "../../contract/callers.ts";
import { MlflowCaller } from "../../contract/mlflow/mlflow-calls.ts";
import { RunFiles } from "../../contract/mlflow/run-files.ts";
import { sharedPostgres } from "../../postgres.ts";
import { organizations, Service } from "../../service.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { run } from "../command-line.ts";

/** From SQLite to PostgreSQL, by the command line, compared over the interfaces. */
suite("lossless export and import organization", () => {
  let source: Service;
  let target: Service;
  const directory = suiteDirectory("organization");
  let runId: string;
  before(async () => {
    source = await Service.start();
    target = await Service.start({ databaseUrl: await (await sharedPostgres()).createDatabase() });
    await record();
  });
  after(async () => {
    await source?.[Symbol.asyncDispose]();
    await target?.[Symbol.asyncDispose]();
  });

  const seen = (service: Service) => ({ baseUrl: service.baseUrl, observe: () => undefined });
  const clientOf = ({ baseUrl }: Service) =>
    new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  const out = () => join(directory, "out");

  async function record(): Promise<void> {
    const acme = new OrganizationCaller(seen(source), organizations.acme.key);
    const client = clientOf(source);
    const folderId = await client.folders.ensure(["team", "vision/1"]);
    const recorder = await client.record({
      slug: "run/ü",
      description: "the first",
      meta: { lr: 0.1, deep: { a: [1, null], b: "x" } },
      folderId,
    });
    const values = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, 1, 1, 2 ** 53 + 2];
    for (const [at, value] of values.entries())
      for (const meta of [{}, { rank: "ü", split: "a" }])
        recorder.record("loss", value, [0, 2 ** 53 - 2, 3, 3, 3, 7][at], {
          timestampMs: at < 2 ? 2 ** 53 - 1 - at : 5,
          meta,
        });
    recorder.record("loss", NaN, 9);
    await recorder.annotate("twice", { by: "test" });
    await recorder.annotate("twice", { by: "test" });
    for (const version of ["1", "0"])
      await recorder.annotate("used", { kind: "artifact-used", artifact: "models/A", version });
    // Two processes in turn, one that has printed nothing, and one line that goes on.
    const red = [{ start: 0, end: 2, style: "1;31" }];
    for (let first = 0; first < 5; first++)
      for (const [rank, text] of ["ü 🙂", ""].entries())
        await recorder.appendLines({
          source: { id: `p${rank}`, rank, host: "node", processId: 7 + rank },
          first,
          lines: [
            { timestampMs: first, stream: "error", text, ...(text !== "" && { spans: red }) },
          ],
        });
    const open = [{ stream: "stdout" as const, text: "50%" }];
    await recorder.appendLines({ source: { id: "silent" }, first: 0, lines: [], open });
    await recorder.finish({ error: "it broke", errorMeta: { line: 7 } });
    await acme.open("empty");
    const mlflow = new MlflowCaller(seen(source), organizations.acme.key);
    runId = await mlflow.run("0", { run_name: "tuned" });
    const irregular = [
      { key: "acc", value: "NaN", timestamp: 1, step: 2 },
      { key: "acc", value: 0.5, timestamp: 1, step: -1 },
    ];
    const metrics = [{ key: "acc", value: 0.25, timestamp: 1, step: 1 }, ...irregular];
    const params = [{ key: "lr", value: "0.1" }];
    await mlflow.post("runs/log-batch", { run_id: runId, metrics, params });
    const dataset = { name: "digits", digest: "d1", source_type: "local", source: "{}" };
    const datasets = [{ dataset, tags: [{ key: "mlflow.data.context", value: "train" }] }];
    await mlflow.post("runs/log-inputs", { run_id: runId, datasets });
    await mlflow.post("runs/update", { run_id: runId, status: "KILLED", end_time: 2_000 });
    await new RunFiles(mlflow, runId).put("plots/a b.txt", "a plot");
    const files = join(directory, "files");
    mkdirSync(join(files, "inner"), { recursive: true });
    writeFileSync(join(files, "inner/weights"), Buffer.alloc(100_000, 7));
    for (const version of ["1", "2"])
      await push(client, { artifact: "models/A", path: files, version, meta: { at: version } });
    await client.artifacts.writeNote("models/A", "best", "2");
    await client.artifacts.setAlias("models/A", "best", "2");
    await client.artifacts.setAlias("models/A", "best", "1");
    for (const version of ["2", "1"])
      await client.models.link("net", { artifact: "models/A", version });
    await client.models.describe("net", "Finds cells.");
    await client.models.setAlias("net", "production", 1);
  }

  async function ask<Answer>(service: Service, ...words: string[]): Promise<Answer> {
    const { code, stdout, stderr } = await run(service.baseUrl, ...words, "--json");
    assert.equal(code, 0, stderr + stdout);
    return JSON.parse(stdout) as Answer;
  }

  test("every point, annotation, meta and file is there again, once", async () => {
    const exported = await ask<{ counts: object }>(source, "export", "organization", out());
    const counts = { experiments: 3, points: 13, annotations: 6, lines: 10 };
    assert.deepEqual(exported.counts, { ...counts, runFiles: 1, versions: 2 });
    const imported = await ask<Imported>(target, "import", "organization", out());
    assert.deepEqual([imported.experiments, imported.known, imported.points], [3, 0, 13]);
    assert.equal(imported.lines, 10);
    for (const slug of ["run/ü", "empty", runId]) await compare(slug);
    const { folders } = await clientOf(target).folders.tree();
    assert.deepEqual(
      folders.map(({ name, folders: inner }) => [name, inner[0].name, inner[0].experiments.length]),
      [["team", "vision/1", 1]],
    );
    const note = await clientOf(target).artifacts.readNote("models/A", "best");
    assert.equal(Buffer.from(note).toString(), "2");
    const aliased = await clientOf(target).artifacts.readVersion("models/A", "@best");
    assert.equal(aliased.version, "1");
    const model = await clientOf(target).models.read("net");
    assert.deepEqual(
      [model.description, model.aliases, model.versions.map((one) => one.artifactVersion)],
      ["Finds cells.", [{ alias: "production", version: 1 }], ["1", "2"]],
    );
    const run = await clientOf(target).experiment({ experimentSlug: "run/ü" });
    const { inputs } = await clientOf(target).lineage.ofRun(run.experimentId);
    assert.deepEqual(inputs.map(({ node }) => [node.version, node.state]).toSorted(), [
      ["0", "deleted"],
      ["1", "present"],
    ]);
    for (const version of ["1", "2"]) {
      const [there, here] = await Promise.all(
        [source, target].map((one) => clientOf(one).artifacts.readVersion("models/A", version)),
      );
      assert.deepEqual([here.meta, here.source], [there.meta, there.source]);
    }
    const pulled = join(directory, "pulled");
    await pull(clientOf(target), { artifact: "models/A", directory: pulled });
    assert.deepEqual(readFileSync(join(pulled, "inner/weights")), Buffer.alloc(100_000, 7));
  });

  test("again nothing is written or stored, and then only what is new", async () => {
    const same = await ask<Exported>(source, "export", "organization", out());
    assert.deepEqual([same.experimentsWritten, same.versionsWritten], [0, 0]);
    const again = await ask<Imported>(target, "import", "organization", out());
    assert.deepEqual([again.known, again.points, again.versions], [3, 0, 0]);
    const more = await clientOf(source).record(
      { slug: "empty" },
      { start: false, idPrefix: "more" },
    );
    more.record("loss", 1, 1, { timestampMs: 1 });
    more.record("loss", 1, 1, { timestampMs: 1 });
    more.line("and a line");
    await more.finish();
    const grown = await ask<Exported>(source, "export", "organization", out());
    assert.equal(grown.experimentsWritten, 1);
    const added = await ask<Imported>(target, "import", "organization", out());
    assert.deepEqual([added.known, added.points], [2, 2]);
    await compare("empty");
    const { description, meta } = await clientOf(source).experiment({ experimentSlug: "run/ü" });
    const content = { slug: "run/ü", description, meta };
    const grownTwice = await clientOf(source).record(content, { start: false });
    const lines = [{ timestampMs: 9, stream: "stdout" as const, text: "more" }];
    await grownTwice.appendLines({ source: { id: "p0" }, first: 5, lines });
    await grownTwice.finish({ keepStatus: true });
    await ask<Exported>(source, "export", "organization", out());
    const third = await ask<Imported>(target, "import", "organization", out());
    assert.deepEqual([third.known, third.lines], [2, 1]);
    await compare("run/ü");
  });

  test("a file that was changed, and a slug that is somebody else's, are refused", async () => {
    const { experimentId } = await clientOf(source).experiment({ experimentSlug: "empty" });
    const rival = ["--api-key", organizations.rival.key];
    await new OrganizationCaller(seen(target), organizations.rival.key).open("run/ü");
    writeFileSync(join(out(), "experiments", experimentId, "points.ndjson.gz"), "changed");
    const { code, stderr } = await run(target.baseUrl, "import", "organization", out(), ...rival);
    assert.equal(code, 1);
    assert.match(stderr, /empty: .*points\.ndjson\.gz differs from the export/);
    assert.match(stderr, /run\/ü: another experiment has this slug/);
    const other = await run(source.baseUrl, "export", "organization", out(), ...rival);
    assert.match(other.stderr, /holds the organization acme/);
  });

  test("what no import can bring is named, by the export and by the import", async () => {
    const mlflow = new MlflowCaller(seen(source), organizations.acme.key);
    await mlflow.post("logged-models", { experiment_id: "0", name: "m" });
    const place = join(directory, "with-model");
    for (const [service, verb] of [
      [source, "export"],
      [target, "import"],
    ] as const) {
      const { code, stderr } = await run(service.baseUrl, verb, "organization", place);
      assert.equal(code, 1);
      assert.match(stderr, /1 logged model of MLflow's clients left out/);
    }
    const { code, stderr } = await run(target.baseUrl, "import", place);
    assert.equal(code, 2);
    assert.match(stderr, /lossless import organization DIR/);
  });

  /** One experiment of both, in everything but ids and times. */
  async function compare(slug: string): Promise<void> {
    const read = async (service: Service) => {
      const client = clientOf(service);
      const record = await client.experiment({ experimentSlug: slug });
      const { experimentId } = record;
      const { _origin: origin, ...meta } = record.meta;
      const { description, status, error, errorMeta } = record;
      const series = await client.collectSeries({ experimentId });
      const { annotations } = await client.annotations({ experimentId });
      const said = annotations.map(({ annotation, meta: noted }) => {
        const { _origin: _, ...own } = noted;
        return [annotation, own];
      });
      const mlflow = new MlflowCaller(seen(service), organizations.acme.key);
      const { run: found } = await mlflow.get("runs/get", { run_id: experimentId });
      const { info, data, inputs } = found as Record<string, Record<string, unknown>>;
      const ofRun = [info.status, data.metrics, data.tags, inputs];
      const params = (data.params as { key: string }[] | undefined)?.filter(
        ({ key }) => !key.startsWith("_origin"),
      );
      const file =
        slug === runId ? await new RunFiles(mlflow, experimentId).text("plots/a b.txt") : "";
      const printed = await client.console.read({ experimentId, first: 0 });
      const about = { description, status, error, errorMeta, meta };
      const content = { ...about, series, said, file, printed };
      return { origin, record, content, ofRun: [...ofRun, params ?? []] };
    };
    const [there, here] = [await read(source), await read(target)];
    assert.deepEqual(here.content, there.content, slug);
    assert.deepEqual(sorted(here.ofRun), sorted(there.ofRun), slug);
    const { experimentId, createdAtMs } = here.origin as Record<string, unknown>;
    assert.deepEqual(
      [experimentId, createdAtMs],
      [there.record.experimentId, there.record.createdAtMs],
    );
  }
});

interface Exported {
  experimentsWritten: number;
  versionsWritten: number;
}

interface Imported {
  experiments: number;
  known: number;
  points: number;
  lines: number;
  versions: number;
}

/** Lists of params and the like have no order of their own. */
function sorted(values: readonly unknown[]): unknown[] {
  return values.map((value) =>
    Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value,
  );
}
