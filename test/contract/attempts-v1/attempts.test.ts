import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  Attempt,
  AttemptState,
  ReadAttemptsReply,
  ReportAttemptBody,
  TableReply,
} from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { runVerify } from "../../crash/verify-command.ts";
import type { HttpReply } from "../../http.ts";
import { type ExperimentCaller, observed } from "../callers.ts";
import { signIn } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { askTrash, entriesOf, trashed, untilGone } from "../trash-v1/trash-calls.ts";

const minute = 60_000;
const silentMs = limits.attemptSilentMs;
type End = NonNullable<ReportAttemptBody["end"]>;

topic("attempts of a run", (system) => {
  test("what a process says of itself is read back, with its times by the service's clock", async () => {
    const experiment = await system.acme.open();
    const process = {
      id: "p0",
      rank: 0,
      ranks: 1,
      host: "node-1",
      processId: 4711,
      bootId: "b",
      launches: [{ by: "slurm", id: "99", restart: 0 }],
      variables: [{ name: "SLURM_JOB_ID", value: "99" }],
      fromStep: 5,
    };
    const body = { attempt: "a", process, beganAgoMs: 10 * minute, beatAgoMs: 0, toStep: 70 };
    assert.deepEqual(await report(system, experiment, body), { nextBeatMs: limits.attemptBeatMs });
    const { attempts, nowMs, total, silentAfterMs } = await read(system, experiment);
    assert.deepEqual([total, silentAfterMs], [1, silentMs]);
    const [{ beganAtMs, beatAtMs, sinceMs, processes, ...attempt }] = attempts;
    assert.deepEqual(attempt, { attempt: 1, id: "a", state: "running", fromStep: 5, toStep: 70 });
    assert.deepEqual([sinceMs, beatAtMs - beganAtMs], [beganAtMs, 10 * minute]);
    assert.ok(beatAtMs <= nowMs && nowMs - beatAtMs < minute);
    assert.deepEqual(processes, [
      { ...process, toStep: 70, state: "running", beganAtMs, beatAtMs },
    ]);
  });

  /** The model of states: what is reported of each process, in order, and what it means. */
  const finished = { how: "finished", agoMs: 0, evidence: ["finish"] } as const satisfies End;
  const killed = { how: "killed", signal: 9, agoMs: 0, evidence: [] } satisfies End;
  const failed = { how: "exited", exitCode: 3, agoMs: 0, evidence: [] } satisfies End;
  const gone = { how: "gone", agoMs: 0, evidence: [] } satisfies End;
  const states: [told: string, processes: Partial<ReportAttemptBody>[][], state: AttemptState][] = [
    ["lives", [[{}]], "running"],
    ["was heard of lately", [[{ beatAgoMs: silentMs - 20_000 }]], "running"],
    ["was not heard of lately", [[{ beatAgoMs: silentMs }]], "silent"],
    ["is heard of again", [[{ beatAgoMs: silentMs }, {}]], "running"],
    ["a late report is no newer beat", [[{}, { beatAgoMs: silentMs }]], "running"],
    ["finished", [[{}, { end: finished }]], "finished"],
    ["failed", [[{ end: failed }]], "exited"],
    ["killed", [[{}, { end: killed }]], "killed"],
    ["gone", [[{}, { end: gone }]], "gone"],
    ["nothing of an end is taken back", [[{ end: killed }, {}, { end: finished }]], "killed"],
    ["but more may become known", [[{ end: gone }, { end: finished }]], "finished"],
    ["a rank lives", [[{ end: failed }], [{}]], "running"],
    ["a rank is silent, others ended", [[{ end: finished }], [{ beatAgoMs: silentMs }]], "silent"],
    ["a rank is silent, another lives", [[{ beatAgoMs: silentMs }], [{}]], "running"],
    ["all finished", [[{ end: finished }], [{ end: finished }]], "finished"],
    ["the worst decides", [[{ end: finished }], [{ end: failed }], [{ end: killed }]], "killed"],
    ["a failure before the unknown", [[{ end: gone }], [{ end: failed }]], "exited"],
  ];
  for (const [told, processes, state] of states) {
    test(`${told}: ${state}`, async () => {
      const experiment = await system.acme.open();
      for (const [rank, reports] of processes.entries())
        for (const more of reports) await report(system, experiment, { ...of("a", rank), ...more });
      const [attempt] = (await read(system, experiment)).attempts;
      assert.equal(attempt.state, state);
      assert.equal(attempt.processes.length, processes.length);
      const [row] = await rows(system, experiment);
      assert.deepEqual(
        [row.liveness?.state, row.liveness?.attempts, row.liveness?.sinceMs, row.status],
        [state, 1, attempt.sinceMs, "running"],
      );
      assert.deepEqual(
        [row.liveness?.exitCode, row.liveness?.signal, row.liveness?.beatAtMs],
        [attempt.exitCode, attempt.signal, attempt.beatAtMs],
      );
      assert.equal((await rows(system, experiment, `state = ${state}`)).length, 1);
      assert.equal((await rows(system, experiment, `not state = ${state}`)).length, 0);
    });
  }

  test("an end has its evidence, and reports sent again change nothing", async () => {
    const experiment = await system.acme.open();
    const end = { ...failed, agoMs: minute, error: "ValueError: no", evidence: ["It said so."] };
    const body = { ...of("a"), beganAgoMs: 2 * minute, beatAgoMs: minute, end };
    await report(system, experiment, body);
    const first = await read(system, experiment);
    const { revision } = (await rows(system, experiment))[0];
    for (let again = 0; again < 3; again++) await report(system, experiment, body);
    const { attempts } = await read(system, experiment);
    assert.deepEqual(attempts, first.attempts);
    assert.equal((await rows(system, experiment))[0].revision, revision);
    const [{ state, exitCode, error, endedAtMs, beganAtMs, processes }] = attempts;
    assert.deepEqual([state, exitCode, error], ["exited", 3, "ValueError: no"]);
    assert.equal(endedAtMs! - beganAtMs, minute);
    const { agoMs: _, ...kept } = end;
    assert.deepEqual(processes[0].end, { atMs: endedAtMs, ...kept });
  });

  test("a launcher that starts it again has preempted it, and anybody else goes on", async () => {
    const experiment = await system.acme.open();
    const slurm = (restart: number) => ({ launches: [{ by: "slurm", id: "7", restart }] });
    const terminated = { ...killed, signal: 15 };
    const told: [string, object, End | undefined, number][] = [
      ["a0", slurm(0), terminated, 50],
      ["a1", slurm(1), killed, 40],
      ["a2", slurm(2), undefined, 30],
      ["a3", slurm(2), terminated, 20],
      ["a4", { launches: [{ by: "slurm", id: "8", restart: 3 }] }, finished, 10],
    ];
    // In whatever order they arrive: a recording without a network comes late.
    for (const [attempt, about, end, agoMinutes] of told.toReversed()) {
      const agoMs = agoMinutes * minute;
      await report(system, experiment, {
        attempt,
        process: { id: attempt, ...about },
        beganAgoMs: agoMs,
        beatAgoMs: agoMs,
        ...(end && { end: { ...end, agoMs } }),
      });
    }
    const { attempts } = await read(system, experiment);
    const next = ({ next: after }: Attempt) => after && [after.attempt, after.by];
    assert.deepEqual(
      attempts.map((attempt) => [attempt.attempt, attempt.id, attempt.state, next(attempt)]),
      [
        [1, "a0", "preempted", [2, "slurm"]],
        [2, "a1", "killed", [3, "slurm"]],
        [3, "a2", "silent", [4, undefined]],
        [4, "a3", "killed", [5, undefined]],
        [5, "a4", "finished", undefined],
      ],
    );
    const [{ liveness }] = await rows(system, experiment);
    assert.deepEqual([liveness?.attempts, liveness?.state], [5, "finished"]);
    const { attempts: newest, total } = await read(system, experiment, { limit: 2 });
    assert.deepEqual([newest.map(({ id }) => id), total], [["a3", "a4"], 5]);
    assert.equal((await rows(system, experiment, "attempts > 4")).length, 1);
    assert.equal((await rows(system, experiment, "attempts > 5")).length, 0);
  });

  test("what is silent is judged by beats where there are any", async () => {
    const experiment = await system.acme.open();
    await experiment.tell("start");
    const silent = () => rows(system, experiment, "silent < 1h");
    await report(system, experiment, of("a"));
    assert.equal((await silent()).length, 1);
    assert.equal((await rows(system, experiment, "silent > 1h")).length, 0);
    const sorted = await rows(system, experiment, "", [{ field: "silent" }, { field: "state" }]);
    assert.equal(sorted.length, 1);
  });

  test("beats wake nobody; a begin, an end and a return do", async () => {
    const experiment = await system.acme.open();
    const revision = async () => (await rows(system, experiment))[0].revision;
    const changes = async (body: ReportAttemptBody) => {
      const before = await revision();
      await report(system, experiment, body);
      return (await revision()) > before;
    };
    const beat = of("a");
    assert.equal(await changes({ ...beat, beatAgoMs: silentMs + minute }), true);
    assert.equal(await changes({ ...beat, beatAgoMs: silentMs - 20_000 }), true);
    assert.equal(await changes(beat), false);
    const { experimentId } = experiment;
    const seen = { experiments: [{ experimentId, revision: await revision() }], waitMs: 20_000 };
    const woken = post(system, "/api/views/v1/changes", system.acme.credential, seen);
    await report(system, experiment, beat);
    await report(system, experiment, { ...beat, end: killed });
    const reply = await woken;
    assert.equal(reply.status, 200, reply.text);
    const [{ liveness }] = (
      JSON.parse(reply.text) as TableReply & { experiments: TableReply["rows"] }
    ).experiments;
    assert.deepEqual([liveness?.state, liveness?.signal], ["killed", 9]);
    assert.equal(await changes(beat), false);
  });

  test("wrong reports are refused, and change nothing", async () => {
    const experiment = await system.acme.open();
    const bad: [object, RegExp][] = [
      [{ ...of("a"), beatAgoMs: -1 }, /beatAgoMs/],
      [{ ...of("a"), attempt: "two words" }, /attempt/],
      [{ ...of("a"), end: { ...killed, how: "crashed" } }, /how/],
      [{ ...of("a"), end: { ...killed, signal: 0 } }, /signal/],
      [{ ...of("a"), more: 1 }, /more/],
    ];
    for (const [body, sentence] of bad) {
      const reply = await post(system, pathOf(experiment), experiment.token, body);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, sentence);
    }
    const other = await system.acme.open();
    const foreign = await post(system, pathOf(experiment), other.token, of("a"));
    assert.equal(foreign.status, 401, foreign.text);
    assert.deepEqual((await read(system, experiment)).attempts, []);
    const path = "/api/attempts/v1/read";
    const body = { experimentId: experiment.experimentId };
    const strange = await post(system, path, system.rival.credential, body);
    assert.equal(strange.status, 404, strange.text);
    const [row] = await rows(system, experiment);
    assert.equal(row.liveness, undefined);
  });
});

