import assert from "node:assert/strict";
import { test } from "node:test";
import { detect } from "./detect.ts";
import { mutants } from "./mutants.ts";
import { PatchedCheckout } from "./patched-checkout.ts";

/** Some faults in the short form; `npm run crash:mutants` plants all of them. */
for (const name of [
  "recent identifiers are not looked up",
  "done counts one point too many",
  "lines that are stored already are stored again",
  "a run of which nothing is heard is said to run",
  "a launcher that starts a run again is not told from others",
]) {
  test(`the checker notices a planted fault: ${name}`, async (context) => {
    const mutant = mutants.find((one) => one.name === name);
    assert.ok(mutant !== undefined);
    const { noticed, cycles } = await detect(mutant, 20_261_103, 20);
    context.diagnostic(`after ${cycles} cycles: ${noticed}`);
    assert.ok(noticed !== undefined);
  });
}

test("every fault still finds its place in the source", () => {
  for (const { patches } of mutants) new PatchedCheckout(patches)[Symbol.dispose]();
});
