import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { organizations } from "../service.ts";
import { suiteDirectory, suiteService } from "../suite-service.ts";
import { run } from "./command-line.ts";

/** Written by MLflow 3.17.2 and `make.py` there. */
const stores = new URL("fixtures/mlflow/", import.meta.url).pathname;
const directory = suiteDirectory("mlflow-stores");
const service = suiteService({});

interface Run {
  info: Record<string, string | number>;
  data: Record<"params" | "tags" | "metrics", { key: string; value: string }[]>;
  inputs?: { dataset_inputs?: { dataset: { name: string } }[] };
  outputs?: { model_outputs?: unknown[] };
}

async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
  const reply = await fetch(`${service.baseUrl}/api/2.0/mlflow/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${organizations.acme.key}`,
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.ok(reply.ok, await reply.clone().text());
  return (await reply.json()) as Record<string, unknown>;
}

/** The runs that an import has made of those of the source, by their names. */
async function runsOf(origins: ReadonlySet<string>): Promise<Map<string, Run>> {
  const named = await ask("experiments/get-by-name?experiment_name=vision%2F%C3%A9t%C3%A9");
  const { experiment_id: id } = named["experiment"] as { experiment_id: string };
  const { runs } = await ask("runs/search", { experiment_ids: [id], max_results: 100 });
  const own = (runs as Run[]).filter(({ data }) =>
    data.tags.some(({ key, value }) => key === "lossless.import.run" && origins.has(value)),
  );
  return new Map(own.map((one) => [String(one.info["run_name"]), one]));
}

async function history(runId: string, key: string): Promise<[number, number | string][]> {
  const query = new URLSearchParams({ run_id: runId, metric_key: key }).toString();
  const { metrics } = await ask(`metrics/get-history?${query}`);
  return (metrics as { step?: number; value: number | string }[])
    .map(({ step = 0, value }) => [Number(step), value] as [number, number | string])
    .toSorted(([left], [right]) => left - right);
}

async function database(): Promise<string> {
  const path = join(directory, "made.db");
  await cp(join(stores, "mlruns"), join(directory, "mlruns"), { recursive: true });
  const made = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  made.exec(await readFile(join(stores, "database.sql"), "utf8"));
  made.close();
  return path;
}

interface Report {
  runs: {
    from: string;
    isKnown: boolean;
    compared: { series: { key: string; isEqual: boolean; source: object; stored: object }[] };
  }[];
}

async function imported(place: string): Promise<Report> {
  const path = join(directory, "report.json");
  const words = ["import", "mlflow", place, "--report", path];
  const { code, stdout, stderr } = await run(service.baseUrl, ...words);
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(await readFile(path, "utf8")) as Report;
}

suite("lossless import mlflow of a store without its server", () => {
  for (const [word, placeOf, infinity] of [
    ["a directory mlruns", () => Promise.resolve(join(stores, "mlruns")), "Infinity"],
    // MLflow's own store in a database has no infinities.
    ["a database", database, Number.MAX_VALUE],
  ] as const)
    test(`${word} comes whole, once, and compared`, async () => {
      const place = await placeOf();
      const report = await imported(place);
      assert.equal(report.runs.length, 4);
      for (const { compared } of report.runs)
        for (const { key, isEqual, source, stored } of compared.series) {
          assert.ok(isEqual, key);
          assert.deepEqual(source, stored);
        }
      const runs = await runsOf(new Set(report.runs.map(({ from }) => from)));
      const { info, data, inputs, outputs } = runs.get("first")!;
      const runId = String(info["run_id"]);
      const loss = await history(runId, "loss");
      assert.equal(loss.length, 21);
      for (let step = 0; step < 20; step++)
        assert.ok(loss.some(([at, value]) => at === step && value === 1 / (step + 1)));
      assert.ok(loss.some(([at, value]) => at === 3 && value === 5));
      assert.deepEqual(await history(runId, "back"), [[-2, 1]]);
      assert.deepEqual(await history(runId, "tiny"), [[0, 5e-324]]);
      assert.deepEqual(await history(runId, "val/a b"), [[0, 1e300]]);
      assert.deepEqual(await history(runId, "bad"), [
        [1, "NaN"],
        [2, infinity],
      ]);
      const params = Object.fromEntries(data.params.map(({ key, value }) => [key, value]));
      assert.deepEqual(params, { lr: "0.1", text: "multi\nline" });
      const tags = new Map(data.tags.map(({ key, value }) => [key, value]));
      assert.equal(tags.get("long"), "x ".repeat(200));
      assert.equal(tags.get("mlflow.note.content"), "a note");
      assert.equal(info["status"], "FINISHED");
      assert.equal(runs.get("bad")!.info["status"], "FAILED");
      assert.equal(inputs?.dataset_inputs?.[0].dataset.name, "d1");
      const { files } = await ask(`artifacts/list?run_id=${runId}&path=dir`);
      assert.deepEqual(
        (files as { path: string; file_size: number }[]).map(({ path, file_size: size }) => [
          path,
          Number(size),
        ]),
        [["dir/a.txt", 5]],
      );
      const child = runs.get("child")!.data.tags.find(({ key }) => key === "mlflow.parentRunId");
      assert.equal(child?.value, runId);
      assert.ok((outputs?.model_outputs ?? []).length <= 1);
      const again = await imported(place);
      // A run that goes on is read again.
      assert.equal(again.runs.filter(({ isKnown }) => isKnown).length, 3);
      assert.equal((await history(runId, "loss")).length, 21);
    });

  test("a dry run counts, and wrong lines are named and left out", async () => {
    const place = join(directory, "hurt");
    await cp(join(stores, "mlruns"), place, { recursive: true });
    const dry = await run(service.baseUrl, "import", "mlflow", place, "--dry-run");
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /2 experiments, 4 runs, 30 points and 1 model: nothing was sent/);
    const words = ["import", "mlflow", place, "--dry-run", "--json"];
    const { stdout } = await run(service.baseUrl, ...words);
    assert.deepEqual(JSON.parse(stdout), { experiments: 2, runs: 4, points: 30, models: 1 });
    const [experiment, runId] = ["484005543530342355", "28b029bd1e67462ebdc709598f6b4653"];
    await writeFile(
      join(place, experiment, runId, "metrics", "loss"),
      "1795940689389 1.5 0\n1795940689390 oops 1\n1795940689391 2.5",
    );
    const told = await run(service.baseUrl, "import", "mlflow", place, "--dry-run");
    assert.equal(told.code, 1);
    assert.match(told.stderr, /metrics\/loss:2: it is no value of a metric/);
  });

  test("what is no store of MLflow is told", async () => {
    const words = [
      [join(stores, "mlruns", "0"), /is no directory of MLflow: it has no meta.yaml below it/],
      [join(stores, "database.sql"), /cannot be read as SQLite/],
      ["./nowhere", /there is no directory or file \.\/nowhere/],
      [
        "mysql://u:secr@et@h/db?password=other",
        /: mysql:\/\/h\/db is no server, and no database on SQLite or PostgreSQL/,
      ],
      [
        "postgresql://u:secret@127.0.0.1:1/db",
        /^lossless: PostgreSQL at 127.0.0.1:1\/db cannot be read: .*ECONNREFUSED/,
      ],
    ] as const;
    for (const [place, sentence] of words) {
      const { code, stderr } = await run(service.baseUrl, "import", "mlflow", place);
      assert.notEqual(code, 0);
      assert.match(stderr, sentence);
    }
  });
});
