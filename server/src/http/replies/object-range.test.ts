import assert from "node:assert/strict";
import { test } from "node:test";
import { objectReply } from "./object-range.ts";

const object = { sizeBytes: 1000, etag: '"e"' };
const whole = { status: 200, offset: 0, length: 1000 };

test("one range of bytes is a part, anything else the whole", () => {
  const cases: [string, object][] = [
    ["bytes=0-0", { status: 206, offset: 0, length: 1 }],
    ["bytes=0-999", { status: 206, offset: 0, length: 1000 }],
    ["bytes=500-", { status: 206, offset: 500, length: 500 }],
    ["bytes=999-2000", { status: 206, offset: 999, length: 1 }],
    ["bytes=-1", { status: 206, offset: 999, length: 1 }],
    ["bytes=-5000", { status: 206, offset: 0, length: 1000 }],
    ["Bytes= 1-2", { status: 206, offset: 1, length: 2 }],
    ["bytes=1000-", { status: 416 }],
    ["bytes=-0", { status: 416 }],
    ["bytes=5-4", whole],
    ["bytes=0-1,3-4", whole],
    ["bytes=-", whole],
    ["bytes=", whole],
    ["bytes=a-b", whole],
    ["lines=0-1", whole],
  ];
  for (const [range, expected] of cases) {
    assert.deepEqual(objectReply({ range }, object), expected, range);
  }
  assert.deepEqual(objectReply({}, object), whole);
  assert.deepEqual(objectReply({ range: "bytes=0-" }, { ...object, sizeBytes: 0 }), {
    status: 416,
  });
});

test("conditions compare the entity tag", () => {
  const range = "bytes=0-9";
  const part = { status: 206, offset: 0, length: 10 };
  assert.deepEqual(objectReply({ "if-match": '"x", "e"' }, object), whole);
  assert.deepEqual(objectReply({ "if-match": "*" }, object), whole);
  assert.deepEqual(objectReply({ "if-match": '"x"' }, object), { status: 412 });
  assert.deepEqual(objectReply({ "if-match": 'W/"e"' }, object), { status: 412 });
  assert.deepEqual(objectReply({ "if-none-match": 'W/"e"' }, object), { status: 304 });
  assert.deepEqual(objectReply({ "if-none-match": "*", range }, object), { status: 304 });
  assert.deepEqual(objectReply({ "if-none-match": '"x"', range }, object), part);
  assert.deepEqual(objectReply({ "if-range": '"e"', range }, object), part);
  assert.deepEqual(objectReply({ "if-range": 'W/"e"', range }, object), whole);
  const date = "Tue, 01 Jan 2030 00:00:00 GMT";
  assert.deepEqual(objectReply({ "if-range": date, range }, object), whole);
});
