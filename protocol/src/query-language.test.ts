import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "./limits.ts";
import { completions } from "./query-completion.ts";
import { QueryError } from "./query-error.ts";
import { type Field, fieldText, ownFields, parseField, stats } from "./query-field.ts";
import { operatorsOf, parseQuery, type Query, readQuery } from "./query-language.ts";
import { parseColumns, parseSort } from "./query-list.ts";
import { queryText } from "./query-text.ts";
import { type QueryValue, readValue, valueText } from "./query-value.ts";

const name = fc.oneof(
  fc.stringMatching(/^[\p{L}_/:@%+*-]{1,8}$/u),
  fc.constantFrom("and", "min", "slug", "meta.a", "val/loss", "a.b", "1e3", 'a"b\\', "", "-7d"),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => text.replaceAll("\0", "")),
);
const metricName = name.filter((each) => each !== "");
const partition = fc.dictionary(name, name, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
const metric = {
  kind: fc.constant("metric" as const),
  name: metricName,
  stat: fc.constantFrom(...stats),
};
const plain = { noNullPrototype: true };
const field: fc.Arbitrary<Field> = fc.oneof(
  fc
    .constantFrom(...(Object.keys(ownFields) as (keyof typeof ownFields)[]))
    .map((own) => ({ kind: "own" as const, name: own })),
  fc.array(name, { minLength: 1, maxLength: 4 }).map((path) => ({ kind: "meta" as const, path })),
  fc.record(metric, plain),
  fc.record({ ...metric, partition: partition.map(sorted) }, plain),
);
const value: fc.Arbitrary<QueryValue> = fc.oneof(
  fc
    .constantFrom(
      "0",
      "-1.5e-7",
      "10m",
      "-7d",
      "2026-03-01",
      "2026-03-01T12:00:30Z",
      "true",
      "null",
    )
    .map((text) => readValue({ kind: "word", text, start: 0, end: 0 })),
  name.map((text) => ({ kind: "text" as const, text })),
);
const single: fc.Arbitrary<Query> = fc.oneof(
  field.map((of) => ({ kind: "exists" as const, field: of })),
  name.map((text) => ({ kind: "search" as const, text })),
  fc
    .record({ path: fc.array(name, { minLength: 1, maxLength: 2 }), value })
    .chain(({ path, value: with_ }) =>
      fc.constantFrom(...operatorsOf("meta")).map((operator) => ({
        kind: "compare" as const,
        field: { kind: "meta" as const, path },
        operator,
        value: with_,
      })),
    ),
  fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => ({
    kind: "in" as const,
    field: { kind: "own" as const, name: "slug" as const },
    values,
  })),
);
const query: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, depthIdentifier: "query" },
    single,
    tie("query").map((part) => ({ kind: "not" as const, part })),
    fc
      .record({
        kind: fc.constantFrom("and" as const, "or" as const),
        parts: fc.array(tie("query"), { minLength: 2, maxLength: 3 }),
      })
      .map(({ kind, parts }) => ({
        kind,
        parts: parts.flatMap((part) => (part.kind === kind ? part.parts : [part])),
      })),
  ),
})).query;

test("a query that is written and read is the query", () => {
  fc.assert(
    fc.property(query, (each) => {
      fc.pre(testsOf(each) <= limits.queryTestsMax);
      assert.deepEqual(parseQuery(queryText(each)), each, queryText(each));
    }),
  );
});

test("so is a field, alone and in a list", () => {
  fc.assert(
    fc.property(field, fc.boolean(), (each, descending) => {
      const text = fieldText(each);
      assert.deepEqual(parseField(text), each, text);
      assert.deepEqual(parseColumns(`${text}, slug,${text}`), [text, "slug", text]);
      assert.deepEqual(parseSort(`${text} ${descending ? "desc" : "asc"},id`), [
        { field: text, descending },
        { field: "id", descending: false },
      ]);
    }),
  );
});

