import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { toldApart } from "./told-apart.ts";

/** The parts of a name among others: the common ones in brackets, keys in capitals. */
const cut = (name: string, ...others: string[]) =>
  toldApart([name, ...others])
    .get(name)
    ?.map(({ text, role }) =>
      role === "common" ? `[${text}]` : role === "key" ? text.toUpperCase() : text,
    )
    .join("|");

suite("names of a list", () => {
  test("have words that all have at their place in common, in the middle too", () => {
    assert.equal(
      cut("optimizer.name=lion model.width=256", "optimizer.name=muon model.width=512"),
      "[optimizer.name=]|LION |[model.width=]|256",
    );
    assert.equal(cut("sweep-001-lion-w256", "sweep-002-lion-w256"), "[sweep-]|001-|[lion-w256]");
  });

  test("have a key where they differ most", () => {
    const names = ["sweep-a-lion-w256", "sweep-b-lion-w512", "sweep-c-muon-w512"];
    assert.equal(cut(names[0], ...names), "[sweep-]|A-|lion-w256");
  });

  test("of different lengths are compared from both ends", () => {
    assert.equal(cut("runs/a/final", "runs/b/c/final"), "[runs/]|A/|[final]");
  });

  test("have no parts where nothing is common, or there is one", () => {
    assert.equal(cut("alone"), undefined);
    assert.equal(cut("one", "other"), "ONE");
    assert.equal(cut("a-x", "a-y"), "a-|X");
  });

  test("keep every character", () => {
    const names = ["/a//b", "", "é/日本 x", "-", "a=b=c"];
    for (const [name, parts] of toldApart(names))
      assert.equal(parts.map(({ text }) => text).join(""), name);
  });
});
