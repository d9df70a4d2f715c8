import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { Writer } from "../contract/writer.ts";
import { runVerify } from "../crash/verify-command.ts";
import { Room } from "./room.ts";
import {
  answerOf,
  artifactsOf,
  backUp,
  callerOf,
  contentOf,
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
    await backUp(room.service, room.place);
    await room.service.kill();
    await using restored = await room.restored();
    const { slug, experimentId } = recorder.experiment;
    const again = await callerOf(restored).open(slug);
    assert.equal(again.experimentId, experimentId);
    // What is sent again under the same identifiers is known, what is new is stored.
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
  });

  test("each backup is a state that can be restored; API keys end when asked", async () => {
    await using room = await Room.make();
    const recorder = await Recorder.open(room.service, "states");
    const states: { id: string; points: number }[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await recorder.send(2);
      const { generation } = await backUp(room.service, room.place);
      states.push({ id: generation.id, points: recorder.acknowledged });
    }
    const found = await answerOf<{ id: string; points: number }[]>("backup", "list", room.place);
    assert.deepEqual(
      found.map(({ id, points }) => ({ id, points })),
      states,
    );
    await using restored = await room.restored("--id", states[0].id);
    assert.equal(await pointsOf(restored, recorder.experiment.experimentId), states[0].points);
    const other = join(room.directory, "other");
    const { stdout } = await lossless("restore", room.place, other, "--revoke-keys", "--json");
    const { ended } = JSON.parse(stdout) as { ended: { apiKeys: number } };
    assert.equal(ended.apiKeys, 0);
    const { stdout: until, code } = await lossless(
      "restore",
      room.place,
      join(room.directory, "never"),
      "--until",
      "2020-01-01T00:00:00Z",
    );
    assert.equal(code, 2, until);
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
      database.exec("UPDATE installation SET value = '9999' WHERE name = 'format'");
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
