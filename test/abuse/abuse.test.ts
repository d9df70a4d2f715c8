import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import { sharedPostgres } from "../postgres.ts";
import { abuses } from "./abuses.ts";
import { Arena } from "./arena.ts";
import { mutants } from "./mutants.ts";

const ofTime = /it took \d+ ms|worked on this for more than \d+ seconds/;

for (const backend of ["sqlite", "postgres"]) {
  suite(`nobody is stopped, ${backend}`, () => {
    let arena: Arena;
    before(async () => {
      const isPostgres = backend === "postgres";
      const databaseUrl = isPostgres ? await (await sharedPostgres()).createDatabase() : undefined;
      arena = await Arena.open({ size: "short", databaseUrl });
    });
    after(() => arena?.[Symbol.asyncDispose]());
    for (const abuse of abuses) {
      test(abuse.name, async (context) => {
        const { violations, notes } = await arena.run(abuse);
        // How fast this machine is now is no fault: `npm run abuse` and the mutants judge that.
        const late = violations.filter((violation) => ofTime.test(violation));
        for (const note of [...notes, ...late]) context.diagnostic(note);
        assert.deepEqual(
          violations.filter((violation) => !ofTime.test(violation)),
          [],
        );
      });
    }
  });
}

test("every defence that is taken out for a test still stands where it did", () => {
  for (const { patches } of mutants) new PatchedCheckout(patches)[Symbol.dispose]();
});
