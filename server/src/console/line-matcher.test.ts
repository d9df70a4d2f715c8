import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ServiceError } from "../ground/errors.ts";
import { joinedExpression } from "./joined-expression.ts";
import { LineMatcher } from "./line-matcher.ts";
import { encodeLines, Lines } from "./lines.ts";

const characters = ["a", "b", "A", "é", "ſ", "K", "1", "_", " ", "\t", "\u2028", "\u{1f600}", "-"];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 7 }).map((all) => all.join(""));
const texts = fc.array(text, { minLength: 1, maxLength: 12 });

const inClass = fc.constantFrom("a", "b-é", "\\s", "\\S", "\\d", "\\D", "\\W", "\\n", "\\]", "^");
const atom = fc.oneof(
  fc.constantFrom("a", "b", "1", " ", "é", ".", "-", "\\s", "\\S", "\\d", "\\D", "\\w", "\\W"),
  fc.constantFrom("\\b", "\\B", "^", "$", "\\n", "\n", "\\x0a", "\\x61", "\\u000A", "\\u00e9"),
  fc.constantFrom("\\t", "\\.", "\\-", "[]", "[^]", "\\0", "\\1", "\\cJ", "\\12", "\\y", "(?i:a)"),
  fc
    .tuple(
      fc.constantFrom("", "", "^"),
      fc.array(inClass, { maxLength: 3 }),
      fc.constantFrom("", "-"),
    )
    .map(([not, parts, last]) => `[${not}${parts.join("")}${last}]`),
);
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("part"), { maxLength: 4 }), { minLength: 1, maxLength: 2 })
    .map((branches) => branches.map((parts) => parts.join("")).join("|")),
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc
      .tuple(atom, fc.constantFrom("*", "+?", "?", "{2}", "{1,3}"))
      .map(([one, times]) => one + times),
    fc
      .tuple(
        fc.constantFrom("(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<$>"),
        tie("pattern"),
        fc.constantFrom("", "", "*", "?"),
      )
      .map(([opens, inner, times]) => `${opens}${inner})${times}`),
  ),
}));

function isValid(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

test("an expression finds in joined lines those that it matches by themselves", async () => {
  let joined = 0;
  await fc.assert(
    fc.asyncProperty(
      pattern.filter((source) => source !== "" && isValid(source)),
      fc.boolean(),
      fc.array(texts, { minLength: 1, maxLength: 2 }),
      async (source, ignoreCase, stretches) => {
        const alone = new RegExp(source, ignoreCase ? "i" : "");
        if (joinedExpression(alone) !== undefined) joined++;
        const found = await LineMatcher.of({
          experimentId: "",
          pattern: source,
          ignoreCase,
        }).matchesIn(stretches.map(linesOf));
        const expected = stretches.map((lines) =>
          [...lines.keys()].filter((line) => alone.test(lines[line])),
        );
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: 1_000 },
  );
  assert.ok(joined > 200, `${joined} expressions were searched for in joined lines`);
});

test("each atom matches the same characters in joined lines, but no line feed", () => {
  const atoms = [".", "\\s", "\\S", "\\d", "\\D", "\\w", "\\W", "[^]", "[^a]", "[^-a]", "[\\W\\d]"];
  for (const source of [...atoms, "[^\\W]", "[^\\S]", "[\\s,]", "[\\]\\D]", "é", "k", "[^s-z]"]) {
    for (const flags of ["", "i"]) {
      const alone = new RegExp(source, flags);
      const joined = joinedExpression(alone)!;
      for (let unit = 0; unit < 65_536; unit++) {
        const character = String.fromCharCode(unit);
        joined.lastIndex = 0;
        const expected = character !== "\n" && alone.test(character);
        assert.equal(joined.test(character), expected, `/${source}/${flags} and ${unit}`);
      }
    }
  }
});

test("expressions that are not known to be the same in joined lines are tried line by line", () => {
  for (const source of ["^a", "(a)\\1", "(?<a>b)\\k<a>", "(?i:a)", "(?s:.)", "\\0", "\\12", "\\cJ"])
    assert.equal(joinedExpression(new RegExp(source)), undefined, source);
});

test("pieces end with lines, and lines keep their numbers", async () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => `${at} ${"é".repeat(at % 50)}`);
  const expected = [...lines.keys()].filter((at) => at % 100 === 7);
  for (const pattern of ["^\\d*07 |^7 ", "(?:\\b|\\d*0)7 "]) {
    const matcher = LineMatcher.of({ experimentId: "", pattern });
    const found = await matcher.matchesIn([linesOf(lines), linesOf(lines)]);
    assert.deepEqual(found, [expected, expected]);
  }
});

test("an expression that takes long on a line is refused, also when lines are joined", async () => {
  const slow = [...Array.from({ length: 500 }, () => "fine"), `${"a".repeat(40)}b`];
  const matcher = LineMatcher.of({ experimentId: "", pattern: "(?:a+)+$" });
  await assert.rejects(
    matcher.matchesIn([linesOf(slow)]),
    (error) => error instanceof ServiceError && error.code === "bad_request",
  );
});

function linesOf(texts: readonly string[]): Lines {
  return new Lines(
    encodeLines(
      texts.map((text) => ({ source: 0, stream: "stdout", timestampMs: 1, text, spans: "" })),
    ),
  );
}
