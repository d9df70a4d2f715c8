import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { call, type JsonObject } from "./http.ts";
import { organizations } from "./service.ts";
import { suiteService } from "./suite-service.ts";

/** Reads beyond what one reply may have, with a small limit: the same code with 64 MiB. */
const replyBytesMax = 65_536;

suite("reads without a bound of their own", () => {
  const service = suiteService({ flags: ["--max-reply-bytes", `${replyBytesMax}`] });
  let experimentId: string;
  let experimentToken: string;
  before(async () => {
    const opened = await ask("experiment.open", { slug: "heavy", description: "", meta: {} });
    ({ experimentId, experimentToken } = opened.data as Record<string, string>);
  });

  let count = 0;
  const envelope = (event: string, data: unknown) => ({
    messageId: `m${++count}`,
    event: `svc.v2.${event}`,
    data,
  });
  async function send(
    body: unknown,
    path = "/api/v2/events",
    credential: string = organizations.acme.key,
  ) {
    const reply = await call(service.baseUrl, { path, credential, body });
    assert.equal(reply.status, 200, reply.text);
    return reply.text;
  }
  async function ask(event: string, data: unknown): Promise<JsonObject> {
    return JSON.parse(await send(envelope(event, data))) as JsonObject;
  }
  const record = (events: unknown) =>
    send(events, `/api/v2/experiments/${experimentId}/events`, experimentToken);
  const codeOf = ({ data }: JsonObject) => (data as JsonObject).code;

  test("annotations: alone the newest that fit, among others result_too_large; metas as they were sent", async () => {
    const meta = (index: number) =>
      `{"n":${index},"big":-12345678901234567890,"deep":[{},[],"é\\u2028"],"fill":"${"y".repeat(10_000)}"}`;
    const texts = Array.from({ length: 10 }, (_, index) => meta(index));
    const known = JSON.stringify({ experimentId, annotation: "a" }).slice(0, -1);
    const annotations = texts.map(
      (text, index) =>
        `{"messageId":"a${index}","event":"svc.v2.experiment.annotate","data":${known},"meta":${text}}}`,
    );
    await record(`[${annotations.join()}]`);
    const query = envelope("query.annotations", { experimentId });
    const alone = await send(query);
    const { data } = JSON.parse(alone) as {
      data: { annotations: { meta: { n: number } }[]; truncated: boolean };
    };
    assert.deepEqual(
      data.annotations.map((one) => one.meta.n),
      [9, 8, 7, 6, 5, 4],
    );
    assert.equal(data.truncated, true);
    for (const text of texts.slice(4)) {
      assert.ok(alone.includes(`"meta":${text},`), text.slice(0, 60));
    }
    const small = envelope("query.experiment", { experimentId });
    const many = JSON.parse(await send([query, query, small, query])) as JsonObject[];
    assert.deepEqual(many.map(codeOf), [
      undefined,
      "result_too_large",
      undefined,
      "result_too_large",
    ]);
    assert.deepEqual(((many[1].data as JsonObject).details as JsonObject).maximum, replyBytesMax);
  });

  test("catalog, revisions, records and tree are refused beyond it, and the service goes on", async () => {
    const metric = (index: number) =>
      envelope("experiment.metric", {
        experimentId,
        timestampMs: 1,
        step: 1,
        metricName: `${"n".repeat(200)}${index}`,
        metricValue: 1,
        meta: { key: `${"v".repeat(400)}${index}` },
      });
    await record(Array.from({ length: 400 }, (_, index) => metric(index)));
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const data = { slug: `s${index}`, description: "d".repeat(15_000), meta: {} };
      ids.push(((await ask("experiment.open", data)).data as Record<string, string>).experimentId);
    }
    for (const [event, data] of [
      ["query.catalog", { experimentId }],
      ["query.revisions", { experimentIds: [experimentId] }],
      ["query.experiments", { experimentIds: ids }],
      ["foldertree.read", {}],
    ] as const) {
      assert.equal(codeOf(await ask(event, data)), "result_too_large", event);
    }
    const four = await ask("query.experiments", { experimentIds: [...ids.slice(1), "absent"] });
    const { experiments, missingExperimentIds } = four.data as Record<string, JsonObject[]>;
    assert.deepEqual(
      experiments.map((one) => one.experimentId),
      ids.slice(1),
    );
    assert.deepEqual(missingExperimentIds, ["absent"]);
  });
});