topic(
  "attempts of a purged run",
  (system) => {
    test("go with it, and are counted while they are there", async () => {
      const kept = await system.acme.open();
      const purged = await system.acme.open();
      const end: End = { how: "gone", agoMs: 0, evidence: ["grün"] };
      for (const experiment of [kept, purged]) {
        await report(system, experiment, of("a", 0));
        await report(system, experiment, { ...of("a", 1), end });
      }
      const [{ id }] = await trashed(system, purged.experimentId);
      const late = await post(system, pathOf(purged), purged.token, of("a", 2));
      assert.equal(late.status, 401, late.text);
      const credential = await signIn(system, "ada");
      await entriesOf(askTrash(system, "purge", { body: { ids: [id] }, credential }));
      await untilGone(system, [id]);
      assert.equal(await system.service.stop(), 0);
      const { code, output } = await runVerify(system.service);
      assert.equal(code, 0, output);
      await system.service.start();
      const [attempt] = (await read(system, kept)).attempts;
      assert.deepEqual(
        attempt.processes.map(({ state }) => state),
        ["running", "gone"],
      );
    });
  },
  { alone: true },
);

/** A report that the process of a rank lives. */
function of(attempt: string, rank = 0): ReportAttemptBody {
  const process = { id: `${attempt}-${rank}`, rank };
  return { attempt, process, beganAgoMs: 10 * minute, beatAgoMs: 0 };
}

