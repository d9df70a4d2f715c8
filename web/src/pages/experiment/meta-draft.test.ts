import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { asKind, draftOf, type MetaKind, valueAtPath, valueOfDraft } from "./meta-draft.ts";

suite("a value of a meta that is written", () => {
  test("each value comes back as what it was", () => {
    const values = [0, -1.5, 3e-4, 1e21, "", "true", "12", 'a "b"', true, false, null, [1, ["x"]]];
    for (const value of [...values, { a: { b: null } }])
      if (value !== 1e21) assert.deepEqual(valueOfDraft(draftOf(value)), value);
    assert.deepEqual(
      [1, "1", true, null, [], {}].map((value) => draftOf(value).kind),
      ["number", "text", "true or false", "JSON", "JSON", "JSON"],
    );
  });

  test("what is none is told so", () => {
    const wrong: [MetaKind, string, RegExp][] = [
      ["number", "", /Enter a number/],
      ["number", "0x10", /Enter a number/],
      ["number", "1,5", /Enter a number/],
      ["number", "NaN", /Enter a number/],
      ["number", ".5", /Enter a number/],
      ["number", "12345678901234567890", /would round/],
      ["number", "1e400", /would round/],
      ["JSON", "{a: 1}", /not valid JSON/],
      ["JSON", "", /not valid JSON/],
      ["JSON", '{"id": [12345678901234567890]}', /would round/],
    ];
    for (const [kind, text, message] of wrong)
      assert.throws(() => valueOfDraft({ kind, text }), { message });
    assert.equal(valueOfDraft({ kind: "number", text: " 1E-3 " }), 0.001);
  });

  test("another kind keeps the letters where they mean something", () => {
    const text = draftOf('say "a"');
    assert.equal(valueOfDraft(asKind(text, "JSON")), 'say "a"');
    assert.deepEqual(asKind(asKind(text, "JSON"), "text"), text);
    assert.equal(valueOfDraft(asKind(draftOf("12"), "number")), 12);
    assert.equal(valueOfDraft(asKind(draftOf("true"), "true or false")), true);
    assert.equal(valueOfDraft(asKind(draftOf("yes"), "true or false")), false);
    assert.equal(asKind({ kind: "JSON", text: "{" }, "text").text, "{");
  });

  test("a path leads through objects alone", () => {
    const meta = { a: { b: 1, toString: 2 }, l: [5] };
    assert.equal(valueAtPath(meta, ["a", "b"]), 1);
    assert.equal(valueAtPath(meta, ["a", "toString"]), 2);
    assert.equal(valueAtPath(meta, ["toString"]), undefined);
    assert.equal(valueAtPath(meta, ["l", "0"]), undefined);
    assert.equal(valueAtPath(meta, ["a", "c", "d"]), undefined);
    assert.equal(valueAtPath(meta, []), meta);
  });
});
