import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangedExperiment, ChangesBody, ChangesReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
import { type ExperimentCaller, observed, type OrganizationCaller } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";

/** Wait of a request that a change answers: far longer than the change takes. */
const long = 25_000;

topic("changes", (system) => {
  test("what differs already is told at once, as the other reads tell it", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await experiment.send(experiment.metric({ step: 1 }), experiment.metric({ step: 2 }));
    await experiment.tell("done");
    await system.told();
    const reply = await changes(system, { experiments: [seen(experimentId, 0)], waitMs: long });
    const { status, statusAtMs, updatedAtMs } = await system.acme.record(experimentId);
    const { appendedAtMs, metaVersion, ...told } = reply.experiments[0];
    const revision = await revisionOf(system.acme, experimentId);
    const states = { status, statusAtMs, updatedAtMs };
    assert.deepEqual(told, { experimentId, revision, points: 2, seriesVersion: 0, ...states });
    assert.ok(metaVersion > 0);
    assert.ok(Math.abs(appendedAtMs - told.statusAtMs) < 600_000);
    assert.equal(reply.experiments.length, 1);
    assert.equal(reply.openedExperiments, 0);
  });

  test("each kind of change answers who waits for it, with the state after it", async () => {
    const experiment = await system.acme.open();
    const { experimentId, slug } = experiment;
    const folder = await system.acme.ask("folder.create", { name: slug, parentFolderId: null });
    const { folderId } = folder;
    const happenings: [() => Promise<unknown>, Partial<ChangedExperiment>][] = [
      [() => experiment.send(experiment.metric()), { points: 1, status: "running" }],
      [() => experiment.send(experiment.metric(), experiment.metric()), { points: 3 }],
      [() => experiment.tell("annotate", { annotation: "here", meta: {} }), { points: 3 }],
      [() => system.acme.ask("experiment.move", { experimentSlug: slug, folderId }), {}],
      [() => print(system, experiment, ["printed"]), { points: 3 }],
      [() => print(system, experiment, []), { points: 3 }],
      [() => experiment.tell("done"), { status: "done" }],
      [() => experiment.tell("start"), { status: "running" }],
      [() => experiment.tell("error", { error: "out", meta: {} }), { status: "error" }],
      [() => system.acme.open(slug, "another text"), { status: "error", points: 3 }],
    ];
    for (const [happen, expected] of happenings) {
      const revision = await revisionOf(system.acme, experimentId);
      const body = { experiments: [seen(experimentId, revision)], waitMs: long };
      const [reply] = await Promise.all([changes(system, body), later(happen)]);
      assert.partialDeepStrictEqual(reply.experiments, [{ experimentId, ...expected }]);
      assert.ok(reply.experiments[0].revision > revision);
    }
  });

  test("nothing is told where nothing changed: a repeated point, another experiment", async () => {
    const experiment = await system.acme.open();
    const other = await system.acme.open();
    const point = experiment.metric();
    await experiment.send(point);
    const revision = await revisionOf(system.acme, experiment.experimentId);
    const body = { experiments: [seen(experiment.experimentId, revision)], waitMs: 1_000 };
    const [reply] = await Promise.all([
      changes(system, body),
      later(() => experiment.send(point)),
      later(() => other.send(other.metric())),
    ]);
    assert.deepEqual([reply.experiments, reply.openedExperiments], [[], 0]);
  });

  test("of several only those are told that changed", async () => {
    const all = await Promise.all([1, 2, 3].map(() => system.acme.open()));
    const experiments: ChangesBody["experiments"] = [];
    for (const { experimentId } of all) {
      experiments.push(seen(experimentId, await revisionOf(system.acme, experimentId)));
    }
    // The last entry of a repeated id counts.
    experiments.unshift(seen(all[0].experimentId, 0));
    const happen = () => all[1].send(all[1].metric());
    const [reply] = await Promise.all([
      changes(system, { experiments, waitMs: long }),
      later(happen),
    ]);
    assert.deepEqual(
      reply.experiments.map(({ experimentId }) => experimentId),
      [all[1].experimentId],
    );
  });

  test("experiments that are opened are counted from one reply to the next", async () => {
    const { opened } = await changes(system, { experiments: [], waitMs: 0 });
    const [first] = await Promise.all([
      changes(system, { experiments: [], opened, waitMs: long }),
      later(() => system.acme.open("counted")),
    ]);
    assert.deepEqual([first.experiments, first.openedExperiments], [[], 1]);
    // Opened again it is no new one.
    await system.acme.open("counted");
    await system.acme.open();
    await system.acme.open();
    const second = await changes(system, { experiments: [], opened: first.opened, waitMs: long });
    assert.equal(second.openedExperiments, 2);
  });

  test("an unknown experiment and another organization's are nothing, also when they change", async () => {
    for (const [we, they] of [
      [system.acme, system.rival],
      [system.rival, system.acme],
    ] as const) {
      const theirs = await they.open();
      const { opened } = await changes(system, { experiments: [], waitMs: 0 }, we);
      const experiments = [theirs.experimentId, "unknown", "'"].map((id) => seen(id, 0));
      const [reply] = await Promise.all([
        changes(system, { experiments, opened, waitMs: 1_000 }, we),
        later(() => theirs.send(theirs.metric())),
        later(() => they.open()),
      ]);
      const asked = await changes(system, { experiments, opened, waitMs: 0 }, we);
      for (const each of [reply, asked])
        assert.deepEqual(each, { experiments: [], opened, openedExperiments: 0 });
    }
  });

  test("whoever is signed out while they wait is told nothing", async () => {
    const experiment = await system.acme.open();
    const credential = await signIn(system, "max");
    const revision = await revisionOf(system.acme, experiment.experimentId);
    const body = { experiments: [seen(experiment.experimentId, revision)], waitMs: long };
    const [reply] = await Promise.all([
      post(system, credential, body),
      later(async () => {
        const path = "/api/v1/sessions";
        const ended = await observed(system, { method: "DELETE", path, credential });
        assert.equal(ended.status, 204);
        await experiment.send(experiment.metric());
      }),
    ]);
    assert.equal(reply.status, 401, reply.text);
  });

  test("and so is whoever acts for another organization by then", async () => {
    const experiment = await system.acme.open();
    const credential = await signIn(system, "bo", "acme");
    const revision = await revisionOf(system.acme, experiment.experimentId);
    const body = { experiments: [seen(experiment.experimentId, revision)], waitMs: long };
    const [reply] = await Promise.all([
      post(system, credential, body),
      later(async () => {
        const path = "/api/v1/sessions";
        const organization = { organization: "rival" };
        await observed(system, { method: "PATCH", path, credential, body: organization });
        await experiment.send(experiment.metric());
      }),
    ]);
    assert.equal(reply.status, 403, reply.text);
  });

  test("what is asked wrongly is refused with a sentence", async () => {
    const wrong: [unknown, RegExp][] = [
      [{ experiments: [], waitMs: 25_001 }, /waitMs/],
      [{ experiments: [], waitMs: -1 }, /waitMs/],
      [{ experiments: [] }, /waitMs/],
      [{ experiments: [{ experimentId: "a" }], waitMs: 0 }, /revision/],
      [{ experiments: [seen("a", 1.5)], waitMs: 0 }, /revision/],
      [{ experiments: Array.from({ length: 501 }, () => seen("a", 1)), waitMs: 0 }, /experiments/],
      [{ experiments: [], waitMs: 0, opened: "1 OR 1" }, /`opened` must be that of a reply/],
      [{ experiments: [], waitMs: 0, fields: [] }, /fields/],
    ];
    for (const [body, sentence] of wrong) {
      const reply = await post(system, system.acme.credential, body);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, sentence);
    }
    const { token } = await system.acme.open();
    const reply = await post(system, token, { experiments: [], waitMs: 0 });
    assert.equal(reply.status, 401);
  });
});