test("whatever is no query is refused with a place in it, and completed without a failure", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        ..."and or not in ( ) { } , = != ~ < >= meta. metric. .min slug status created".split(" "),
      ),
      fc.constantFrom('"', "\\", " ", "\n", "-7d", "0.1", "𝒳", "\ud800", "running"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(pieces, fc.boolean(), fc.nat(), (words, isSpaced, at) => {
      const text = words.join(isSpaced ? " " : "");
      const { query: read, error, marks } = readQuery(text);
      assert.equal(read === undefined, error !== undefined);
      if (error !== undefined) {
        assert.ok(error.position >= 0 && error.position <= text.length);
        assert.throws(() => parseQuery(text), QueryError);
      }
      for (const { start, end } of marks) assert.ok(start < end && end <= text.length);
      const caret = at % (text.length + 1);
      const { start, end } = completions(text, caret);
      assert.ok(start <= caret && caret <= end && end <= text.length);
    }),
    { numRuns: 1_000 },
  );
});

test("not binds before and, and before or; a space is and", () => {
  const written = {
    "not a b": "not a and b",
    "a b or c and d": "a and b or c and d",
    "a (b or c) d": "a and (b or c) and d",
    "not (a or not b) c": "not (a or not b) and c",
    "((a))": "a",
    "": "",
    "meta.lr >= 0.001 not slug ~ *concat* created > -7d":
      "meta.lr >= 0.001 and not slug ~ *concat* and created > -7d",
    "metric.val/loss.min<3.28 and meta.optimizer.name in (muon,soap)":
      "metric.val/loss.min < 3.28 and meta.optimizer.name in (muon, soap)",
    'metric.loss{subset=val}.last > 2 or error ~ "out of memory"':
      'metric.loss{subset=val} > 2 or error ~ "out of memory"',
  };
  for (const [text, expected] of Object.entries(written))
    assert.equal(queryText(parseQuery(text)), expected);
  assert.deepEqual(parseQuery("not a b"), {
    kind: "and",
    parts: [
      { kind: "not", part: { kind: "search", text: "a" } },
      { kind: "search", text: "b" },
    ],
  });
});

test("a statistic is the last word behind a dot, unless it is the name or quoted", () => {
  const of = (text: string) => {
    const { name: metric, stat } = parseField(text) as Field & { kind: "metric" };
    return [metric, stat];
  };
  assert.deepEqual(of("metric.loss"), ["loss", "last"]);
  assert.deepEqual(of("metric.min"), ["min", "last"]);
  assert.deepEqual(of("metric.a.b.min"), ["a.b", "min"]);
  assert.deepEqual(of('metric."a.min"'), ["a.min", "last"]);
  assert.deepEqual(of('metric."val loss".max'), ["val loss", "max"]);
  assert.deepEqual(of("metric.a.min{x=y}"), ["a.min", "last"]);
  assert.deepEqual(of("metric.a{x=y}.mean"), ["a", "mean"]);
});

test("a date is the whole of what it names", () => {
  const of = (text: string) => {
    const date = readValue({ kind: "word", text, start: 0, end: 0 });
    assert.equal(date.kind, "date");
    return (
      date.kind === "date" && [new Date(date.startMs).toISOString(), date.endMs - date.startMs]
    );
  };
  assert.deepEqual(of("2024-02-29"), ["2024-02-29T00:00:00.000Z", 86_400_000]);
  assert.deepEqual(of("2024-02-29T13:45Z"), ["2024-02-29T13:45:00.000Z", 60_000]);
  assert.deepEqual(of("2024-02-29T13:45:07Z"), ["2024-02-29T13:45:07.000Z", 1_000]);
  for (const text of ["2023-02-29", "2024-13-01", "2024-02-29T25:00Z", "2024-02-29T13:45"])
    assert.equal(readValue({ kind: "word", text, start: 0, end: 0 }).kind, "text", text);
});

