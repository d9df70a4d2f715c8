import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type EndpointName, endpoints } from "@lossless/protocol";
import { readsByTable } from "../contract/every-operation/who-may.ts";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import { tried } from "../every-case.ts";
import { sharedPostgres } from "../postgres.ts";
import { abuses } from "./abuses.ts";
import { Arena } from "./arena.ts";
import { mutants } from "./mutants.ts";

/** No abuse can make these read more: what they say is in memory, or some rows by an id. */
const fewRows = new Set<EndpointName>([
  ...(["openapi", "healthz", "readyz", "oauthMetadata", "readIssuer", "readIssuerKeys"] as const),
  ...(["beginSignOn", "finishSignOn", "webAsset", "readObject"] as const),
  ...(["scimServiceProvider", "scimResourceTypes", "scimResourceType"] as const),
  ...(["scimSchemas", "scimSchema", "mlflowVersion", "mlflowHealth"] as const),
  ...(["mlflowGetVersionFile", "readGuestVisit"] as const),
  // The same document each; what it shows is read by the operations of the views.
  ...(Object.keys(endpoints) as EndpointName[]).filter((name) => name.endsWith("Page")),
]);

const ofTime = /it took \d+ ms|worked on this for more than \d+ seconds/;

for (const backend of tried(["sqlite", "postgres"], (one) => one === "sqlite")) {
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

test("whatever reads is asked by some abuse, or reads no more than a few rows", () => {
  const inTable = new Set(readsByTable());
  const reads = (Object.keys(endpoints) as EndpointName[]).filter(
    (name) => endpoints[name].method === "GET" || inTable.has(name),
  );
  const asked = new Set(abuses.flatMap(({ operations = [] }) => operations));
  const lacking = reads.filter((name) => !asked.has(name) && !fewRows.has(name));
  assert.deepEqual(lacking, []);
  assert.deepEqual(
    [...fewRows].filter((name) => asked.has(name) || !reads.includes(name)),
    [],
  );
});

test("every defence that is taken out for a test still stands where it did", () => {
  for (const { patches } of mutants) new PatchedCheckout(patches)[Symbol.dispose]();
});