topic(
  "changes, while the service stops",
  (system) => {
    test("who waits is answered before the service ends", async () => {
      const { experimentId } = await system.acme.open();
      const revision = await revisionOf(system.acme, experimentId);
      const body = { experiments: [seen(experimentId, revision)], waitMs: long };
      const [reply, exit] = await Promise.all([
        changes(system, body),
        later(() => system.service.stop()),
      ]);
      assert.deepEqual([reply.experiments, exit], [[], 0]);
      await system.service.start();
    });
  },
  { alone: true },
);

function seen(experimentId: string, revision: number): ChangesBody["experiments"][number] {
  return { experimentId, revision };
}

/** Something that happens while a request waits, as a rule; before or after it the same is true. */
async function later<Result>(happen: () => Promise<Result>): Promise<Result> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return happen();
}

function post(system: System, credential: string, body: unknown): Promise<HttpReply> {
  return observed(system, { path: "/api/views/v1/changes", credential, body });
}

async function changes(
  system: System,
  body: ChangesBody,
  { credential }: OrganizationCaller = system.acme,
): Promise<ChangesReply> {
  return ok<ChangesReply>(await post(system, credential, body));
}

async function revisionOf(caller: OrganizationCaller, experimentId: string): Promise<number> {
  const data = await caller.ask("query.revisions", { experimentIds: [experimentId] });
  return (data.experiments as unknown as { revision: number }[])[0].revision;
}

/** Lines of the console, or only one that has not ended. */
function print(
  system: System,
  { experimentId, token: credential }: ExperimentCaller,
  texts: readonly string[],
): Promise<HttpReply> {
  const lines = texts.map((text) => ({ timestampMs: 1, stream: "stdout", text }));
  const open = [{ stream: "stdout", text: "12%" }];
  const body = { source: { id: "p" }, first: texts.length > 0 ? 0 : 1, lines, open };
  const path = `/api/console/v1/experiments/${experimentId}/lines`;
  return observed(system, { path, credential, body });
}
