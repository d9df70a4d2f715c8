import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pythonEnvironment } from "../../scripts/python-tools.ts";
import { run } from "../cli/command-line.ts";
import { OrganizationCaller } from "../contract/callers.ts";
import { checkoutRoot, organizations, Service } from "../service.ts";
import { suiteDirectory } from "../suite-service.ts";

/**
 * `npm run test:readers`: DuckDB, pandas and polars read the files that the command line and the
 * Python client have written. They come from PyPI; where they cannot, this fails.
 */
const script = join(import.meta.dirname, "read_parquet.py");
const values = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, 0, 2 ** 53 + 2, -1e-7];
const steps = [0, 2 ** 53 - 2, 3, 3, 2 ** 32 + 1, 7];
const metas = [{ lr: 0.1, on: true, "a b": "ü" }, { lr: 3, mixed: [1] }, {}];

suite("readers of Parquet", () => {
  let service: Service;
  let python: string;
  const directory = suiteDirectory("readers");
  before(async () => {
    const { environment, problem } = pythonEnvironment("requirements-readers.txt");
    assert.equal(problem, undefined);
    python = join(environment, "bin/python");
    service = await Service.start({ flags: ["--seal-points", "10"] });
    await record(service.baseUrl);
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
  });

  const rowsOf = (file: string): Record<string, Row[]> =>
    JSON.parse(execFileSync(python, [script, file], { encoding: "utf8" })) as Record<string, Row[]>;
  const cli = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await run(service.baseUrl, "export", ...words);
    assert.equal(code, 0, stderr);
  };

  test("each reader gives every point, bit for bit", async () => {
    const out = join(directory, "all");
    await cli("--all", "--format", "parquet", "--out", out);
    const wanted = ["run-2", "run-1", "run-0"].flatMap((slug) => [
      ...pointRows(slug, "loss", '{"rank":"ü"}', [0, 2, 3, 5, 4, 1]),
      ...pointRows(slug, "loss", "{}", [0, 2, 3, 5, 4, 1]),
    ]);
    const found = rowsOf(join(out, "points.parquet"));
    assert.deepEqual(Object.keys(found), ["duckdb", "pandas", "polars"]);
    for (const [reader, rows] of Object.entries(found))
      assert.deepEqual(rows.map(withoutId), wanted, reader);
    const words = [script, join(out, "points.parquet"), "run-1"];
    const counts = JSON.parse(execFileSync(python, words, { encoding: "utf8" })) as object;
    assert.deepEqual(counts, { duckdb: 12, pandas: 12, polars: 12 });
  });

  test("experiments with their metas, annotations and lineage", async () => {
    const out = join(directory, "some");
    await cli("--query", "slug ~ run-*", "--format", "parquet", "--out", out);
    for (const [reader, rows] of Object.entries(rowsOf(join(out, "experiments.parquet"))))
      assert.deepEqual(
        rows.map((row) => [
          row.slug,
          row["meta.lr"],
          row["meta.on"],
          row['meta."a b"'],
          row.points,
        ]),
        [
          ["run-2", null, null, null, "12"],
          ["run-1", hexOf(3), null, null, "12"],
          ["run-0", hexOf(0.1), true, "ü", "12"],
        ],
        reader,
      );
    for (const [reader, rows] of Object.entries(rowsOf(join(out, "annotations.parquet"))))
      assert.deepEqual(
        rows.map(({ slug, annotation, meta }) => [slug, annotation, meta]),
        ["run-2", "run-1", "run-0"].map((slug) => [slug, `about ${slug}`, '{"by":"test"}']),
        reader,
      );
    await cli("--slug", "user", "--format", "parquet", "--out", join(directory, "user"));
    for (const [reader, rows] of Object.entries(rowsOf(join(directory, "user", "lineage.parquet"))))
      assert.deepEqual(
        rows.map(({ slug, direction, kind, name, version, step, atMs }) => {
          return [slug, direction, kind, name, version, step, typeof atMs];
        }),
        [["user", "used", "version", "data", "7", null, "string"]],
        reader,
      );
  });

  test("what the Python client writes is the same", async () => {
    const file = join(directory, "python.parquet");
    const words = `from lossless import Reader; import sys; r = Reader(); r.export(sys.argv[1], slugs=["run-1"], names=["loss"])`;
    const { baseUrl } = service;
    execFileSync(python, ["-c", words, file], {
      env: {
        ...process.env,
        PYTHONPATH: join(checkoutRoot, "python/src"),
        LOSSLESS_URL: baseUrl,
        LOSSLESS_API_KEY: organizations.acme.key,
      },
    });
    for (const [reader, rows] of Object.entries(rowsOf(file)))
      assert.deepEqual(
        rows.map(({ slug, value }) => [slug, value]),
        [0, 2, 3, 5, 4, 1, 0, 2, 3, 5, 4, 1].map((at) => ["run-1", hexOf(values[at])]),
        reader,
      );
  });
});

type Row = Record<string, string | boolean | null>;

function withoutId(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== "experimentId"));
}

async function record(baseUrl: string): Promise<void> {
  const acme = new OrganizationCaller(
    { baseUrl, observe: () => undefined },
    organizations.acme.key,
  );
  for (const [at, meta] of metas.entries()) {
    const experiment = await acme.open(`run-${at}`, "", meta);
    for (const partition of [{}, { rank: "ü" }])
      await experiment.send(
        ...values.map((metricValue, index) =>
          experiment.metric({
            meta: partition,
            step: steps[index],
            timestampMs: 1_700_000_000_000 + index,
            metricValue,
          }),
        ),
      );
    await experiment.tell("annotate", { annotation: `about run-${at}`, meta: { by: "test" } });
  }
  const user = await acme.open("user");
  const meta = { kind: "artifact-used", artifact: "data", version: "7" };
  await user.tell("annotate", { annotation: "used data", meta });
}

/** Those of the values at these places, which are in the order of their steps. */
function pointRows(
  slug: string,
  seriesName: string,
  metadata: string,
  order: readonly number[],
): Row[] {
  return order.map((at) => ({
    slug,
    seriesName,
    metadata,
    step: String(steps[at]),
    timestampMs: String(1_700_000_000_000 + at),
    value: hexOf(values[at]),
  }));
}

/** As Python prints a double. */
function hexOf(value: number): string {
  if (value === 0) return "0x0.0p+0";
  const sign = value < 0 ? "-" : "";
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const exponent = Number(raw >> 52n);
  const fraction = (raw & ((1n << 52n) - 1n)).toString(16).padStart(13, "0");
  const power = exponent === 0 ? -1_022 : exponent - 1_023;
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction}p${power < 0 ? "" : "+"}${power}`;
}
