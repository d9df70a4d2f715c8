import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ServiceError } from "./errors.ts";
import { parseStrictJson } from "./strict-json.ts";

const limits = { depth: 32 };
const read = (text: string | Uint8Array) =>
  parseStrictJson(typeof text === "string" ? Buffer.from(text) : text, limits);

function refused(code: string, text: string | Uint8Array, message = /./) {
  assert.throws(
    () => read(text),
    (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.code, code, `${String(text).slice(0, 60)}: ${error.message}`);
      assert.match(error.message, message);
      return true;
    },
  );
}

suite("strict JSON", () => {
  test("where a document is wrong, also where the parser does not say", () => {
    const cases: [string, RegExp][] = [
      ['{"a":NaN}', /: NaN at character 5 is not a JSON number\.$/],
      ['["NaN",-1,Infinity]', /: Infinity at character 10 is not a JSON number\.$/],
      ["[true,True]", /: True at character 6 is not a JSON value\.$/],
      ['{"a":secret}', /: see character 5\.$/],
      ["[1,]", /: a comma, a sign or a bracket is out of place\.$/],
      ['{"a":+1}', /: a comma, a sign or a bracket is out of place\.$/],
      ["[1", /: see character 2\.$/],
      ["", /is empty/],
      ["{", /: see character 1\.$/],
    ];
    for (const [document, message] of cases) refused("malformed_json", document, message);
    // Each character is looked at once: a quadratic look would take minutes for this.
    refused("malformed_json", `[+,"${'\\"'.repeat(2_000_000)}`);
    refused("malformed_json", `[+,"${"x".repeat(16_000_000)}"]`);
  });

  test("documents that are accepted equal what JSON.parse gives", () => {
    const documents = [
      "[]", "{}", " [ 1 , 2 ] ", '""', "0", "-0", "-1", "1e3", "1E+2", "1.5e-3", "true", "null",
      '{"a":{"b":[1,{"a":1}]},"c":"a"}', '"\\u0041\\n\\"\\\\"', '"😀 é"', '"\\ud83d\\ude00"',
      '[{"a":1},{"a":2}]', '{"":1}', '{"a:b,{":[":",":"]}', '"\u007f"', "\t\r\n[1]\n",
      '{"a\\"":1,"a":2}', "1.7976931348623157e308", "4.9e-324", '"\\\\u0000"',
    ]; // prettier-ignore
    for (const document of documents)
      assert.deepEqual(read(document), JSON.parse(document), document);
  });

  test("what is not JSON is malformed", () => {
    const documents = [
      "", " ", "[", "]", "{", "[1,]", '{"a":1,}', "[1 2]", "{a:1}", "{'a':1}", "[NaN]", "[Infinity]",
      "[-]", "[01]", "[1.]", "[.5]", "[+1]", "[0x1]", "[1e]", "[1]//c", "/**/[1]", "[1][2]", "{}{}",
      "tru", "nul", '"a', '"\\x"', '"\\u12"', '"\t"', '"\u0000"', '{"a"}', '{"a":}', '{:1}', "[,1]",
      "\u00a0[1]", "\u2028", "[1]\u0000", "[1}", '{"a":1]',
    ]; // prettier-ignore
    for (const document of documents) refused("malformed_json", document);
  });

  test("bytes that are not UTF-8, or start with a byte order mark", () => {
    refused("malformed_json", Buffer.from([0x22, 0xff, 0x22]), /UTF-8/);
    refused("malformed_json", Buffer.from([0x22, 0xc0, 0xae, 0x22]), /UTF-8/);
    refused("malformed_json", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/);
    refused("malformed_json", Buffer.from("\ufeff[]"), /byte order mark/);
    refused("malformed_json", Buffer.from("[]", "utf16le"));
  });

  test("a member twice in one object, however it is spelled", () => {
    refused("malformed_json", '{"slug":"a","slug":"b"}', /"slug" twice/);
    refused("malformed_json", '[{"x":[{"\\u0061":1,"b":2,"a":3}]}]', /"a" twice/);
    refused("malformed_json", '{"__proto__":1,"__proto__":2}', /__proto__/);
    refused("malformed_json", '{"1":1,"a":2,"1":3}');
    refused("malformed_json", `{"big":"${"x".repeat(1 << 20)}","a":1,"a":2}`, /twice/);
  });

  test("numbers that are not finite are invalid, and the place is named", () => {
    refused(
      "validation_failed",
      '[{"data":{"metricValue":1e400}}]',
      /^\[0\]\.data\.metricValue is/,
    );
    refused("validation_failed", '{"a b":[-1e999]}', /^\["a b"\]\[0\]/);
  });

  test("lone surrogates and NUL are invalid in values and names", () => {
    refused("validation_failed", '{"a":"\\ud800"}', /^a contains/);
    refused("validation_failed", '{"a":"\\udc00\\ud800"}');
    refused("validation_failed", '{"a":["x\\u0000y"]}', /^a\[0\] contains/);
    refused("validation_failed", '{"a":{"\\u0000":1}}', /member name in a contains/);
    refused("validation_failed", '{"\\uD800":1}');
  });

  test("depth: 32 levels pass, 33 do not, brackets in strings do not count", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    read(nested(32));
    read(`["${"[".repeat(100)}"]`);
    refused("malformed_json", nested(33), /deeper than 32/);
    refused("malformed_json", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`);
    refused("malformed_json", "[".repeat(1_000_000));
  });

  test("sizes that would cost the parser: members, elements, digits", () => {
    const members = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",")}}`;
    assert.equal(Object.keys(read(members(16_384)) as object).length, 16_384);
    refused("validation_failed", members(16_385), /16,384/);
    refused("validation_failed", members(1_000_000));
    const elements = (count: number) => `{"a":[${"1,".repeat(count - 1)}1]}`;
    assert.equal((read(elements(65_536)) as { a: unknown[] }).a.length, 65_536);
    refused("validation_failed", elements(65_537), /65,536/);
    refused("validation_failed", `[${"1".repeat(10_000_000)}]`, /1,000 characters/);
    read(`[0.${"1".repeat(900)}]`);
    const all = (arrays: number, unit: string) =>
      `[${Array(arrays)
        .fill(`[${Array(50_000).fill(unit).join()}]`)
        .join()}]`;
    read(all(19, "0"));
    refused("validation_failed", all(20, "0"), /1,000,000/);
    read(all(9, "[]"));
    refused("validation_failed", all(10, "[]"), /1,000,000/);
    refused("validation_failed", all(10, '{"a":0}'), /1,000,000/);
  });

  test("__proto__ and constructor stay plain members and change no prototype", () => {
    const value = read('{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}') as object;
    assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(({} as { x?: number; y?: number }).x, undefined);
    assert.equal(
      JSON.stringify(value),
      '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}',
    );
  });
});
