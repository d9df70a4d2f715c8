import assert from "node:assert/strict";
import { test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";

const waitMs = 25_000;

test("who waits at one node is told what another one acknowledged", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using first = await Service.start({ databaseUrl });
  await using second = await Service.start({ databaseUrl });
  const [here, there] = [first, second].map(
    ({ baseUrl }) => new LosslessClient({ baseUrl, apiKey: organizations.acme.key }),
  );
  const recorder = await there.record({ slug: "watched" });
  const { experimentId } = recorder;
  const { opened } = await here.views.changes({ experiments: [], waitMs: 0 });
  let revision = (await here.revisions([experimentId])).experiments[0].revision;
  for (let points = 1; points <= 5; points++) {
    const told = here.views.changes({ experiments: [{ experimentId, revision }], opened, waitMs });
    recorder.record("loss", points, points);
    await recorder.flush();
    const { experiments, openedExperiments } = await told;
    assert.equal(experiments[0].points, points);
    assert.equal(openedExperiments, 0);
    ({ revision } = experiments[0]);
  }
  const told = here.views.changes({ experiments: [{ experimentId, revision }], opened, waitMs });
  await there.openExperiment({ slug: "another", description: "", meta: {} });
  const { experiments, openedExperiments } = await told;
  assert.deepEqual([experiments, openedExperiments], [[], 1]);
  await recorder.finish();
});
