import assert from "node:assert/strict";
import { after, mock, suite, test } from "node:test";
import fc from "fast-check";
import { limits } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { BodyReader } from "./body-reader.ts";
import { answerTo, valueOf } from "./body-work.ts";
import { apiKey, testService } from "../storage.fixture.ts";

const depthMax = 32;
const reader = new BodyReader(depthMax);
after(() => reader[Symbol.asyncDispose]());

const event = (name: string, data: unknown, messageId = "m") => ({
  messageId,
  event: `svc.v2.${name}`,
  data,
});
const annotate = (meta: unknown, messageId = "m") =>
  event("experiment.annotate", { experimentId: "e", annotation: "a", meta }, messageId);
const metric = (messageId: string, meta: unknown = {}, more: object = {}) =>
  event(
    "experiment.metric",
    {
      experimentId: "e",
      timestampMs: 1,
      step: 1,
      metricName: "loss",
      metricValue: 1,
      meta,
      ...more,
    },
    messageId,
  );

/** So large that it is read in the other thread. */
const large = (text: string): Buffer => Buffer.from(text.padEnd(70_000));

async function outcome(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: await read() };
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    const { code, message, details } = error;
    return { code, message, details };
  }
}

/** Asserts that both threads read a body in the same way. */
async function agreeOnEvents(text: string | Buffer): Promise<unknown> {
  const body = typeof text === "string" ? large(text) : text;
  const work = { kind: "events", endpoint: "experiment", depthMax } as const;
  const here = await outcome(async () => valueOf(answerTo(work, body)));
  const there = await outcome(() =>
    reader.events("experiment", { bytes: Buffer.from(body), holder: "a" }),
  );
  assert.deepEqual(there, here);
  return here;
}

const codeOf = (found: unknown): unknown => (found as { code?: unknown }).code;

