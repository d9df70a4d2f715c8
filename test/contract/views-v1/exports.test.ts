import assert from "node:assert/strict";
import { test } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { zstdDecompressSync } from "node:zlib";
import {
  type ExperimentCaller,
  observed,
  type OrganizationCaller,
  uniqueName,
} from "../callers.ts";
import { ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, sendParts } from "../artifact-caller.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { signInBrowser } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

/** More than a row group has, in tail and segments. */
const manyPoints = 140_000;

topic(
  "experiments as Parquet",
  (system) => {
    test("every point is a row, bit for bit, whatever it is", async () => {
      const experiment = await system.acme.open();
      const values = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, -1e-7, 0, 2 ** 53 + 2, 1 / 3];
      const steps = [0, 2 ** 53 - 2, 3, 3, 2 ** 31, 7, 2 ** 32 + 1];
      const points = values.map((metricValue, at) => {
        return { step: steps[at], timestampMs: at % 2 ? 2 ** 53 - 1 - at : at, metricValue };
      });
      for (const meta of [{}, { rank: "0", 'ü"': "😀" }])
        await experiment.send(...points.map((point) => experiment.metric({ ...point, meta })));
      await experiment.send(experiment.metric({ metricName: "a/b c" }));
      const rows = await rowsOf(system, system.acme, "points", ids(experiment));
      const { partitions } = await system.acme.series(experiment.experimentId);
      const wanted = partitions.flatMap(({ seriesName, metadata, step, timestampMs, value }) =>
        value.map((one, at) => ({
          experimentId: experiment.experimentId,
          slug: experiment.slug,
          seriesName,
          metadata: JSON.stringify(metadata),
          step: BigInt(step[at]!),
          timestampMs: BigInt(timestampMs[at]),
          value: one,
        })),
      );
      assert.deepEqual(rows, wanted);
      assert.equal(rows.length, 2 * values.length + 1);
    });

    test("more points than a row group has, some series and partitions of them", async () => {
      const [one, other] = [await system.acme.open(), await system.acme.open()];
      const batch = 1_000;
      for (let from = 0; from < manyPoints; from += batch) {
        const events = Array.from({ length: batch }, (_, at) =>
          one.metric({ step: from + at, metricValue: Math.sin(from + at) }, `p-${from + at}`),
        );
        assert.equal((await one.post(events)).status, 200);
      }
      await other.send(
        other.metric({ meta: { rank: "1" }, step: 4 }),
        other.metric({ meta: { rank: "2" }, step: 5 }),
        other.metric({ metricName: "other", step: 6 }),
      );
      const all = await rowsOf(system, system.acme, "points", ids(other, one));
      assert.equal(all.length, manyPoints + 3);
      assert.deepEqual(
        all.slice(3).map(({ step, value }) => [step, value]),
        Array.from({ length: manyPoints }, (_, at) => [BigInt(at), Math.sin(at)]),
      );
      const named = { ...ids(other), seriesNames: JSON.stringify(["other", "none"]) };
      const some = await rowsOf(system, system.acme, "points", named);
      assert.deepEqual(
        some.map(({ step }) => step),
        [6n],
      );
      const filter = JSON.stringify([{ metadataKey: "rank", metadataValue: "2" }]);
      const chosen = await rowsOf(system, system.acme, "points", { ...ids(other), filter });
      assert.deepEqual(
        chosen.map(({ step }) => step),
        [5n],
      );
    });

    test("a query and a folder choose; keys of metas are columns of the type of all values", async () => {
      const folder = await system.acme.ask("folder.create", {
        name: uniqueName("f"),
        parentFolderId: null,
      });
      const metas = [
        { lr: 0.1, on: true, tags: ["a", "b"], mixed: 1, opt: { name: "adam" }, big: 1 },
        { lr: 3, on: false, mixed: "x", none: null, opt: { name: "sgd" } },
        {},
      ];
      const run = uniqueName("run");
      const opened: { experimentId: string; slug: string }[] = [];
      for (const [at, meta] of metas.entries()) {
        const experiment = await system.acme.open(`${run}-${at}`, `number ${at}`, meta);
        const { experimentId } = experiment;
        await system.acme.ask("experiment.move", {
          experimentId,
          folderId: folder.folderId,
        });
        await experiment.send(experiment.metric());
        opened.push(experiment);
      }
      const query = `slug ~ ${run}-*`;
      await system.told();
      for (const asked of [{ query }, { folderId: String(folder.folderId) }]) {
        const rows = (await rowsOf(system, system.acme, "experiments", asked)).reverse();
        assert.deepEqual(
          rows.map((row) => [row.slug, row["meta.lr"], row["meta.on"], row["meta.tags"]]),
          [
            [`${run}-0`, 0.1, true, '["a","b"]'],
            [`${run}-1`, 3, false, null],
            [`${run}-2`, null, null, null],
          ],
        );
        assert.deepEqual(
          rows.map((row) => [row["meta.mixed"], row["meta.opt.name"], row["meta.none"]]),
          [
            ["1", "adam", null],
            ["x", "sgd", null],
            [null, null, null],
          ],
        );
        assert.deepEqual(
          rows.map(({ meta }) => JSON.parse(meta as string) as object),
          metas,
        );
        assert.deepEqual(
          rows.map(({ points, status, description }) => [points, status, description]),
          metas.map((_, at) => [1n, "running", `number ${at}`]),
        );
      }
      const points = await rowsOf(system, system.acme, "points", { query });
      assert.deepEqual(
        points.map(({ slug }) => slug),
        opened.map(({ slug }) => slug).reverse(),
      );
    });

    test("params and tags of MLflow's clients are columns, as they are in the table", async () => {
      const mlflow = new MlflowCaller(system, organizations.acme.key);
      const experimentId = await mlflow.run("0", { run_name: "tuned" });
      const long = "x".repeat(2_000);
      const params = Object.entries({ lr: "1e-1", deep: long, big: "9007199254740993" });
      await mlflow.post("runs/log-batch", {
        run_id: experimentId,
        params: params.map(([key, value]) => ({ key, value })),
        tags: [{ key: "team", value: "7" }],
      });
      const native = await system.acme.open(uniqueName("run"), "", { param: { lr: 2 } });
      const rows = await rowsOf(system, system.acme, "experiments", ids({ experimentId }, native));
      const columns = ["param.lr", "param.deep", "param.big", "tag.team", "_name"];
      assert.deepEqual(
        rows.map((row) => columns.map((name) => row[`meta.${name}`])),
        [
          [0.1, long, "9007199254740993", "7", "tuned"],
          [2, null, null, null, null],
        ],
      );
    });

    test("annotations come as they came, with their metas", async () => {
      const experiment = await system.acme.open();
      for (const annotation of ["one", "zwei ü"])
        await experiment.tell("annotate", { annotation, meta: { at: annotation } });
      const rows = await rowsOf(system, system.acme, "annotations", ids(experiment));
      assert.deepEqual(
        rows.map(({ slug, annotation, meta }) => [slug, annotation, meta]),
        ["one", "zwei ü"].map((text) => [experiment.slug, text, JSON.stringify({ at: text })]),
      );
    });

    test("what runs used and made are rows: versions, data sets and models", async () => {
      const run = await system.acme.open();
      // More than are read at once.
      const uses = Array.from({ length: 501 }, (_, at) => String(at).padStart(3, "0"));
      for (const version of uses) {
        const meta = { kind: "artifact-used", artifact: "data", version, role: "base" };
        await run.tell("annotate", { annotation: "used", meta: { ...meta, named: "latest" } });
      }
      const writer = await Writer.open(new ArtifactCaller(system, organizations.acme.key));
      const meta = { experiment: run.slug, step: 7 };
      const { upload, ...begun } = await writer.begin("1", oneFile, { meta });
      ok(await writer.commit(upload, await sendParts({ upload, ...begun }, oneFile)), 200);
      const mlflow = new MlflowCaller(system, organizations.acme.key);
      const runId = await mlflow.run("0");
      const dataset = { name: "set", digest: "d1", source_type: "http", source: "x" };
      const tags = [{ key: "mlflow.data.context", value: "training" }];
      await mlflow.post("runs/log-inputs", { run_id: runId, datasets: [{ dataset, tags }] });
      const made = await mlflow.model("0", { name: "net", source_run_id: runId });
      const logged = await mlflow.model("0", { name: "other", source_run_id: runId });
      const models = [{ model_id: logged, step: 9 }];
      await mlflow.post("runs/outputs", { run_id: runId, models });
      await mlflow.post("runs/log-inputs", { run_id: runId, models: [{ model_id: made }] });

      const chosen = ids(run, { experimentId: runId });
      const rows = await rowsOf(system, system.acme, "lineage", chosen);
      const link = { version: null, digest: null, modelId: null, role: "", named: "", step: null };
      const expected = [
        ...uses.map((version) => {
          const named = { role: "base", named: "latest" };
          return { ...link, direction: "used", kind: "version", name: "data", version, ...named };
        }),
        { direction: "made", kind: "version", name: writer.artifact, version: "1", step: 7n },
        { direction: "used", kind: "dataset", name: "set", digest: "d1", role: "training" },
        { direction: "used", kind: "model", name: "net", modelId: made },
        { direction: "made", kind: "model", name: "other", modelId: logged, step: 9n },
        { direction: "made", kind: "model", name: "net", modelId: made },
      ];
      const own = [run, { experimentId: runId, slug: rows.at(-1)!.slug }];
      assert.deepEqual(
        rows.map((row) => without("atMs", row)),
        expected.map((row, at) => {
          const { experimentId, slug } = own[at > uses.length ? 1 : 0];
          return { experimentId, slug, ...link, ...row };
        }),
      );
      assert.deepEqual(
        rows.filter(({ atMs }) => typeof atMs !== "bigint").map(({ kind }) => kind),
        ["dataset"],
      );
    });

    test("lines of consoles come in their order, with their sources, sealed and not", async () => {
      const [one, none] = [await system.acme.open(), await system.acme.open()];
      const long = Array.from({ length: 6_000 }, (_, number) => `${number} ${"ü".repeat(9)}`);
      for (let first = 0; first < 6_000; first += 2_000)
        await print(system, one, { id: "p0", rank: 0 }, first, long.slice(first, first + 2_000));
      await print(system, one, { id: "p1" }, 0, ["", "last"]);
      const rows = await rowsOf(system, system.acme, "lines", ids(one, none));
      assert.deepEqual(
        rows.map(({ slug, line, sourceId, rank, stream, text }) => {
          return [slug, Number(line), sourceId, rank === null ? null : Number(rank), stream, text];
        }),
        [
          ...long.map((text, number) => [one.slug, number, "p0", 0, "stdout", text]),
          ...["", "last"].map((text, at) => [one.slug, 6_000 + at, "p1", null, "stdout", text]),
        ],
      );
    });

    test("what is another organization's, unknown or deleted is not in it", async () => {
      const [own, deleted] = [await system.acme.open(), await system.acme.open()];
      const foreign = await system.rival.open();
      for (const experiment of [own, deleted, foreign]) {
        await experiment.send(experiment.metric());
        await experiment.tell("annotate", { annotation: "x", meta: {} });
        await print(system, experiment, { id: "p" }, 0, ["x"]);
      }
      const path = "/api/trash/v1/experiments";
      const body = { experimentIds: [deleted.experimentId] };
      const { credential } = system.acme;
      const trashed = await observed(system, { method: "POST", path, body, credential });
      assert.equal(trashed.status, 200, trashed.text);
      const unknown = { experimentId: "unknown" };
      for (const kind of ["points", "experiments", "annotations", "lines"] as const) {
        const rows = await rowsOf(system, system.acme, kind, ids(foreign, unknown, deleted, own));
        assert.deepEqual(
          rows.map(({ experimentId }) => experimentId),
          [own.experimentId],
        );
        assert.deepEqual(await rowsOf(system, system.rival, kind, ids(own)), []);
        const all = await rowsOf(system, system.rival, kind, {});
        assert.ok(all.every(({ experimentId }) => experimentId !== own.experimentId));
        assert.ok(all.some(({ experimentId }) => experimentId === foreign.experimentId));
      }
    });

    test("who may not ask, and what is asked wrongly, is refused", async () => {
      const { cookie } = await signInBrowser(system, "ada", "acme");
      const path = pathOf("points", {});
      const headers = { cookie, "sec-fetch-site": "cross-site" };
      assert.equal((await observed(system, { method: "GET", path, headers })).status, 403);
      assert.equal((await observed(system, { method: "GET", path })).status, 401);
      const wrong: [Record<string, string>, RegExp][] = [
        [{ query: "meta.lr >" }, /query: /],
        [{ experimentIds: "a", query: "b" }, /excludes/],
        [{ experimentIds: Array(251).fill("a").join(",") }, /250 ids at most/],
        [{ seriesNames: "loss" }, /a list of names in JSON/],
        [{ filter: "rank" }, /`filter` must be a JSON list/],
      ];
      for (const [query, sentence] of wrong) {
        const { credential } = system.acme;
        const reply = await observed(system, {
          method: "GET",
          path: pathOf("points", query),
          credential,
        });
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.text, sentence);
      }
    });
  },
  { flags: ["--seal-points", "5000"] },
);

