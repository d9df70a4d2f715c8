import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  asTexts,
  type ColumnParts,
  columnParts,
  columnsBody,
  type SentPoint,
  summed,
} from "../../../test/columns-body.ts";
import { ServiceError } from "../ground/errors.ts";
import { readEvents } from "../http/v2/received-events.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { counterFlag, type PointBatch, pointColumns } from "../points/point-batch.ts";
import { ColumnReader } from "./column-reader.ts";
import { PointBatchBuilder } from "./point-batch-builder.ts";

const hasher = new IdentifierHasher(Uint32Array.of(1, 2, 3, 4));
const reader = new ColumnReader(hasher);
const experimentId = "x_01JD8Q4W9Z";

/** A batch with each id by itself, however prefixes are numbered; or the code of a refusal. */
function outcome(read: () => PointBatch): unknown {
  try {
    const { count, columns, partitions, prefixes } = read();
    const { step, timestamp, value, identifier, partition } = pointColumns(columns, count);
    const ids = Array.from(partition, (tagged, at) => {
      const words = [...identifier.subarray(4 * at, 4 * at + 4)];
      return tagged >= counterFlag ? [prefixes[words[0]], ...words.slice(1)] : words;
    });
    const keys = Array.from(partition, (tagged) => partitions[(tagged & ~counterFlag) >>> 0]);
    assert.equal(new Set(partitions).size, partitions.length);
    assert.equal(new Set(prefixes).size, prefixes.length);
    const bits = [step, timestamp, value].map((column) =>
      Buffer.from(new Uint8Array(column.slice().buffer)).toString("hex"),
    );
    return { ids, keys, bits };
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const asColumns = (points: readonly SentPoint[]): unknown =>
  outcome(() => reader.read(columnsBody(columnParts(points))));

const asJson = (points: readonly SentPoint[]): unknown =>
  outcome(() => {
    const sent = points.map(({ messageId, ...data }) => ({
      messageId,
      event: "svc.v2.experiment.metric",
      data: { experimentId, ...data },
    }));
    const { events } = readEvents("experiment", Buffer.from(JSON.stringify(sent)), 32);
    const builder = new PointBatchBuilder(events.length, hasher);
    for (const { messageId, data } of events) {
      builder.add(messageId, data as Parameters<PointBatchBuilder["add"]>[1]);
    }
    return builder.finish();
  });

const good: SentPoint = {
  messageId: "p-0",
  metricName: "loss",
  meta: {},
  step: 0,
  timestampMs: 1,
  metricValue: 1,
};

// ---- the same batches, good and bad, both ways

const counterId = fc
  .tuple(fc.constantFrom("run", "a-b", "7", "é", "a-5"), fc.oneof(fc.nat(30), fc.nat(2 ** 50)))
  .map(([prefix, counter]) => `${prefix}-${counter}`);
const rareId = fc.constantFrom(
  "",
  "-5",
  "a-05",
  "a-9007199254740991",
  "a-9007199254740992",
  "😀".repeat(200),
  "😀".repeat(201),
  `${"é".repeat(198)}-7`,
  `${"é".repeat(198)}-77`,
  "x".repeat(200),
  "x".repeat(201),
  `${"y".repeat(198)}-7`,
  `${"y".repeat(199)}-7`,
  "nul\0",
);
const text = fc.string({ unit: "grapheme", maxLength: 20 });
const id = fc.oneof(
  { weight: 20, arbitrary: counterId },
  { weight: 10, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: rareId },
);
const meta = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom({}, { rank: "0" }, { a: "1", b: "2" }, { b: "2", a: "1" }),
  },
  { weight: 1, arbitrary: fc.dictionary(text, text, { maxKeys: 34 }) },
  { weight: 1, arbitrary: fc.constantFrom({ k: "x".repeat(513) }, { ["k".repeat(129)]: "" }) },
);
const usual = <Value>(often: fc.Arbitrary<Value>, ...rare: Value[]) =>
  fc.oneof({ weight: 60, arbitrary: often }, { weight: 1, arbitrary: fc.constantFrom(...rare) });
const point = fc.record({
  messageId: id,
  metricName: usual(
    fc.constantFrom("loss", "train/acc", " "),
    "",
    "é",
    "x".repeat(256),
    "x".repeat(257),
  ),
  meta,
  step: usual(fc.nat(2 ** 53 - 2), -0, -1, 0.5, 2 ** 53 - 1, NaN, Infinity),
  timestampMs: usual(fc.nat(2 ** 53 - 1), -0, -1, 0.5, 2 ** 53, NaN),
  metricValue: usual(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    -0,
    NaN,
    Infinity,
    -Infinity,
  ),
});

