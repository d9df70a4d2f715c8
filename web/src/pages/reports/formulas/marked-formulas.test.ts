import assert from "node:assert/strict";
import { test } from "node:test";
import { formulaSign, withMarkedFormulas } from "./marked-formulas.ts";

const read = (text: string) => withMarkedFormulas(text).replaceAll(formulaSign, "∎");

test("formulas in a line are marked, as in LaTeX and as on GitHub", () => {
  assert.equal(
    read(String.raw`with $x_1 * y_{2}$ and $\alpha$.`),
    String.raw`with ${"`∎x_1 * y_{2}`"} and ${"`∎\\alpha`"}.`,
  );
  assert.equal(read("so $`a_b`$ too"), "so `∎a_b` too");
});

test("prices, code and escaped signs stay", () => {
  for (const text of [
    "it costs $5 or $6",
    "from $ 5 to $ 6",
    "`$x$` is code",
    "a `$` and another `$` sign",
    String.raw`\$x$ is none`,
    "```\n$x$\n$$\n```",
    "US$ and A$",
  ])
    assert.equal(read(text), text);
});

test("those on lines of their own are blocks", () => {
  assert.equal(read("so:\n$$\nx^2\n$$\nend"), "so:\n```math\nx^2\n```\nend");
  assert.equal(read("$$ a + b $$"), "```math\n a + b \n```");
});