test("an error says where, what is expected, and what may be meant", () => {
  const wrong: [string, number, RegExp, string?][] = [
    ["lr > 3", 0, /a field before the operator, found lr/, "meta.lr"],
    ["val/loss < 3", 0, /a field before the operator, found val\/loss/, "metric.val/loss"],
    ["slgu = a", 0, /a field/, "slug"],
    ["status = finished", 9, /one of running, done, error/, "done"],
    ["status = runing", 9, /one of running/, "running"],
    ["created > yesterday", 10, /a date such as .* or a time before now such as -7d/, "-1d"],
    ["silent > 10", 9, /a duration such as/],
    ["points > many", 9, /a number/],
    ["metric.loss ~ a", 12, /= != < <= > >= after metric.loss/],
    ["metric.loss{a=b}.mn", 16, /one of .last/, "min"],
    ["metric.loss{a=b,a=c}", 16, /every key once/],
    ["(a or b", 7, /a closing \), found the end/],
    ["a or", 4, /a field, or a text to search for/],
    ["not not", 7, /a field/],
    ["a AND or b", 6, /a field/],
    ["a ) b", 2, /and, or/],
    ["slug in a", 8, /\( and the values/],
    ["slug in (a b)", 11, /, and another value, or a closing \)/],
    ['error ~ "open', 8, /a closing "/],
    ["error ~ 'open", 8, /a closing '/],
    ["meta.lr between 1 and 2", 8, /two tests such as meta.lr >= 1 and meta.lr <= 2/],
    ["meta.lr is null", 8, /an operator, found is/, "="],
    ["slug LIKE a*", 5, /an operator, found LIKE/, "~"],
    ["1e-3 < lr", 0, /a field before the operator, found 1e-3$/],
    ["1e-3 ~ meta.lr", 0, /a field before the operator, found 1e-3$/],
    ["3 < slug < ", 11, /a value, found the end/],
    ["3 < status", 2, /= != before status/],
    ["3 = points ~ 3", 11, /= != < <= > >= after points/],
    ["3 < created", 0, /a date such as/],
    ["slug in [a b]", 11, /, and another value, or a closing \]/],
    ["slug in [a)", 10, /, and another value, or a closing \]/],
    ["slug in (a]", 10, /, and another value, or a closing \)/],
    ["meta.a. = 3", 7, /a name before, between and after the dots/],
    ["slug = a; drop", 8, /found ;/],
    ["(".repeat(17) + "a" + ")".repeat(17), 16, /at most 16 brackets/],
    [`a.b in (1${",1".repeat(199)},7)`.replace("a.b", "meta.a"), 411, /at most 200 values/],
    [Array.from({ length: 25 }, (_, at) => `w${at}`).join(" "), 86, /at most 24 tests/],
    [`slug ~ ${"a".repeat(257)}`, 7, /at most 256 characters to search for, found 257/],
    [`a ${"a".repeat(257)}`, 2, /at most 256 characters to search for, found 257/],
    ["a".repeat(8_193), 8_192, /at most 8192 characters/],
  ];
  for (const [text, position, message, suggestion] of wrong) {
    const { error } = readQuery(text);
    assert.match(error?.message ?? "none", message, text);
    assert.equal(error?.position, position, `${text}: ${error?.message}`);
    assert.equal(error?.suggestion, suggestion, text);
    assert.match(error?.message ?? "", new RegExp(`^At character ${position + 1}: `));
  }
  assert.throws(() => parseField("lr"), /a field, found lr; did you mean meta.lr/);
  assert.throws(() => parseSort("slug up"), /asc, desc or a comma, found up/);
  assert.throws(() => parseColumns("slug,"), /a field, found the end/);
  assert.throws(
    () => parseSort("slug,id,slug,id"),
    /At character 14: .*at most 3 fields, found id/,
  );
  assert.throws(() => parseColumns(`id${",id".repeat(100)}`), /at most 100 fields/);
});

test("keywords may be in capitals, and one that is searched for is in quotation marks", () => {
  const capitals = "slug = a AND (points = 1 OR NOT slug IN (b, c)) Not error";
  assert.deepEqual(parseQuery(capitals), parseQuery(capitals.toLowerCase()));
  assert.deepEqual(parseSort("slug DESC, id ASC"), parseSort("slug desc, id asc"));
  const text = queryText({ kind: "search", text: "AND" });
  assert.deepEqual([text, parseQuery(text)], ['"AND"', { kind: "search", text: "AND" }]);
});