type Of = "points" | "experiments" | "annotations" | "lineage" | "lines";

function ids(...experiments: readonly { experimentId: string }[]): Record<string, string> {
  return { experimentIds: experiments.map(({ experimentId }) => experimentId).join(",") };
}

async function print(
  system: System,
  { experimentId, token }: ExperimentCaller,
  source: { id: string; rank?: number },
  first: number,
  texts: string[],
): Promise<void> {
  const path = `/api/console/v1/experiments/${experimentId}/lines`;
  const lines = texts.map((text, at) => ({ timestampMs: first + at, stream: "stdout", text }));
  const body = { source, first, lines };
  const reply = await observed(system, { path, credential: token, body });
  assert.equal(reply.status, 200, reply.text);
}

function without(name: string, row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([each]) => each !== name));
}

function pathOf(of: Of, query: Record<string, string>): string {
  return `/api/views/v1/${of}.parquet?${new URLSearchParams(query).toString()}`;
}

/** Read by a reader that others have written. */
async function rowsOf(
  system: System,
  { credential }: OrganizationCaller,
  of: Of,
  query: Record<string, string>,
): Promise<Record<string, unknown>[]> {
  const path = pathOf(of, query);
  const headers = { authorization: `Bearer ${credential}` };
  const reply = await fetch(system.baseUrl + path, { headers });
  const type = { "content-type": reply.headers.get("content-type")! };
  const file = await reply.arrayBuffer();
  const bytes = Buffer.from(file);
  const text = reply.ok ? "" : bytes.toString();
  system.observe({ path }, { status: reply.status, headers: type, bytes, text });
  assert.equal(reply.status, 200);
  assert.equal(type["content-type"], "application/vnd.apache.parquet");
  const count = Number(reply.headers.get("x-svc-experiments"));
  const ZSTD = (packed: Uint8Array) => zstdDecompressSync(packed);
  const rows = await parquetReadObjects({ file, compressors: { ZSTD }, utf8: true });
  assert.ok(new Set(rows.map(({ experimentId }) => experimentId as string)).size <= count);
  return rows;
}
