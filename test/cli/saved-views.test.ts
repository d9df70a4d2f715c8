import assert from "node:assert/strict";
import { test } from "node:test";
import { LosslessClient, SavedConflictError } from "@lossless/client";
import { call } from "../http.ts";
import { people, Service } from "../service.ts";
import { run } from "./command-line.ts";

test("runs --view shows what a saved view does, and what is given besides", async () => {
  await using service = await Service.start({ people: true });
  const session = await call(service.baseUrl, { path: "/api/v1/sessions", body: people.max });
  const { token } = JSON.parse(session.text) as { token: string };
  const max = new LosslessClient({ baseUrl: service.baseUrl, credential: async () => token });
  const folderId = await max.folders.ensure(["vision"]);
  await max.openExperiment({ slug: "run/1", description: "", folderId });
  const query = new URLSearchParams({ q: "slug ~ run/*", cols: "points, folder" });
  const address = `/experiments?${query.toString()}`;
  const made = await max.savedViews.create({ name: "All runs", scope: "shared", address });
  const shown = await run(service.baseUrl, "runs", "--view", "All runs");
  assert.match(shown.stdout, /^SLUG +STATUS +BEGAN +POINTS +points +folder\nrun\/1 .*vision\n$/);
  const words = ["runs", "--view", "All runs", "--query", "slug = none", "--columns", "slug"];
  assert.equal((await run(service.baseUrl, ...words)).stdout, "No experiments.\n");
  const unknown = await run(service.baseUrl, "runs", "--view", "None");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no saved view "None" of the table; the views are: All runs/);
  const changed = await max.savedViews.change(made, { name: "Runs" });
  await assert.rejects(max.savedViews.change(made, { name: "Late" }), (error) => {
    assert.ok(error instanceof SavedConflictError);
    const { revision, name, changedBy } = error.present;
    assert.deepEqual([revision, name, changedBy], [2, "Runs", people.max.email]);
    return true;
  });
  await max.savedViews.delete(changed);
  assert.deepEqual(await max.savedViews.list(), []);
});
