import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MetricData } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import type { PointBatch } from "../points/point-batch.ts";
import { MetricReader } from "./metric-reader.ts";
import { PointBatchBuilder } from "./point-batch-builder.ts";
import { readEvents } from "../http/v2/received-events.ts";
import type { ReceivedEvent } from "../http/v2/received-event.ts";

const hasher = new IdentifierHasher(Uint32Array.of(1, 2, 3, 4));
const reader = new MetricReader(hasher);
const experimentId = "x_01JD8Q4W9Z";

interface GeneralRequest {
  points: PointBatch;
  isArray: boolean;
  batch: ReceivedEvent<"experiment">[];
}

/**
 * Returns the result of the general path for a body; undefined if it is refused or not metrics
 * only.
 */
function general(body: Buffer): GeneralRequest | undefined {
  try {
    const { events, isArray } = readEvents("experiment", body, 32);
    const builder = new PointBatchBuilder(events.length, hasher);
    for (const { messageId, event, data } of events) {
      if (event !== "svc.v2.experiment.metric" || data.experimentId !== experimentId)
        return undefined;
      builder.add(messageId, data);
    }
    return { points: builder.finish(), isArray, batch: events };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * Requires that the general path agrees where the fast path accepts. Returns whether it accepted.
 */
function agree(body: Buffer): boolean {
  const fast = reader.read(body, experimentId);
  if (fast === undefined) return false;
  const slow = general(body);
  assert.ok(slow !== undefined, `only the fast path accepts ${body.toString()}`);
  assert.equal(fast.isArray, slow.isArray);
  assert.equal(fast.points.count, slow.points.count);
  assert.deepEqual(fast.points.partitions, slow.points.partitions);
  assert.deepEqual(fast.points.prefixes, slow.points.prefixes);
  assert.deepEqual(Buffer.from(fast.points.columns), Buffer.from(slow.points.columns));
  const texts = slow.batch.flatMap(({ messageId, data }) => [
    messageId,
    (data as MetricData).metricName,
  ]);
  const { offsets } = fast;
  const found = texts.map((_, index) =>
    body.toString("latin1", offsets[2 * index], offsets[2 * index + 1]),
  );
  assert.deepEqual(found, texts);
  return true;
}

// ---- batches as clients write them: any order of keys, any white space, any form of a number

const printable = fc
  .integer({ min: 0x20, max: 0x7e })
  .filter((unit) => unit !== 0x22 && unit !== 0x5c)
  .map((unit) => String.fromCharCode(unit));
const plain = (minLength: number, maxLength: number) =>
  fc.string({ unit: printable, minLength, maxLength });

const counterId = fc
  .tuple(fc.constantFrom("run", "a-b", "7"), fc.nat(2 ** 50))
  .map(([prefix, counter]) => `${prefix}-${counter}`);
const messageIds = fc.uniqueArray(fc.oneof(fc.uuid(), counterId, plain(1, 200)), {
  minLength: 1,
  maxLength: 12,
});
const integer = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 53 - 2 }).map(String),
  fc.constantFrom("0", "-0", "1.0", "1e3", "12.5e1", "9007199254740990", "90071992547409.90e2"),
);
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => JSON.stringify(double)),
  fc.double({ min: -100, max: 100, noNaN: true }).map((double) => JSON.stringify(double)),
  fc.constantFrom("0", "-0", "-0.0", "1E2", "-12e-3", "0.1000000000000000055511151231257827"),
);
const meta = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom({}, { rank: "0" }, { rank: "1", host: "a" }) },
  fc.dictionary(plain(0, 8), plain(0, 8), { maxKeys: 5 }),
);
const name = fc.oneof(fc.constantFrom("loss", "accuracy", "lr"), plain(1, 256));
const space = fc.oneof(
  { weight: 8, arbitrary: fc.constant("") },
  fc.constantFrom(" ", "\n", "\t", "\r\n  "),
);