test("the same batches, good and bad, are read as from JSON", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), (points) => {
      const expected = asJson(points);
      assert.deepEqual(asColumns(points), expected);
      const kind = typeof expected === "string" ? expected : "read";
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }),
    { numRuns: 3_000 },
  );
  assert.deepEqual([...seen.keys()].sort(), ["duplicate_message_id", "read", "validation_failed"]);
});

test("a long batch of runs and texts is read as from JSON", () => {
  const points = Array.from({ length: 1_000 }, (_, at) => ({
    ...good,
    messageId:
      at % 10 === 9 ? `text ${at}` : `${at % 300 < 150 ? "one" : "two"}-${2 ** 32 - 400 + at}`,
    metricName: `metric_${at % 7}`,
    step: at,
    metricValue: Math.sin(at),
  }));
  assert.deepEqual(asColumns(points), asJson(points));
});

test("an id that is there twice is found, whether as counter or text, in any order of runs", () => {
  const ids = (...sent: string[]) => asColumns(sent.map((messageId) => ({ ...good, messageId })));
  const twice = "duplicate_message_id";
  assert.equal(ids("a-1", "a-2", "b-1", "a-1"), twice);
  assert.equal(ids("a-5", "a-6", "a-7", "b-0", "a-1", "a-2", "b-9", "a-6"), twice);
  assert.equal(ids("same", "other", "same"), twice);
  assert.notEqual(ids("a-5", "a-6", "b-0", "a-1", "a-2", "b-1", "a-7"), twice);
  const parts = columnParts(["a-1", "a-2", "z"].map((messageId) => ({ ...good, messageId })));
  parts.texts = [Buffer.from("a-2")];
  assert.equal(
    outcome(() => reader.read(columnsBody(parts))),
    twice,
  );
});

// ---- golden bytes

const golden = Buffer.from(
  [
    // "LCol", version 1, 3 points, 96 bytes of head, 2 runs, 1 text of 5 bytes, 0
    "4c436f6c 01000000 03000000 60000000 02000000 01000000 05000000 00000000",
    Buffer.from(
      '{"partitions":[{"metricName":"loss","meta":{}},{"metricName":"a","meta":{}}],"prefixes":["p"]}  ',
    ).toString("hex"),
    // steps 0, 1, 9007199254740990
    "0000000000000000 000000000000f03f feffffffffff3f43",
    // times 1700000000000, 1700000000001, 0
    "00008056febc7842 00108056febc7842 0000000000000000",
    // values 0.1, -0, 5e-324
    "9a9999999999b93f 0000000000000080 0100000000000000",
    // a run of 2 counters from 7 with prefix 0; one text
    "0000000000001c40 02000000 00000000 0000000000000000 01000000 ffffffff",
    // partitions 0, 1, 0
    "00000000 01000000 00000000",
    // the text's length, and "é-x-" in UTF-8
    "0500 c3a92d782d",
    // CRC-32
    "14324e64",
  ]
    .join("")
    .replaceAll(" ", ""),
  "hex",
);

test("golden bytes", () => {
  const points = [
    { ...good, messageId: "p-7", step: 0, timestampMs: 1_700_000_000_000, metricValue: 0.1 },
    {
      ...good,
      messageId: "p-8",
      metricName: "a",
      step: 1,
      timestampMs: 1_700_000_000_001,
      metricValue: -0,
    },
    { ...good, messageId: "é-x-", step: 2 ** 53 - 2, timestampMs: 0, metricValue: 5e-324 },
  ];
  assert.equal(columnsBody(columnParts(points)).toString("hex"), golden.toString("hex"));
  assert.deepEqual(
    outcome(() => reader.read(golden)),
    asJson(points),
  );
});

// ---- bodies of another form

const parts = (): ColumnParts =>
  columnParts(
    ["p-0", "p-1", "text", "p-2"].map((messageId, step) => ({ ...good, messageId, step })),
  );

function refusal(body: Buffer): ServiceError {
  try {
    reader.read(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: "the body is read" });
}

test("a body at any place in memory is read alike, and left as it is", () => {
  const body = columnsBody(parts());
  const expected = outcome(() => reader.read(body));
  for (let at = 1; at < 8; at++) {
    const moved = Buffer.alloc(body.length + at).subarray(at);
    body.copy(moved);
    assert.deepEqual(
      outcome(() => reader.read(moved)),
      expected,
    );
    assert.deepEqual(moved, body);
  }
});

test("each byte that was changed, and each that is missing, is noticed", () => {
  const body = columnsBody(parts());
  for (let at = 0; at < body.length; at++) {
    const changed = Buffer.from(body);
    changed[at] ^= 1 << (at % 8);
    const { code } = refusal(changed);
    assert.ok(["validation_failed", "checksum_mismatch"].includes(code), `${code} at ${at}`);
    assert.equal(refusal(body.subarray(0, at)).code, "validation_failed");
  }
  assert.equal(refusal(Buffer.concat([body, Buffer.of(0)])).code, "validation_failed");
});

