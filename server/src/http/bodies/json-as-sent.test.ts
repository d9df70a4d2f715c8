import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { elementsAsSent, memberAsSent } from "./json-as-sent.ts";

const meta = (text: string) => memberAsSent(Buffer.from(text), "meta");

test("a member keeps its digits and escapes, and loses the space between its tokens", () => {
  const cases: [body: string, text: string | undefined][] = [
    ['{"meta":{"seed":12345678901234567890,"z":-0,"f":1.0,"e":1E+2}}', "same"],
    [
      '{"a":{"meta":1},"b":["meta",{"meta":2}],"meta":{"\\u00e9\\/":"\\"}, "}}',
      '{"\\u00e9\\/":"\\"}, "}',
    ],
    ['\t{ "m\\u0065ta" : \r\n{ "a b" : [ 1 , { } ] } , "x":"meta"}', '{"a b":[1,{}]}'],
    ['{"x":"meta","meta": [ ] }', "[]"],
    ['{"meta" : -1.50 }', "-1.50"],
    ['{"meta":"  é  ","y":1}', '"  é  "'],
    ['{"x":{"meta":1}}', undefined],
    ['["meta"]', undefined],
    ['"meta"', undefined],
    ["{}", undefined],
  ];
  for (const [body, text] of cases) {
    assert.equal(meta(body), text === "same" ? body.slice('{"meta":'.length, -1) : text, body);
  }
});

test("any document: what the parser reads and writes without space", () => {
  const members = fc.dictionary(fc.oneof(fc.constant("x"), fc.string()), fc.jsonValue());
  const property = fc.property(members, fc.jsonValue(), fc.nat(3), (others, value, spaces) => {
    const body = { ...others, meta: value, z: others };
    const sent = JSON.parse(JSON.stringify(body)) as typeof body;
    assert.equal(meta(JSON.stringify(sent, null, spaces)), JSON.stringify(sent.meta));
    const array = [sent, value, []];
    assert.deepEqual(
      elementsAsSent(Buffer.from(JSON.stringify(array, null, spaces))),
      array.map((element) => JSON.stringify(element)),
    );
  });
  fc.assert(property, { numRuns: 500 });
});
