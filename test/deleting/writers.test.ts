import assert from "node:assert/strict";
import { test } from "node:test";
import { hasCode, LosslessClient } from "@lossless/client";
import { OrganizationCaller } from "../contract/callers.ts";
import { organizations, Service } from "../service.ts";

test("a recorder whose experiment is deleted fails for good with the reason, and nothing is stored", async () => {
  await using service = await Service.start();
  const { baseUrl } = service;
  const client = new LosslessClient({ baseUrl, apiKey: organizations.acme.key });
  const recorder = await client.record({ slug: "deleted", description: "", meta: {} });
  const { experimentId } = await client.experiment({ experimentSlug: "deleted" });
  recorder.record("loss", 1, 0);
  await recorder.flush();
  const [{ id, points }] = await client.trash.experiments([experimentId]);
  assert.equal(points, 1);
  recorder.record("loss", 2, 1);
  await assert.rejects(recorder.finish(), (error) => {
    const causes = [error, (error as Error).cause];
    assert.ok(
      causes.some((cause) => hasCode(cause, "experiment_deleted")),
      String(error),
    );
    return true;
  });
  await client.trash.restore([id]);
  const target = { baseUrl, observe: () => undefined };
  const acme = new OrganizationCaller(target, organizations.acme.key);
  assert.equal((await acme.series(experimentId)).done.points, 1);
});