const member = fc.tuple(space, space, space, space);
const spaces = fc.array(member, { minLength: 14, maxLength: 14 });
const order = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 });
const event = fc.record({ step: integer, time: integer, value, name, meta, spaces, order });

function objectText(members: [string, string][], pads: string[][]): string {
  const texts = members.map(([key, text], index) => {
    const [before, beforeColon, afterColon, behind] = pads[index];
    return `${before}"${key}"${beforeColon}:${afterColon}${text}${behind}`;
  });
  return `{${texts.join(",")}}`;
}

const batchText = fc
  .tuple(messageIds, fc.array(event, { minLength: 12, maxLength: 12 }), fc.boolean(), space)
  .map(([ids, events, withCorrelation, pad]) => {
    const texts = ids.map((id, index) => {
      const {
        step,
        time,
        value: number,
        name: metricName,
        meta: tags,
        spaces: pads,
        order: offsets,
      } = events[index];
      const metaText = objectText(
        Object.entries(tags).map(([key, text]) => [key, `"${text}"`]),
        pads,
      );
      const fields: [string, string][] = [
        ["experimentId", `"${experimentId}"`],
        ["timestampMs", time],
        ["step", step],
        ["metricName", `"${metricName}"`],
        ["metricValue", number],
        ["meta", metaText],
      ];
      const data = objectText(
        offsets.map((place) => fields[place]),
        pads,
      );
      const envelope: [string, string][] = [
        ["messageId", `"${id}"`],
        ["event", '"svc.v2.experiment.metric"'],
        ["data", data],
      ];
      if (withCorrelation) envelope.push(["correlationId", '"c"']);
      if (offsets[0] > 2) envelope.reverse();
      return objectText(envelope, pads.slice(8));
    });
    if (texts.length === 1 && withCorrelation) return `${pad}${texts[0]}${pad}`;
    return `${pad}[${pad}${texts.join(`${pad},${pad}`)}${pad}]${pad}`;
  });

test("valid batches of plain text are answered, and exactly as by the general path", () => {
  fc.assert(
    fc.property(batchText, (text) => {
      assert.equal(agree(Buffer.from(text)), true, text);
    }),
    { numRuns: 500 },
  );
});

// ---- the same with something wrong or unusual in it

const snippets = '{}[]":,\\ -+.eE0159é\n\x7f\x00'
  .split("")
  .concat(
    ['"a"', '\\"', "\\u0061", "null", "true", "1e400", "1e-400", "-1", "0.5", "01"],
    ["9007199254740991", '"messageId":"m",', '"step":1,', ',"meta":{}', ',"x":1'],
    ['{"a":"b","a":"c"}', "svc.v2."],
  );
const change = fc.record({
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  remove: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(40)),
  insert: fc.oneof(fc.constant(""), fc.constantFrom(...snippets)),
});

test("whatever is wrong or unusual in a batch: no throw, and no answer of its own", () => {
  let answered = 0;
  fc.assert(
    fc.property(batchText, fc.array(change, { minLength: 1, maxLength: 3 }), (text, changes) => {
      let changed = text;
      for (const { place, remove, insert } of changes) {
        const at = Math.floor(place * changed.length);
        changed = changed.slice(0, at) + insert + changed.slice(at + remove);
      }
      if (agree(Buffer.from(changed))) answered++;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(answered > 0);
});

test("any bytes at all: no throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, id) => {
      reader.read(Buffer.from(bytes), id);
      reader.read(Buffer.from(`[{${Buffer.from(bytes).toString("latin1")}}]`, "latin1"), id);
    }),
  );
});

// ---- the borders, one by one

function body(
  change: Record<string, unknown> = {},
  envelope: Record<string, unknown> = {},
): Buffer {
  const data = {
    experimentId,
    timestampMs: 1,
    step: 2,
    metricName: "a",
    metricValue: 3,
    meta: {},
    ...change,
  };
  return Buffer.from(
    JSON.stringify({ messageId: "m", event: "svc.v2.experiment.metric", data, ...envelope }),
  );
}