test("words and signs of other trackers mean ours", () => {
  const same = {
    "config.lr == 0.1 && summary.val/loss.min<3": "meta.lr = 0.1 and metric.val/loss.min < 3",
    "metrics.loss{subset==val} > 2||config.a&&config.b":
      "metric.loss{subset=val} > 2 or meta.a and meta.b",
    'meta.config.lr = "&&"': 'meta.config.lr = "&&"',
  };
  for (const [text, ours] of Object.entries(same)) {
    assert.deepEqual(parseQuery(text), parseQuery(ours), text);
    assert.equal(queryText(parseQuery(text)), queryText(parseQuery(ours)), text);
  }
  assert.deepEqual(completions("config.l", 8).ask, { kind: "fields", text: "meta.l" });
});

test("a value may stand before its field, or one on either side", () => {
  const same = {
    "1e-3 < meta.lr": "meta.lr > 1e-3",
    "1e-3 <= meta.lr < 0.1": "meta.lr >= 1e-3 and meta.lr < 0.1",
    "not 1 < points <= 2 a": "not (points > 1 and points <= 2) and a",
    "a or 3.28 >= metric.val/loss.min": "a or metric.val/loss.min <= 3.28",
    "-7d < created and 'a b' = slug": 'created > -7d and slug = "a b"',
    "null != meta.a": "meta.a != null",
    "1 points": "1 and points",
  };
  for (const [text, ours] of Object.entries(same)) {
    assert.deepEqual(parseQuery(text), parseQuery(ours), text);
    assert.equal(queryText(parseQuery(text)), queryText(parseQuery(ours)), text);
  }
  const turned = { "=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
  const operator = fc.constantFrom(...(Object.keys(turned) as (keyof typeof turned)[]));
  const meta = fc.array(name, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(meta, operator, value, (path, sign, than) => {
      const one = { kind: "meta" as const, path };
      const right = valueText(than);
      fc.pre(
        readValue({ kind: "word", text: right, start: 0, end: 0 }).kind !== "text" ||
          right.startsWith('"'),
      );
      const read = parseQuery(`${right} ${sign} ${fieldText(one)}`);
      assert.deepEqual(read, parseQuery(`${fieldText(one)} ${turned[sign]} ${right}`));
    }),
  );
});

test("values after in may stand in the brackets of a list", () => {
  const same = {
    "tag in [a, b]": "tag in (a, b)",
    "meta.x in [1,2] a": "meta.x in (1, 2) and a",
    "(not artifact in [/a/])": "not artifact in (/a/)",
  };
  for (const [text, ours] of Object.entries(same))
    assert.deepEqual(parseQuery(text), parseQuery(ours), text);
});

test("what is not without is what is with, however often it is said", () => {
  assert.deepEqual(parseQuery("not not a"), parseQuery("a"));
  assert.deepEqual(parseQuery(`${"not ".repeat(2_001)}a`), parseQuery("not a"));
});

test("between slashes after ~, or alone, there is a regular expression", () => {
  const valueOf = (text: string) => (parseQuery(text) as Query & { kind: "compare" }).value;
  const expression = (text: string) => ({ kind: "expression", text });
  assert.deepEqual(valueOf("slug ~ /a[0-5]/b/"), expression("/a[0-5]/b/"));
  assert.deepEqual(valueOf("slug ~ /out of memory/"), expression("/out of memory/"));
  assert.deepEqual(valueOf('slug ~ "/a/"'), { kind: "text", text: "/a/" });
  assert.deepEqual(valueOf("slug ~ /a"), { kind: "text", text: "/a" });
  assert.deepEqual(valueOf("artifact = /a/"), { kind: "text", text: "/a/" });
  assert.deepEqual(parseQuery("/a|b/ done"), {
    kind: "and",
    parts: [
      { kind: "search", text: "/a|b/", isExpression: true },
      { kind: "exists", field: parseField("done") },
    ],
  });
  const paths = parseQuery("slug ~ /data/x and slug ~ y/") as Query & { kind: "and" };
  assert.equal(paths.parts.length, 2);
  assert.equal(queryText(parseQuery("(slug ~ /a|b/) or /c d/")), "slug ~ /a|b/ or /c d/");
  assert.throws(() => parseQuery("slug ~ /a(/"), /At character 11: expected a closing \)/);
});

