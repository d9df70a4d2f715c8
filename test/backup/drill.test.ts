import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { signIn } from "../contract/people.ts";
import { askTrash, entriesOf } from "../contract/trash-v1/trash-calls.ts";
import { Writer } from "../contract/writer.ts";
import { runVerify } from "../crash/verify-command.ts";
import { targetOf } from "../contract/callers.ts";
import { call } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { Room } from "./room.ts";
import {
  answerOf,
  artifactsOf,
  backUp,
  callerOf,
  contentOf,
  paint,
  pictureOf,
  sealingSoon,
  lossless,
  pointsOf,
  Recorder,
  revisionOf,
} from "./recorded.ts";

suite("a backup beside the running service, and its restore", () => {
  test("M63: holds every point that was acknowledged before it, after a kill -9 too", async () => {
    await using room = await Room.make();
    const { service, place } = room;
    const recorders = await Promise.all(["one", "two"].map((slug) => Recorder.open(service, slug)));
    const writer = await Writer.open(artifactsOf(service), "models/best");
    await writer.write("v1", { "model.bin": Buffer.from("weights of the first") });
    for (const recorder of recorders) await recorder.send(12);
    await paint(service, recorders[0], "models/best");
    const { experimentId } = recorders[0].experiment;
    const picture = await pictureOf(service, experimentId, "models/best");
    for (const recorder of recorders) recorder.begin();
    const before = recorders.map(({ acknowledged }) => acknowledged);
    const made = await backUp(service, place);
    assert.deepEqual(made.problems, []);
    const after = recorders.map(({ acknowledged }) => acknowledged);
    const revisions = await Promise.all(
      recorders.map(({ experiment }) => revisionOf(service, experiment.experimentId)),
    );
    await writer.write("v2", { "model.bin": Buffer.from("weights of the second") });
    await service.kill();
    await Promise.all(recorders.map((recorder) => recorder.stop()));

    await using restored = await room.restored();
    // Points that came later have moved the time of the last change alone.
    const again = await pictureOf(restored, experimentId, "models/best");
    assert.deepEqual(stilled(again), stilled(picture));
    let stored = 0;
    for (const [index, { experiment }] of recorders.entries()) {
      const points = await pointsOf(restored, experiment.experimentId);
      stored += points;
      // A request more may be stored that was not answered yet.
      assert.ok(points >= before[index] && points <= after[index] + 100, `${points} points`);
      const { token, slug } = experiment;
      const old = callerOf(restored)
        .open(slug)
        .then((again) => again.withToken(token));
      const reply = await (await old).post([(await old).metric({ step: 1e6 })]);
      assert.equal(reply.status, 401, "a token of before");
      assert.ok((await revisionOf(restored, experiment.experimentId)) > revisions[index]);
    }
    assert.equal(stored, made.generation.points);
    assert.equal(await contentOf(restored, "models/best"), "weights of the first");
    // The writer of before is fenced, and so is whoever opened the artifact after the backup.
    const late = new Writer(artifactsOf(restored), "models/best", writer.epoch);
    const refused = await late.tryBegin("v3");
    assert.equal(refused.status, 409, refused.text);
    assert.equal((JSON.parse(refused.text) as { error: string }).error, "superseded");
    const next = await Writer.open(artifactsOf(restored), "models/best", "latest");
    assert.ok(next.epoch > writer.epoch);
    await next.write("v2", { "model.bin": Buffer.from("weights of another second") });
    assert.equal(await contentOf(restored, "models/best"), "weights of another second");
    assert.equal(await restored.stop(), 0);
    const { code, output } = await runVerify(restored);
    assert.equal(code, 0, output);
  });

  test("a recorder goes on after a restore, and its points are stored once", async () => {
    await using room = await Room.make();
    const recorder = await Recorder.open(room.service, "goes-on");
    await recorder.send(3);
    const { experiment } = recorder;
    await experiment.send(experiment.metric({ metricName: "acc" }, "acc"));
    const inTrash = { experimentId: experiment.experimentId, seriesNames: ["acc"] };
    const [{ id }] = await entriesOf(askTrash(targetOf(room.service), "series", { body: inTrash }));
    await backUp(room.service, room.place);
    await room.service.kill();
    await using restored = await room.restored();
    const { slug, experimentId } = recorder.experiment;
    const again = await callerOf(restored).open(slug);
    assert.equal(again.experimentId, experimentId);
    // Repeated points are known by their identifiers, new ones are stored.
    const [known] = await again.send(
      again.metric({ step: 100, metricValue: Math.sin(100) }, "drill-100"),
    );
    const [fresh] = await again.send(
      again.metric({ step: 300, metricValue: Math.sin(300) }, "drill-300"),
    );
    assert.deepEqual(
      [known, fresh].map(({ data }) => data.deduplicated),
      [true, false],
    );
    assert.equal(await pointsOf(restored, experimentId), 301);
    await entriesOf(askTrash(targetOf(restored), "restore", { body: { ids: [id] } }));
    const acc = await callerOf(restored).oneSeries(experimentId, "acc");
    assert.equal(acc.done.points, 1, "what was in the trash is there, too");
  });

  test("each backup is a state that can be restored; by id, and by time", async () => {
    await using room = await Room.make();
    const recorder = await Recorder.open(room.service, "states");
    const states: { id: string; points: number }[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await recorder.send(2);
      const { generation } = await backUp(room.service, room.place);
      states.push({ id: generation.id, points: recorder.acknowledged });
    }
    const found = await answerOf<{ id: string; points: number; takenAtMs: number }[]>(
      "backup",
      "list",
      room.place,
    );
    assert.deepEqual(
      found.map(({ id, points }) => ({ id, points })),
      states,
    );
    await using restored = await room.restored("--id", states[0].id);
    assert.equal(await pointsOf(restored, recorder.experiment.experimentId), states[0].points);
    const takenAtMs = found.map((one) => one.takenAtMs);
    // The middle between both: the newest that was taken until then is the first.
    const between = new Date(Math.floor((takenAtMs[0] + takenAtMs[1]) / 2)).toISOString();
    await using until = await room.restored("--until", between);
    assert.equal(await pointsOf(until, recorder.experiment.experimentId), states[0].points);
    const { stdout, code } = await lossless(
      "restore",
      room.place,
      join(room.directory, "never"),
      "--until",
      "2020-01-01T00:00:00Z",
    );
    assert.equal(code, 2, stdout);
  });

  test("sessions and personal tokens are ended and counted; API keys, too, when asked", async () => {
    await using room = await Room.make({ people: true });
    const target = { baseUrl: room.service.baseUrl, observe: () => undefined };
    const session = await signIn(target, "max");
    const { text } = await call(target.baseUrl, {
      method: "POST",
      path: "/api/sign-on/v1/tokens",
      credential: session,
      body: { name: "a job", scope: "write", days: 30 },
    });
    const { secret } = JSON.parse(text) as { secret: string };
    await backUp(room.service, room.place);
    const asks = async ({ baseUrl }: Service, credential: string) =>
      (await call(baseUrl, { path: "/api/v1/whoami", credential })).status;
    const { key } = organizations.acme;
    for (const credential of [session, secret, key]) {
      assert.equal(await asks(room.service, credential), 200);
    }
    const directory = mkdtempSync(join(room.directory, "revoked-"));
    await using restored = new Service({ ...sealingSoon, directory, keys: new Map() });
    const { ended } = await answerOf<{ ended: Record<string, number> }>(
      "restore",
      room.place,
      restored.dataDirectory,
      "--revoke-keys",
    );
    const { personalTokens, sessions, apiKeys } = ended;
    assert.deepEqual(
      { personalTokens, sessions, apiKeys },
      { personalTokens: 1, sessions: 1, apiKeys: 0 },
    );
    await restored.start();
    for (const credential of [session, secret, key]) {
      assert.equal(await asks(restored, credential), 401);
    }
  });

  test("data of a newer version are left as they are, and a backup is the way back", async () => {
    await using room = await Room.make();
    const recorder = await Recorder.open(room.service, "upgraded");
    await recorder.send(2);
    await backUp(room.service, room.place);
    assert.equal(await room.service.stop(), 0);
    const file = join(room.service.dataDirectory, "lossless.db");
    {
      using database = new DatabaseSync(file);
      database.exec(
        "UPDATE installation SET value = '9999' WHERE name IN ('format', 'least_format')",
      );
    }
    const before = readFileSync(file);
    room.service.spawn();
    assert.equal(await room.service.exited, 4);
    assert.match(room.service.errors, /format 9999.*Nothing was changed/);
    const { code } = await lossless("backup", room.place, "--data", room.service.dataDirectory);
    assert.equal(code, 4);
    assert.ok(before.equals(readFileSync(file)));
    await using restored = await room.restored();
    assert.equal(await pointsOf(restored, recorder.experiment.experimentId), 200);
  });
});

function stilled(picture: object): unknown {
  return JSON.parse(
    JSON.stringify(picture, (name, value: unknown) =>
      /^(updatedAtMs|revision)$/.test(name) ? undefined : value,
    ),
  );
}
