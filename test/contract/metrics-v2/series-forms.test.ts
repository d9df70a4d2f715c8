import assert from "node:assert/strict";
import { test } from "node:test";
import { parseColumnRecords, type SeriesRecord } from "../../column-records.ts";
import { type HttpReply, type JsonObject, parseLines } from "../../http.ts";
import { Random } from "../../random.ts";
import { event, type ExperimentCaller, refused, type RequestEvent } from "../callers.ts";
import { topic } from "../topic.ts";

const columnsType = "application/vnd.lossless.columns";
const questions: [name: string, data: JsonObject][] = [
  ["query.experimentseries", { filter: [], xAxis: "step" }],
  ["query.experimentseries", { filter: [], xAxis: "timestamp" }],
  ["query.experimentseries", { filter: [{ metadataKey: "rank" }], xAxis: "step" }],
  ["query.experimentseries", { seriesNames: ['a"b', "none", "loss"], filter: [], xAxis: "step" }],
  ["query.experimentseries", { seriesNames: [], filter: [], xAxis: "step" }],
  ["query.series", { seriesName: "loss", filter: [], xAxis: "timestamp" }],
  ["query.series", { seriesName: "none", filter: [], xAxis: "step" }],
];

topic("series in other forms", (system) => {
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
});

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
