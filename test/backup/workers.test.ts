import assert from "node:assert/strict";
import { test } from "node:test";
import { trashed } from "../contract/trash-v1/trash-calls.ts";
import { targetOf } from "../contract/callers.ts";
import { runVerify } from "../crash/verify-command.ts";
import { sharedPostgres } from "../postgres.ts";
import { makeWorkers } from "../workers.ts";
import { backUp, callerOf, Recorder } from "./recorded.ts";
import { Room } from "./room.ts";

test("a backup of a directory and its workers is an installation with one server", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using workers = await makeWorkers();
  const { environment } = workers;
  await using room = await Room.make({ databaseUrl, environment });
  const { service, place } = room;
  const recorders: Recorder[] = [];
  for (const slug of ["a", "b", "c", "deleted"]) recorders.push(await Recorder.open(service, slug));
  for (const recorder of recorders) await recorder.send(7);
  await trashed(targetOf(service), recorders[3].experiment.experimentId);
  const made = await backUp(service, place);
  assert.deepEqual(made.problems, []);
  // Later points are not in it.
  for (const recorder of recorders.slice(0, 3)) await recorder.send(1);

  await using restored = await room.restored();
  const caller = callerOf(restored);
  for (const { experiment } of recorders.slice(0, 3)) {
    const { done } = await caller.series(experiment.experimentId);
    assert.equal(done.points, 700);
    const again = await caller.open(experiment.slug);
    await again.send(again.metric({ step: 1, metricName: "after" }));
    assert.equal((await caller.series(experiment.experimentId)).done.points, 701);
  }
  assert.equal(await restored.stop(), 0);
  const { code, output } = await runVerify(restored);
  assert.equal(code, 0, output);
});