suite("large bodies", () => {
  test("events: both threads say the same, good or bad", async () => {
    const seed = '{"seed":12345678901234567890,"small":1}';
    const cases: Record<string, unknown> = {
      [JSON.stringify(annotate({ a: [1, { b: null }] }))]: undefined,
      [JSON.stringify([metric("1", { b: "1", a: "2" }), annotate({}, "2")])]: undefined,
      [JSON.stringify(annotate(0)).replace('"meta":0', `"meta":${seed}`)]: undefined,
      "": "malformed_json",
      "[": "malformed_json",
      "{} x": "malformed_json",
      "[NaN]": "malformed_json",
      '{"a":1,"a":2}': "malformed_json",
      [`${"[".repeat(33)}${"]".repeat(33)}`]: "malformed_json",
      "[1e999]": "validation_failed",
      '["\\ud800"]': "validation_failed",
      [`[${"1".repeat(1_001)}]`]: "validation_failed",
      "[]": "validation_failed",
      [JSON.stringify(Array.from({ length: 1_001 }, (_, at) => metric(`${at}`)))]:
        "validation_failed",
      [JSON.stringify(Array.from({ length: 40 }, (_, at) => metric(`${at}`, {}, { odd: 1 })))]:
        "validation_failed",
      [JSON.stringify([metric("1"), metric("1")])]: "duplicate_message_id",
      [JSON.stringify([event("experiment.tokenRevoke", { experimentId: "e" }), metric("1")])]:
        "validation_failed",
      [JSON.stringify(annotate({ a: "x".repeat(65_536) }))]: "validation_failed",
      [JSON.stringify(annotate({ a: ["y".repeat(65_500), 0] })).replace(
        ",0]",
        ",12345678901234567890123456789]",
      )]: "validation_failed",
    };
    for (const [text, code] of Object.entries(cases)) {
      assert.equal(codeOf(await agreeOnEvents(text)), code, text.slice(0, 200));
    }
    await agreeOnEvents(Buffer.concat([large("[]"), Buffer.of(0xff)]));
    await agreeOnEvents(Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), large("[]")]));
  });

  test("random events agree too", async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const data = fc.record(
      { experimentId: fc.constant("e"), annotation: fc.string(), meta: value },
      { requiredKeys: ["experimentId"] },
    );
    const one = fc.oneof(
      fc.record({
        messageId: fc.string(),
        event: fc.constantFrom("svc.v2.experiment.annotate", "svc.v2.experiment.start", "odd"),
        data: fc.oneof(data, value),
      }),
      fc.dictionary(fc.string(), fc.string()).map((meta) => metric("m", meta)),
      value,
    );
    const body = fc.oneof(one, fc.array(one, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(body, async (json) => void (await agreeOnEvents(JSON.stringify(json)))),
      { numRuns: 200 },
    );
  });

  test("v1 bodies: the same sentence, and the meta as it was sent", async () => {
    const file = { name: "a.bin", size: 1, parts: 1 };
    const files = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...file, name: `f/${at}` }));
    for (const text of [
      '{"version":"v","epoch":"1","meta":{"a": 1.0, "b":12345678901234567890},"files":[]}',
      JSON.stringify({ epoch: "1", files: files(2_000), meta: {} }),
      JSON.stringify({ epoch: "1", files: [file, file], meta: {} }),
      JSON.stringify({ meta: { a: "x".repeat(limits.jsonMetaBytesMax) } }),
      "[]",
    ]) {
      const body = large(text);
      const work = { kind: "json", name: "beginVersion", depthMax } as const;
      const here = await outcome(async () => valueOf(answerTo(work, body)));
      const there = await outcome(() =>
        reader.json("beginVersion", { bytes: Buffer.from(body), holder: "a" }),
      );
      assert.deepEqual(there, here);
    }
  });

  test("a request is answered alike whether its body is large or small", async () => {
    const service = testService();
    const send = async (payload: string) => {
      const { statusCode, body } = await service.app.inject({
        method: "POST",
        url: "/api/v2/events",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        payload,
      });
      return [statusCode, body.replaceAll(/[0-9a-f-]{36}/g, "ID")];
    };
    const opened = (slug: string, meta: unknown) =>
      event("experiment.open", { slug, description: "", meta });
    for (const text of [
      JSON.stringify(opened("s", { a: 1 })),
      JSON.stringify([opened("s", { a: 1 }), event("foldertree.read", {})]),
      JSON.stringify(opened("", {})),
      '{"a" 1}',
    ]) {
      assert.deepEqual(await send(text.padEnd(70_000)), await send(text.padEnd(60_000)));
    }
    const inputs = service.storage.writes.flat().map((write) => "input" in write && write.input);
    for (const input of inputs) {
      assert.equal((input as { data: { meta: unknown } }).data.meta, '{"a":1}');
    }
    assert.equal(inputs.length, 4);
    assert.equal(service.context.limits.budget.usedBytes, 0);
  });

  test("a defect is told as one, and the next body is read", async () => {
    // The stack of the other thread is the first that such a depth exhausts.
    await using deep = new BodyReader(10_000_000);
    const nested = Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    await assert.rejects(
      deep.events("experiment", { bytes: nested, holder: "a" }),
      (error) => !(error instanceof ServiceError),
    );
    const good = large(JSON.stringify(annotate({})));
    assert.equal((await deep.events("experiment", { bytes: good, holder: "a" })).isArray, false);
  });

  test("one that comes while the idle thread is given back is read by another", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await using own = new BodyReader(depthMax);
      const good = () => large(JSON.stringify(annotate({})));
      await own.events("experiment", { bytes: good(), holder: "a" });
      mock.timers.tick(60_000);
      const { isArray } = await own.events("experiment", { bytes: good(), holder: "a" });
      assert.equal(isArray, false);
    } finally {
      mock.timers.reset();
    }
  });

  test("an idle thread keeps no process alive", async () => {
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort");
    const before = ports().length;
    await using own = new BodyReader(depthMax);
    const bytes = large(JSON.stringify(annotate({})));
    await own.events("experiment", { bytes, holder: "a" });
    assert.equal(ports().length, before);
  });
});