function pathOf({ experimentId }: ExperimentCaller): string {
  return `/api/attempts/v1/experiments/${experimentId}/report`;
}

async function report(
  system: System,
  experiment: ExperimentCaller,
  body: ReportAttemptBody,
): Promise<unknown> {
  const reply = await post(system, pathOf(experiment), experiment.token, body);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text);
}

async function read(
  system: System,
  { experimentId }: ExperimentCaller,
  more: { limit?: number } = {},
): Promise<ReadAttemptsReply> {
  const body = { experimentId, ...more };
  const reply = await post(system, "/api/attempts/v1/read", system.acme.credential, body);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as ReadAttemptsReply;
}

/** The experiment's row of the table, if a query finds it. */
async function rows(
  system: System,
  { experimentId }: ExperimentCaller,
  query = "",
  sort: { field: string }[] = [],
): Promise<TableReply["rows"]> {
  const own = `id = ${JSON.stringify(experimentId)}`;
  const body = { query: query === "" ? own : `${own} and ${query}`, sort, limit: 10 };
  const reply = await post(system, "/api/views/v1/experiments", system.acme.credential, body);
  assert.equal(reply.status, 200, reply.text);
  return (JSON.parse(reply.text) as TableReply).rows;
}

function post(system: System, path: string, credential: string, body: unknown): Promise<HttpReply> {
  return observed(system, { path, credential, body });
}
