import assert from "node:assert/strict";
import { test } from "node:test";
import { unmarked } from "./unmarked.ts";

test("marks of Markdown are left out of a line, and nothing else is", () => {
  const marked =
    "# Run\nbest at **step 300**, see `val/loss` and [the plan](https://example.org/p)";
  assert.equal(unmarked(marked), "Run\nbest at step 300, see val/loss and the plan");
  for (const text of ["2 ** 3 ** 4", "a_b_c", "*concat*", "[1] (2)", "#7", "`", "****", "2**k"])
    assert.equal(unmarked(text), text);
});
