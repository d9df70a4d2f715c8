import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordBatchReader, tableFromIPC } from "apache-arrow";
import { parseColumnRecords, type SeriesRecord } from "../../column-records.ts";
import { type HttpReply, type JsonObject, parseLines } from "../../http.ts";
import { Random } from "../../random.ts";
import { event, type ExperimentCaller, refused, type RequestEvent } from "../callers.ts";
import { topic } from "../topic.ts";

const columnsType = "application/vnd.lossless.columns";
const arrowType = "application/vnd.apache.arrow.stream";
const questions: [name: string, data: JsonObject][] = [
  ["query.experimentseries", { filter: [], xAxis: "step" }],
  ["query.experimentseries", { filter: [], xAxis: "timestamp" }],
  ["query.experimentseries", { filter: [{ metadataKey: "rank" }], xAxis: "step" }],
  ["query.experimentseries", { seriesNames: ['a"b', "none", "loss"], filter: [], xAxis: "step" }],
  ["query.experimentseries", { seriesNames: [], filter: [], xAxis: "step" }],
  ["query.series", { seriesName: "loss", filter: [], xAxis: "timestamp" }],
  ["query.series", { seriesName: "none", filter: [], xAxis: "step" }],
];

topic(
  "series in other forms",
  (system) => {
    const ask = (sent: RequestEvent, accept?: string): Promise<HttpReply> =>
      system.acme.postQuery(sent, accept === undefined ? {} : { accept });

    test("each question has the same records as lines and as columns, bit for bit", async () => {
      const { experimentId } = await recorded(await system.acme.open());
      for (const [name, data] of questions) {
        const sent = event(name, { experimentId, ...data });
        const lines = await ask(sent);
        assert.equal(lines.headers["content-type"], "application/x-ndjson");
        const columns = await ask(sent, columnsType);
        assert.equal(columns.status, 200);
        assert.equal(columns.headers["content-type"], `${columnsType}; version=1`);
        const found = parseColumnRecords(columns.bytes);
        assert.deepEqual(found.map(withoutId), parseLines<SeriesRecord>(lines.text).map(withoutId));
        assert.equal(new Set(found.map(({ messageId }) => messageId)).size, found.length);
      }
    });

    test("each question has the same points as an Arrow stream", async () => {
      const { experimentId } = await recorded(await system.acme.open());
      for (const [name, data] of questions) {
        const sent = event(name, { experimentId, ...data });
        const records = parseColumnRecords((await ask(sent, columnsType)).bytes);
        const reply = await ask(sent, arrowType);
        assert.equal(reply.headers["content-type"], arrowType);
        const { rows, done } = rowsOfArrow(reply.bytes);
        assert.deepEqual(rows, records.flatMap(rowsOfRecord));
        const { batches, ...counts } = records.at(-1)!.data;
        assert.deepEqual({ ...done, batches }, { ...counts, batches });
        assert.equal(done.batches, Math.ceil(rows.length / 8_192));
      }
    });

    test("Accept names the form; what is not there, or not well said, is answered by lines", async () => {
      const { experimentId } = await system.acme.open();
      const sent = event("query.experimentseries", { experimentId, filter: [], xAxis: "step" });
      const lines = "application/x-ndjson";
      const columns = `${columnsType}; version=1`;
      const cases: [accept: string, type: string][] = [
        ["", lines],
        ["*/*", lines],
        ["application/*", lines],
        ["application/json", lines],
        ["text/html", lines],
        [columns, columns],
        [columnsType.toUpperCase(), columns],
        [` ,, ${columnsType} ;Q=0.3 ; version=1 ,`, columns],
        [`${columnsType};version=2`, lines],
        [`${columnsType};version=2, ${columnsType};version=1`, columns],
        [`${columnsType};q=0`, lines],
        [`${columnsType};q=-1, ${columnsType};q=2, ${columnsType};q=, ${columnsType};q=1e0`, lines],
        [`${lines}, ${columnsType};q=0.9`, lines],
        [`${lines};q=0.8, ${columnsType};q=0.9`, columns],
        [`*/*, ${columnsType}`, columns],
        [`*/*, ${columnsType};q=0.9`, lines],
        [arrowType, arrowType],
        [`${arrowType};version=7`, arrowType],
        [`${columnsType};q=0.5, ${arrowType};q=0.6`, arrowType],
        [`${columnsType}, ${arrowType}`, columns],
        [`${columnsType}x`, lines],
        [`${columnsType}/x;;;=;`, lines],
        [`${",".repeat(4_000)}${columnsType}`, columns],
      ];
      for (const [accept, type] of cases) {
        const reply = await ask(sent, accept);
        assert.equal(reply.status, 200, accept);
        assert.equal(reply.headers["content-type"], type, accept);
      }
    });

    test("a refused request is answered by JSON, whatever it accepts", async () => {
      const wrong = event("query.experimentseries", { experimentId: "e", filter: [], xAxis: "x" });
      const reply = await ask(wrong, columnsType);
      assert.match(String(reply.headers["content-type"]), /^application\/json/);
      await refused(Promise.resolve(reply), 400, "validation_failed");
    });
  },
  { without: "workers" },
);

