import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangesReply } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { organizations, people } from "../../service.ts";
import { eventError, observed, refused, uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { refusedV1, signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { fields, table, untilSummarized } from "../views-v1/table-calls.ts";
import { askTrash, entriesOf, trashed, trashList, untilGone } from "./trash-calls.ts";

topic("experiments in the trash", (system) => {
  test("one that is deleted answers as one that never was, and comes back whole", async () => {
    const experiment = await recorded(system);
    const { experimentId, slug } = experiment;
    const before = await everyRead(system, experimentId, slug);
    const [entry] = await trashed(system, experimentId);
    assert.deepEqual(
      [entry.kind, entry.subject, entry.name, entry.points, entry.isPurging],
      ["experiment", experimentId, slug, 2, false],
    );
    assert.equal(entry.trashedBy, "test");
    assert.equal(entry.purgeAtMs - entry.trashedAtMs, 30 * 24 * 60 * 60_000);
    assert.deepEqual(
      entry,
      (await trashList(system)).find(({ id }) => id === entry.id),
    );
    await requireAbsent(system, experimentId, slug);
    // Who deletes again deletes nothing more.
    assert.deepEqual(await trashed(system, experimentId), [entry]);
    const restored = await entriesOf(askTrash(system, "restore", { body: { ids: [entry.id] } }));
    assert.deepEqual(restored, [entry]);
    assert.ok(!(await trashList(system)).some(({ id }) => id === entry.id));
    const after = await everyRead(system, experimentId, slug);
    assert.deepEqual(after, before);
  });

  test("its writer is refused for good, also by opening the slug, until it is restored", async () => {
    const experiment = await recorded(system);
    const { experimentId, slug } = experiment;
    const [{ id }] = await trashed(system, experimentId);
    const point = experiment.metric({ step: 7 }, "late");
    await refused(experiment.post(point), 401, "unauthorized");
    const data = { experimentId, experimentToken: experiment.token };
    await system.acme.fails("experiment.tokenRefresh", data, 401, "experiment_token_invalid");
    const open = { slug, description: "", meta: {} };
    const error = await system.acme.fails("experiment.open", open, 409, "experiment_deleted");
    assert.deepEqual([error.details, error.retryable], [{ experimentId }, false]);
    await entriesOf(askTrash(system, "restore", { body: { ids: [id] } }));
    await refused(experiment.post(point), 401, "unauthorized");
    const again = await system.acme.open(slug);
    assert.equal(again.experimentId, experimentId);
    const first = again.metric({ step: 0 }, "first");
    const [late, known] = await again.send(point, first);
    assert.deepEqual([late.data.deduplicated, known.data.deduplicated], [false, true]);
  });

  test("what is purged is gone, and nothing is stored under its id, token or slug again", async () => {
    const experiment = await recorded(system);
    const { experimentId, slug } = experiment;
    const [{ id }] = await trashed(system, experimentId);
    const credential = await signIn(system, "ada");
    const early = { body: { slug }, credential };
    await refusedV1(askTrash(system, "slugs", early), 409, "conflict");
    const purged = askTrash(system, "purge", { body: { ids: [id] }, credential });
    assert.deepEqual(
      (await entriesOf(purged)).map((entry) => [entry.id, entry.isPurging]),
      [[id, true]],
    );
    await untilGone(system, [id]);
    await requireAbsent(system, experimentId, slug);
    await refused(experiment.post(experiment.metric({}, "late")), 401, "unauthorized");
    const open = { slug, description: "", meta: {} };
    await system.acme.fails("experiment.open", open, 409, "experiment_deleted");
    await refusedV1(
      askTrash(system, "experiments", { body: { experimentIds: [experimentId] } }),
      404,
      "not_found",
    );
    await refusedV1(askTrash(system, "restore", { body: { ids: [id] } }), 404, "not_found");
    const free = { body: { slug }, credential };
    assert.equal((await askTrash(system, "slugs", free)).status, 204);
    const other = await system.acme.open(slug);
    assert.notEqual(other.experimentId, experimentId);
    assert.equal((await system.acme.series(other.experimentId)).done.points, 0);
    await refusedV1(askTrash(system, "slugs", free), 404, "not_found");
  });

  test("it is restored to its folder, which is made again", async () => {
    const name = uniqueName("folder");
    const parent = await system.acme.ask("folder.create", { name, parentFolderId: null });
    const child = { name: "below", parentFolderId: parent.folderId };
    const { folderId } = await system.acme.ask("folder.create", child);
    const { experimentId } = await system.acme.open();
    await system.acme.ask("experiment.move", { experimentId, folderId });
    const [entry] = await trashed(system, experimentId);
    assert.deepEqual(entry.folder, [name, "below"]);
    await system.acme.ask("folder.delete", { folderId });
    await system.acme.ask("folder.delete", { folderId: parent.folderId });
    await entriesOf(askTrash(system, "restore", { body: { ids: [entry.id] } }));
    const record = await system.acme.record(experimentId);
    const { folders } = (await system.acme.ask("foldertree.read", {})) as unknown as {
      folders: { name: string; folders: { name: string; folderId: string }[] }[];
    };
    const made = folders.find((folder) => folder.name === name)!;
    assert.deepEqual(
      made.folders.map((folder) => [folder.name, folder.folderId]),
      [["below", record.folderId]],
    );
  });

  test("the table leaves out what is deleted, however it is sorted and asked", async () => {
    const mark = uniqueName("mark");
    const ids: string[] = [];
    for (const value of [1, 2, 3]) {
      const experiment = await system.acme.open(uniqueName("run"), "", { mark, value });
      await experiment.send(experiment.metric({ metricName: mark, metricValue: value }));
      ids.push(experiment.experimentId);
    }
    await untilSummarized(system, system.acme);
    const [deleted] = await trashed(system, ids[1]);
    const metric = `metric.${JSON.stringify(mark)}`;
    const bodies = [
      { query: `meta.mark = ${JSON.stringify(mark)}` },
      { query: `${metric} > 0`, sort: [{ field: metric }] },
      { query: `not ${metric} = 1 and meta.mark = ${JSON.stringify(mark)}` },
      { sort: [{ field: metric, descending: true }] },
      { sort: [{ field: "meta.value" }], query: `${metric} > 0 or meta.value = 2` },
      { query: mark.slice(0, 6) },
    ];
    for (const body of bodies) {
      const { rows } = await table(system, system.acme, body);
      const found = rows.map(({ experimentId }) => experimentId);
      assert.ok(!found.includes(ids[1]), JSON.stringify(body));
    }
    const sorted = await table(system, system.acme, bodies[1]);
    assert.deepEqual(
      sorted.rows.map(({ experimentId }) => experimentId),
      [ids[0], ids[2]],
    );
    assert.equal(sorted.total, 2);
    // A field is completed with how many experiments have it: those that can be found.
    const counted = async (): Promise<number[]> => {
      const names = (await fields(system, system.acme, { text: mark })).fields;
      const { values } = await fields(system, system.acme, { field: "meta.mark", text: mark });
      return [...names, ...values].map(({ experiments }) => experiments);
    };
    assert.deepEqual(await counted(), [2, 2]);
    await entriesOf(askTrash(system, "restore", { body: { ids: [deleted.id] } }));
    const back = await table(system, system.acme, bodies[1]);
    assert.equal(back.total, 3);
    assert.deepEqual(await counted(), [3, 3]);
  });

  test("who waits for the list learns what was deleted and restored", async () => {
    const { experimentId } = await system.acme.open();
    const credential = organizations.acme.key;
    const wait = async (body: object) => {
      const reply = await observed(system, { path: "/api/views/v1/changes", credential, body });
      return ok<ChangesReply>(reply);
    };
    const now = await wait({ experiments: [{ experimentId, revision: 0 }], waitMs: 0 });
    const seen = now.experiments.map(({ revision }) => ({ experimentId, revision }));
    const waiting = wait({ experiments: seen, opened: now.opened, waitMs: 25_000 });
    const [{ id }] = await trashed(system, experimentId);
    assert.ok((await waiting).openedExperiments > 0);
    const { opened } = await wait({ experiments: [], waitMs: 0 });
    const again = wait({ experiments: [], opened, waitMs: 25_000 });
    await entriesOf(askTrash(system, "restore", { body: { ids: [id] } }));
    assert.ok((await again).openedExperiments > 0);
  });

  test("who may: members and keys delete and restore, admins purge, nobody elsewhere sees it", async () => {
    const { experimentId } = await system.acme.open();
    const max = await signIn(system, "max");
    const body = { experimentIds: [experimentId] };
    const rival = organizations.rival.key;
    await refusedV1(askTrash(system, "experiments", { body, credential: rival }), 404, "not_found");
    const [entry] = await entriesOf(askTrash(system, "experiments", { body, credential: max }));
    assert.equal(entry.trashedBy, people.max.email);
    const ids = { ids: [entry.id] };
    await refusedV1(askTrash(system, "purge", { body: ids, credential: max }), 403, "forbidden");
    await refusedV1(askTrash(system, "purge", { body: ids }), 403, "forbidden");
    const foreign = { body: ids, credential: rival };
    await refusedV1(askTrash(system, "restore", foreign), 404, "not_found");
    assert.ok(!(await trashList(system, rival)).some(({ id }) => id === entry.id));
    await entriesOf(askTrash(system, "restore", { body: ids, credential: max }));
    await system.acme.record(experimentId);
    const unknown = { experimentIds: [experimentId, "unknown"] };
    await refusedV1(askTrash(system, "experiments", { body: unknown }), 404, "not_found");
    await system.acme.record(experimentId);
  });

  test("an entry has what lists call its experiment, where that is not the slug", async () => {
    const mlflow = new MlflowCaller(system, organizations.acme.key);
    const run = await mlflow.run("0", { run_name: "bold-otter" });
    const metric = { key: "loss", value: 1, timestamp: 1, step: 1 };
    await mlflow.post("runs/log-metric", { run_id: run, ...metric });
    const { experimentId, slug } = await system.acme.open(uniqueName("p"), "", { _name: "label" });
    const plain = await system.acme.open();
    await untilSummarized(system, system.acme);
    const series = { experimentId: run, seriesNames: ["loss"] };
    const [loss] = await entriesOf(askTrash(system, "series", { body: series }));
    assert.deepEqual([loss.name, loss.experimentName, loss.series], [run, "bold-otter", "loss"]);
    const entries = await trashed(system, run, experimentId, plain.experimentId);
    const named = new Map(entries.map((entry) => [entry.name, entry.experimentName]));
    const expected: [string, string | null][] = [
      [run, "bold-otter"],
      [slug, "label"],
      [plain.slug, null],
    ];
    assert.deepEqual(named, new Map(expected));
    const listed = await trashList(system);
    for (const entry of [loss, ...entries])
      assert.deepEqual(
        listed.find(({ id }) => id === entry.id),
        entry,
      );
  });

  test("an organization says how long it keeps what it deletes", async () => {
    const credential = await signIn(system, "rita");
    const method = { method: "PUT" };
    const read = async () => (await askTrash(system, "settings", { credential })).text;
    assert.equal(await read(), '{"days":30}');
    const body = { days: 3 };
    const set = await askTrash(system, "settings", { body, credential, method });
    assert.equal(set.text, '{"days":3}');
    const { experimentId } = await system.rival.open();
    const kept = { body: { experimentIds: [experimentId] }, credential };
    const [entry] = await entriesOf(askTrash(system, "experiments", kept));
    assert.equal(entry.purgeAtMs - entry.trashedAtMs, 3 * 24 * 60 * 60_000);
    await refusedV1(
      askTrash(system, "settings", { body: { days: 0 }, credential, method }),
      400,
      "bad_request",
    );
    const key = { body, credential: organizations.rival.key, method };
    await refusedV1(askTrash(system, "settings", key), 403, "forbidden");
    await askTrash(system, "settings", { body: { days: 30 }, credential, method });
  });

  test("a write that was let in before the deletion stores nothing, and is told", async () => {
    const experiment = await system.acme.open();
    const events = Array.from({ length: 40 }, (_, step) => experiment.metric({ step }));
    const replies = events.map((event) => experiment.post([event]));
    const deleting = trashed(system, experiment.experimentId);
    let stored = 0;
    for (const reply of await Promise.all(replies)) {
      if (reply.status === 401) continue;
      const [one] = JSON.parse(reply.text) as Parameters<typeof eventError>;
      if (one.event === "svc.v2.metricRecorded") stored++;
      else assert.equal(eventError(one).code, "experiment_deleted");
    }
    const [{ id }] = await deleting;
    await entriesOf(askTrash(system, "restore", { body: { ids: [id] } }));
    const { done } = await system.acme.series(experiment.experimentId);
    assert.equal(done.points, stored);
  });
});

async function recorded(system: System) {
  const experiment = await system.acme.open(uniqueName("run"), "text", { a: 1 });
  await experiment.send(
    experiment.metric({ step: 0 }, "first"),
    experiment.metric({ step: 1, metricName: "acc" }, "second"),
    experiment.event("annotate", { annotation: "x", meta: {} }),
  );
  return experiment;
}

/** The specification's reads of an experiment. */
async function everyRead(system: System, experimentId: string, slug: string) {
  const record = await system.acme.ask("query.experiment", { experimentSlug: slug });
  return {
    record,
    annotations: await system.acme.ask("query.annotations", { experimentId }),
    catalog: await system.acme.ask("query.catalog", { experimentId }),
    points: (await system.acme.series(experimentId)).partitions,
  };
}

async function requireAbsent(system: System, experimentId: string, slug: string): Promise<void> {
  const { acme } = system;
  for (const name of ["query.experiment", "query.annotations"]) {
    await acme.fails(name, { experimentId }, 404, "experiment_not_found");
    await acme.fails(name, { experimentSlug: slug }, 404, "experiment_not_found");
  }
  await acme.fails("query.catalog", { experimentSlug: slug }, 404, "experiment_not_found");
  assert.deepEqual((await acme.ask("query.catalog", { experimentId })).series, []);
  assert.equal((await acme.series(experimentId)).done.points, 0);
  assert.equal((await acme.oneSeries(experimentId, "loss")).done.points, 0);
  for (const name of ["query.experiments", "query.revisions"]) {
    const read = await acme.ask(name, { experimentIds: [experimentId] });
    assert.deepEqual(read, { experiments: [], missingExperimentIds: [experimentId] });
  }
  assert.ok(!JSON.stringify(await acme.ask("foldertree.read", {})).includes(experimentId));
}
