import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { TextExpression } from "./text-expression.ts";

const holds = (expression: string, text: string) => TextExpression.parse(expression).holds(text);

suite("regular expressions of texts", () => {
  test("they find what those of JavaScript find", () => {
    const expressions = [
      "layer1[0-5]/attn/grad",
      "^a",
      "a$",
      "^$",
      "^a*$",
      "(ab|c)+d?",
      "(?:a|b|)c",
      "a{2}",
      "a{2,}b",
      "^a{1,3}$",
      "[^a-c]",
      "[a\\-\\]^]",
      "[\\d_]x",
      "\\d+\\.\\d*",
      "\\w\\W\\w",
      "\\s\\S",
      "a.c",
      "(a+)+$",
      "(a*)*b",
      "x|^y|z$",
      "[-a]b",
      "[B-D]",
      "\\/\\.",
      "a\\tb",
      "é|😀",
      "[😀-😂]",
      "(^a|b$)",
      "$^",
      "a??b",
    ];
    const alphabet = [
      "a",
      "b",
      "c",
      "B",
      "x",
      "y",
      "z",
      "1",
      "0",
      ".",
      "/",
      "-",
      "_",
      " ",
      "\t",
      "😀",
    ];
    const texts = ["", "layer12/attn/grad", "LAYER15/ATTN/GRAD", "a\nc", "aab", "é", "😁"];
    let seed = 7;
    for (let count = 0; count < 400; count++) {
      let text = "";
      for (let length = count % 7; length >= 0; length--) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        text += alphabet[(seed >> 8) % alphabet.length];
      }
      texts.push(text);
    }
    for (const expression of expressions) {
      const own = TextExpression.parse(expression);
      const theirs = new RegExp(expression, "isu");
      for (const text of texts)
        assert.equal(own.holds(text), theirs.test(text), `/${expression}/ in ${text}`);
    }
  });

  test("only letters A to Z are alike in both cases", () => {
    assert.ok(holds("[A-C]x", "bX"));
    assert.ok(!holds("[^A]", "aA"));
    assert.ok(!holds("É", "é"));
    assert.ok(!holds("k", "\u212a"));
  });

  test("what would take long elsewhere takes a step a character", () => {
    const text = "a".repeat(100_000);
    assert.ok(!holds("(a+)+b", text));
    assert.ok(!holds("(a|a)*(a|a)*(a|a)*b", text));
    assert.ok(holds("(a?){100}a{100}$", text));
  });

  test("many states are forgotten, and found again", () => {
    const own = TextExpression.parse("[ab]*a[ab]{14}c");
    let text = "";
    for (let count = 0; count < 40_000; count++) text += (count * count) % 7 < 3 ? "a" : "b";
    assert.ok(!own.holds(text));
    assert.ok(own.holds(`${text}a${"b".repeat(14)}c`));
  });

  test("what is none is refused with its place", () => {
    const wrong: [string, RegExp][] = [
      ["(a", /At character 3: expected a closing \)/],
      ["a)", /At character 2: expected an opening \(/],
      ["[a", /expected a closing \]/],
      ["[b-a]", /a range from the lesser/],
      ["*a", /At character 1: expected a character or a group/],
      ["a**", /a repetition of a group/],
      ["^*", /before a repetition/],
      ["(?=a)", /look-around and options are not known/],
      ["(a)\\1", /one of \\d \\w \\s/],
      ["a{3,2}", /the less first/],
      ["a{256}", /1 to 255/],
      ["(a{255}){255}", /fewer or smaller repetitions/],
      ["a\\", /a character after \\/],
      ["\0", /another character/],
    ];
    for (const [expression, words] of wrong)
      assert.throws(() => TextExpression.parse(expression), words, expression);
    assert.throws(() => TextExpression.parse("(", 10), /At character 12/);
  });
});