test("what is searched for may be as long as a pattern", () => {
  const text = "a".repeat(256);
  assert.deepEqual(parseQuery(text), { kind: "search", text });
  assert.equal(parseQuery(`slug ~ ${text}`).kind, "compare");
});

test("marks say what each piece is, up to the first that is wrong", () => {
  const text = "meta.lr >= 0.1 and not muon or metric.a{b=c}.min";
  const shown = readQuery(`${text} =`).marks.map(({ role, start, end }) => [
    role,
    `${text} =`.slice(start, end),
  ]);
  assert.deepEqual(shown, [
    ["field", "meta.lr"],
    ["operator", ">="],
    ["value", "0.1"],
    ["keyword", "and"],
    ["keyword", "not"],
    ["search", "muon"],
    ["keyword", "or"],
    ["field", "metric.a{b=c}.min"],
    ["operator", "="],
  ]);
});

test("at the caret stands what may come there", () => {
  const at = (text: string) => completions(text.replace("|", ""), text.indexOf("|"));
  assert.deepEqual(at("sta|"), {
    start: 0,
    end: 3,
    offers: ["status", "state", "started"],
    ask: { kind: "fields", text: "sta" },
  });
  assert.deepEqual(at("status = r|un and a"), { start: 9, end: 12, offers: ["running"] });
  const status = at("status |");
  assert.deepEqual(status.offers.slice(0, 3), ["=", "!=", "in"]);
  assert.ok(status.offers.includes("and") && status.offers.includes("meta."));
  assert.deepEqual(at("a meta.optimizer.na|me = b").ask, {
    kind: "fields",
    text: "meta.optimizer.na",
  });
  assert.deepEqual(at('metric."val l|').ask, { kind: "fields", text: "metric.val l" });
  assert.deepEqual(at('metric."val l|').start, 0);
  assert.deepEqual(at("meta.name in (muon, s|"), {
    start: 20,
    end: 21,
    offers: [],
    ask: { kind: "values", field: { kind: "meta", path: ["name"] }, text: "s" },
  });
  assert.deepEqual(at("slug = a AN|").offers, ["and"]);
  assert.deepEqual(at(`slug = a AND ${"b".repeat(300)}|`).ask, {
    kind: "fields",
    text: "b".repeat(256),
  });
  assert.equal(at("(slug = a |").offers.includes(")"), true);
  assert.equal(at("slug = a |").offers.includes(")"), false);
  assert.deepEqual(at("points > |"), { start: 9, end: 9, offers: [] });
});

function sorted(pairs: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pairs).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

function testsOf(each: Query): number {
  if (each.kind === "not") return testsOf(each.part);
  if (each.kind !== "and" && each.kind !== "or") return 1;
  return each.parts.reduce((sum, part) => sum + testsOf(part), 0);
}

test("texts may be in single quotation marks, and numbers begin with a dot", () => {
  const same = (one: string, other: string) => assert.deepEqual(parseQuery(one), parseQuery(other));
  same("meta.name == 'a \\' \"b'", 'meta.name = "a \' \\"b"');
  same("'two words'", '"two words"');
  assert.deepEqual(parseQuery("meta.lr > -.5e1"), {
    kind: "compare",
    field: { kind: "meta", path: ["lr"] },
    operator: ">",
    value: { kind: "number", text: "-.5e1", number: -5 },
  });
  // A word of another language is a word where no operator is missing.
  assert.deepEqual(parseQuery("is between"), parseQuery("is and between"));
  assert.equal(queryText(parseQuery("meta.lr and is it")), "meta.lr and is and it");
});
