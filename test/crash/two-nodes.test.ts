import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedPostgres } from "../postgres.ts";
import { runTwoNodes } from "./two-nodes.ts";

test("two nodes, every batch to both, one killed: stored = distinct = counted", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const result = await runTwoNodes({ databaseUrl, seed: 20_261_104, loadMs: 2_000 });
  context.diagnostic(`${result.acknowledgedPoints} acknowledged, ${result.storedPoints} stored`);
  assert.deepEqual(result.violations, []);
  assert.ok(result.acknowledgedPoints > 0 && result.storedPoints >= result.acknowledgedPoints);
});