test("counts of the header that are not those of the body, with a good checksum", () => {
  for (const at of [8, 12, 16, 20, 24, 28]) {
    for (const number of [0, 1, 2, 3, 5, 8, 65_536, 65_537, 2 ** 31, 2 ** 32 - 1]) {
      const body = columnsBody(parts());
      if (body.readUInt32LE(at) === number) continue;
      body.writeUInt32LE(number, at);
      const { code, message } = refusal(summed(body));
      assert.equal(code, "validation_failed", `${number} at ${at}: ${message}`);
    }
  }
});

const wrongParts: [string, RegExp, (sent: ColumnParts) => void][] = [
  [
    "a partition that is not in the head",
    /partition\[1\] is 1, .* has 1 partitions/,
    (sent) => (sent.partition[1] = 1),
  ],
  ["a value that is no number", /metricValue\[2\]/, (sent) => (sent.value[2] = NaN)],
  [
    "a prefix that is not in the head",
    /run 0 .* prefix 7 of 1/,
    (sent) => (sent.runs[0].prefix = 7),
  ],
  ["a run without points", /run 0 .* 0 points/, (sent) => (sent.runs[0].points = 0)],
  [
    "a run that is too long",
    /run 2 .* 9 points, and 1 are left/,
    (sent) => (sent.runs[2].points = 9),
  ],
  ["runs of fewer points", /those of 3 points, it has 4/, (sent) => sent.runs.pop()],
  ["a counter with a fraction", /run 0 .* no integers/, (sent) => (sent.runs[0].first = 0.5)],
  ["a counter below 0", /run 0 .* no integers/, (sent) => (sent.runs[0].first = -1)],
  ["counters beyond 2^53", /run 0 .* no integers/, (sent) => (sent.runs[0].first = 2 ** 53 - 1)],
  ["a counter that is none", /run 0 .* no integers/, (sent) => (sent.runs[0].first = NaN)],
  ["texts that no run has", /other texts than it has/, (sent) => sent.texts.push(Buffer.from("x"))],
  ["more texts in runs", /run 2 .* more than are left/, (sent) => (sent.runs[2].prefix = asTexts)],
  ["a text that is no UTF-8", /messageId\[2\]/, (sent) => (sent.texts[0] = Buffer.of(0xc3))],
  ["an empty text", /messageId\[2\]/, (sent) => (sent.texts[0] = Buffer.of())],
  [
    "a head without a member",
    /the head .*prefixes|prefixes of the head/,
    (sent) => (sent.head = '{"partitions":[]}'),
  ],
  [
    "a head with another member",
    /of the head/,
    (sent) => (sent.head = sent.head.replace("{", '{"more":1,')),
  ],
  ["a head that is a list", /the head must be/, (sent) => (sent.head = "[]")],
  [
    "an empty prefix",
    /prefixes\[0\] of the head/,
    (sent) => (sent.head = sent.head.replace('"p"', '""')),
  ],
];

for (const [name, expected, change] of wrongParts) {
  test(`refused: ${name}`, () => {
    const sent = parts();
    change(sent);
    const { code, message } = refusal(columnsBody(sent));
    assert.equal(code, "validation_failed");
    assert.match(message, expected);
  });
}

test("a head that is no JSON, or repeats a member, is refused as JSON is", () => {
  for (const head of [
    "",
    "{",
    "nonsense",
    '{"partitions":[],"partitions":[],"prefixes":[]}',
    '{"a":[[[[[]]]]]}',
  ]) {
    const { code, message } = refusal(columnsBody({ ...parts(), head }));
    assert.equal(code, "malformed_json");
    assert.match(message, /^Of the head alone/);
  }
});

test("partitions that are named twice are one, and unused ones and prefixes do no harm", () => {
  const sent = parts();
  sent.head =
    '{"partitions":[{"metricName":"loss","meta":{"b":"2","a":"1"}},{"metricName":"loss","meta":{"a":"1","b":"2"}},{"metricName":"z","meta":{}}],"prefixes":["p","p","q"]}';
  sent.partition = [0, 1, 0, 1];
  sent.runs[2].prefix = 1;
  const batch = reader.read(columnsBody(sent));
  assert.deepEqual(batch.partitions, ['loss\n{"a":"1","b":"2"}', "z\n{}"]);
  assert.deepEqual(batch.prefixes, ["p", "q"]);
  sent.runs[2] = { prefix: 1, first: 1, points: 1 };
  assert.equal(refusal(columnsBody(sent)).code, "duplicate_message_id");
});

test("any bytes at all: a refusal, and no throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isSummed) => {
      const body = Buffer.concat([Buffer.from("LCol\x01\0\0\0"), bytes, Buffer.alloc(4)]);
      refusal(isSummed ? summed(body) : body);
    }),
  );
});