test("each limit is accepted and the next value left to the general path", () => {
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ""]));
  const canonical = (last: number) => ({
    ...Object.fromEntries("abcdefgh".split("").map((key) => [key, "v".repeat(500)])),
    i: "v".repeat(last),
  });
  const pairs: [Record<string, unknown>, Record<string, unknown>][] = [
    [{ step: 2 ** 53 - 2 }, { step: 2 ** 53 - 1 }],
    [{ timestampMs: 2 ** 53 - 1 }, { timestampMs: 2 ** 53 }],
    [{ metricName: "n".repeat(256) }, { metricName: "n".repeat(257) }],
    [{ metricName: "n" }, { metricName: "" }],
    [{ meta: keys(32) }, { meta: keys(33) }],
    [{ meta: { ["k".repeat(128)]: "" } }, { meta: { ["k".repeat(129)]: "" } }],
    [{ meta: { k: "v".repeat(512) } }, { meta: { k: "v".repeat(513) } }],
    [{ meta: canonical(32) }, { meta: canonical(33) }],
    [{ metricValue: Number.MAX_VALUE }, { metricValue: null }],
    [{ metricName: "~" }, { metricName: "\x7f" }],
    [{ experimentId }, { experimentId: "x" }],
  ];
  for (const [accepted, left] of pairs) {
    assert.equal(agree(body(accepted)), true, JSON.stringify(accepted));
    assert.equal(agree(body(left)), false, JSON.stringify(left));
  }
  assert.equal(agree(body({}, { messageId: "m".repeat(200) })), true);
  assert.equal(agree(body({}, { messageId: "m".repeat(201) })), false);
  assert.equal(agree(body({}, { messageId: "" })), false);
  assert.equal(agree(body({}, { event: "svc.v2.experiment.metrics" })), false);
  assert.equal(agree(body({}, { event: "svc.v2.experiment.start" })), false);
});

test("1 to 1,000 events, each messageId once", () => {
  const many = (count: number, id: (index: number) => string) => {
    const one = (index: number) => body({ step: index }, { messageId: id(index) });
    return Buffer.from(`[${Array.from({ length: count }, (_, index) => one(index)).join(",")}]`);
  };
  assert.equal(agree(many(1_000, (index) => `id${index}`)), true);
  assert.equal(agree(many(1_000, (index) => `run-${index}`)), true);
  assert.equal(agree(many(1_001, (index) => `id${index}`)), false);
  assert.equal(agree(Buffer.from("[]")), false);
  assert.equal(agree(many(1_000, (index) => `id${index % 999}`)), false);
  assert.equal(agree(many(1_000, (index) => `run-${index % 999}`)), false);
  assert.equal(agree(many(1_000, (index) => `run${index}-${index}`)), true);
});

test("a thousand names and metas, in any order", () => {
  const events = Array.from({ length: 1_000 }, (_, index) =>
    body(
      { metricName: `n${(index * 7) % 500}`, meta: { rank: String((index * 13) % 700) } },
      { messageId: `m${index}` },
    ),
  );
  assert.equal(agree(Buffer.from(`[${events.join(",")}]`)), true);
});

test("one meta in two spellings is one partition", () => {
  const spellings = ['{"a":"1","b":"2"}', '{ "b" : "2", "a" : "1" }', '{"a":"1","b":"2"}'];
  const events = spellings.map((text, index) =>
    body({}, { messageId: `m${index}` })
      .toString()
      .replace('"meta":{}', `"meta":${text}`),
  );
  const request = reader.read(Buffer.from(`[${events.join(",")}]`), experimentId);
  assert.deepEqual(request?.points.partitions, ['a\n{"a":"1","b":"2"}']);
  assert.equal(agree(Buffer.from(`[${events.join(",")}]`)), true);
});

test("ids of the URL that are not plain text never match", () => {
  for (const id of ['a"b', "a\\b", "éé", "a\n", "", "a", "x".repeat(65)]) {
    const text = body().toString().replace(`"${experimentId}"`, `"${id}"`);
    assert.equal(reader.read(Buffer.from(text), id), undefined, id);
  }
});
