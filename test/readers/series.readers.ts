import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import { pythonEnvironment } from "../../scripts/python-tools.ts";
import { event, OrganizationCaller, type Partition } from "../contract/callers.ts";
import { checkoutRoot, organizations, Service } from "../service.ts";
import { suiteDirectory } from "../suite-service.ts";

/**
 * `npm run test:readers`: pyarrow, pandas, polars, DuckDB and arrow-js read Arrow streams of the
 * service, and the Python client reads columns with numpy.
 */
const script = join(import.meta.dirname, "read_arrow.py");
const values = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, 0, 2 ** 53 + 2, -1e-7];
const steps = [0, 2 ** 53 - 2, 3, 3, 2 ** 32 + 1, 7];

interface Read {
  rows: Record<string, Record<string, string>[]>;
  ends: Record<string, string>;
  metadata: Record<string, string>;
}

suite("readers of Arrow streams", () => {
  let service: Service;
  let python: string;
  let acme: OrganizationCaller;
  let experimentId: string;
  const directory = suiteDirectory("arrow-readers");
  const file = join(directory, "series.arrow");
  before(async () => {
    const { environment, problem } = pythonEnvironment("requirements-readers.txt");
    assert.equal(problem, undefined);
    python = join(environment, "bin/python");
    service = await Service.start({ flags: ["--seal-points", "3000"] });
    acme = new OrganizationCaller(
      { baseUrl: service.baseUrl, observe: () => undefined },
      organizations.acme.key,
    );
    experimentId = await record(acme);
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
  });

  const stream = async (data: object = {}): Promise<Buffer> => {
    const asked = { experimentId, filter: [], xAxis: "step", ...data };
    const accept = { accept: "application/vnd.apache.arrow.stream" };
    return (await acme.postQuery(event("query.experimentseries", asked), accept)).bytes;
  };
  const told = (...words: (string | number)[]): unknown =>
    JSON.parse(
      execFileSync(python, [script, file, ...words.map(String)], {
        encoding: "utf8",
        maxBuffer: 2 ** 28,
      }),
    );

  test("each reader gives every point, bit for bit", async () => {
    const bytes = await stream();
    writeFileSync(file, bytes);
    const { rows, ends, metadata } = told() as Read;
    const wanted = (await acme.series(experimentId)).partitions.flatMap(rowsOf);
    assert.equal(wanted.length, 12_012);
    assert.deepEqual(Object.keys(rows), ["pyarrow", "pandas", "polars", "duckdb"]);
    for (const [reader, found] of Object.entries(rows))
      assert.deepEqual(found.map(bitsOf), wanted, reader);
    assert.deepEqual(JSON.parse(ends["lossless.done"]), { series: 2, batches: 2, points: 12_012 });
    assert.deepEqual(metadata, { "lossless.version": "1", experimentId });
    const ofArrowJs = (tableFromIPC(bytes).toArray() as Record<string, unknown>[]).map((row) => [
      row.seriesName,
      row.metadata,
      String(row.step),
      String(row.timestampMs),
      bits(row.value as number),
    ]);
    assert.deepEqual(ofArrowJs, wanted, "arrow-js");
  });

  test("a question without points has columns and no rows", async () => {
    writeFileSync(file, await stream({ seriesNames: ["none"] }));
    const { rows, ends } = told() as Read;
    assert.deepEqual(rows, { pyarrow: [], pandas: [], polars: [], duckdb: [] });
    assert.deepEqual(JSON.parse(ends["lossless.done"]), { series: 1, batches: 0, points: 0 });
  });

  test("readers refuse a stream that was cut, unless exactly between two messages", async () => {
    const bytes = await stream();
    writeFileSync(file, bytes);
    const begins: number[] = [];
    for (let at = 0; at < bytes.length - 8;) {
      begins.push(at);
      at += 8 + bytes.readUInt32LE(at + 4) + Number(bodyLength(bytes, at));
    }
    // Within each message, and behind the first bytes of the next, where the service's pieces end.
    const cuts = begins.flatMap((at) => [at + 4, at + 6, at + 100]);
    cuts.push(bytes.length - 4, bytes.length - 1);
    const refused = told(...cuts) as Record<string, boolean[]>;
    for (const [reader, found] of Object.entries(refused))
      assert.deepEqual(
        cuts.filter((_, at) => !found[at]),
        [],
        reader,
      );
  });

  test("the Python client reads columns with numpy", () => {
    const words = ["-m", "unittest", "test_reader.BrokenColumns"];
    execFileSync(python, words, { cwd: join(checkoutRoot, "python/tests"), stdio: "pipe" });
  });
});

/** The length of the body that the message at a place describes. */
function bodyLength(bytes: Buffer, at: number): bigint {
  const described = at + 8;
  const table = described + bytes.readUInt32LE(described);
  const layout = table - bytes.readInt32LE(table);
  const place = bytes.readUInt16LE(layout + 4 + 2 * 3);
  return bytes.readBigInt64LE(table + place);
}

function rowsOf({ seriesName, metadata, step, timestampMs, value }: Partition): string[][] {
  return value.map((one, at) => [
    seriesName,
    JSON.stringify(metadata),
    String(step[at]),
    String(timestampMs[at]),
    bits(one),
  ]);
}

function bitsOf(row: Record<string, string>): string[] {
  const { seriesName, metadata, step, timestampMs, value } = row;
  return [seriesName, metadata, step, timestampMs, value];
}

/** A double as its 64 bits. */
function bits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

/** Records a series of two partitions and a long one. */
async function record(acme: OrganizationCaller): Promise<string> {
  const experiment = await acme.open("arrow");
  const events = [{}, { rank: "ü" }].flatMap((meta) =>
    values.map((metricValue, at) =>
      experiment.metric({ meta, step: steps[at], timestampMs: 2 ** 53 - 1 - at, metricValue }),
    ),
  );
  await experiment.send(...events);
  for (let from = 0; from < 12_000; from += 1_000) {
    const points = Array.from({ length: 1_000 }, (_, at) => from + at);
    await experiment.send(
      ...points.map((step) =>
        experiment.metric({ metricName: "long", step, metricValue: Math.sin(step) }),
      ),
    );
  }
  return experiment.experimentId;
}