type Row = [name: string, metadata: string, step: number, timestampMs: number, value: number];

function rowsOfRecord({ data: { seriesName, metadata, data } }: SeriesRecord): Row[] {
  const { step, timestampMs, value } = (data ?? { step: [] }) as Record<string, number[]>;
  const meta = JSON.stringify(metadata);
  return step.map((one, at) => [seriesName as string, meta, one, timestampMs[at], value[at]]);
}

function rowsOfArrow(bytes: Buffer): { rows: Row[]; done: Record<string, number> } {
  const found = tableFromIPC(bytes);
  const [names, metas, steps, times, values] = found.schema.fields.map(({ name }) =>
    [...found.getChild(name)!].map((one: unknown) => (typeof one === "bigint" ? Number(one) : one)),
  );
  const rows = names.map((name, at) => [name, metas[at], steps[at], times[at], values[at]] as Row);
  const [last] = [...RecordBatchReader.from(bytes)].slice(-1);
  return { rows, done: JSON.parse(last.metadata.get("lossless.done")!) as Record<string, number> };
}

function withoutId({ correlationId, event: name, data }: SeriesRecord) {
  return { correlationId, event: name, data };
}

/** Records series of several partitions, with long ones and odd numbers and names. */
async function recorded(experiment: ExperimentCaller): Promise<ExperimentCaller> {
  const random = new Random(7);
  const values = [5e-324, -1.7976931348623157e308, 0.1 + 0.2, 0, 2 ** 53 + 2, -1e-7];
  const steps = [0, 2 ** 53 - 2, 2 ** 32 + 1, 2 ** 31, 2 ** 32 - 1];
  const metas = [{}, { rank: "0" }, { rank: 'ü\\"\u2028', "": "b" }];
  const names = ["loss", "a/b", 'a"b', "\\"];
  for (let sent = 0; sent < 4; sent++) {
    const points = Array.from({ length: 1_000 }, () =>
      experiment.metric({
        metricName: random.pick(names),
        meta: random.pick(metas),
        step: random.chance(0.2) ? random.pick(steps) : random.below(300),
        timestampMs: random.chance(0.1) ? 2 ** 53 - 1 : random.below(1_000),
        metricValue: random.chance(0.2) ? random.pick(values) : random.bits() / 7,
      }),
    );
    await experiment.send(...points);
  }
  for (let from = 0; from < 9_000; from += 1_000) {
    const points = Array.from({ length: 1_000 }, (_, at) =>
      experiment.metric({ metricName: "long", step: from + at, metricValue: Math.sin(from + at) }),
    );
    await experiment.send(...points);
  }
  return experiment;
}
