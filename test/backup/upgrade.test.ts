import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { finished } from "../cli/command-line.ts";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import { runVerify } from "../crash/verify-command.ts";
import { Service } from "../service.ts";
import {
  answerOf,
  backUp,
  callerOf,
  contentOf,
  lossless,
  pictureOf,
  pointsOf,
  Recorder,
} from "./recorded.ts";
import { Room } from "./room.ts";

/** The data directory of a service of commit 35f5bc74, format 12, with 1,200 points of a drill. */
const golden = join(import.meta.dirname, "golden/format-12.tar.gz");

suite("an upgrade with data of before", () => {
  test("all of it is there, sound, goes on, and comes back from a backup", async () => {
    const directory = mkdtempSync(join(tmpdir(), "lossless-upgrade-"));
    const made = (name: string) => {
      mkdirSync(join(directory, name));
      return join(directory, name);
    };
    await using service = new Service({ directory: made("upgraded") });
    const { dataDirectory } = service;
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    execFileSync("tar", ["-xzf", golden, "-C", dataDirectory]);
    const file = join(dataDirectory, "lossless.db");
    const before = readFileSync(file);
    // A backup of the new version would be no way back: the old one must make it.
    const place = join(directory, "backups");
    const early = await lossless("backup", place, "--data", dataDirectory);
    assert.equal(early.code, 2, early.stderr);
    assert.ok(before.equals(readFileSync(file)));

    await service.start();
    const { experiments } = await callerOf(service).ask("foldertree.read", {});
    const [{ experimentId }] = experiments as { experimentId: string }[];
    const meta = { lr: 0.1, nested: { layers: [1, 2, 3] }, name: "größe" };
    const isWhole = async (one: Service, points: number) => {
      assert.equal(await pointsOf(one, experimentId), points);
      assert.equal(await contentOf(one, "models/old"), "weights of before");
      const { record, annotations, folders, note } = await pictureOf(
        one,
        experimentId,
        "models/old",
      );
      assert.deepEqual(record.meta, meta);
      assert.match(JSON.stringify(annotations), /"warm-up ends\\n","meta":\{"at":100\}/);
      assert.match(JSON.stringify(folders), /"outer".*"inner"/);
      assert.equal(note, "kept");
    };
    await isWhole(service, 1_200);
    // The new version knows the points sent to the old one.
    const opened = await callerOf(service).open("before/upgrade", "", meta);
    assert.equal(opened.experimentId, experimentId);
    const point = (step: number) =>
      opened.metric({ step, metricValue: Math.sin(step) }, `drill-${step}`);
    const replies = await opened.send(point(100), point(1_200));
    assert.deepEqual(
      replies.map(({ data }) => data.deduplicated),
      [true, false],
    );
    await backUp(service, place);
    assert.equal(await service.stop(), 0);
    const { code, output } = await runVerify(service);
    assert.equal(code, 0, output);
    await using restored = new Service({ directory: made("restored") });
    await answerOf("restore", place, restored.dataDirectory);
    await restored.start();
    await isWhole(restored, 1_201);
    rmSync(directory, { recursive: true, force: true });
  });

  test("the version before backs up and restores what a newer one has only expanded", async () => {
    await using room = await Room.make();
    const recorder = await Recorder.open(room.service, "expanded");
    await recorder.send(2);
    assert.equal(await room.service.stop(), 0);
    const before = expanded(room.service);
    await room.service.start();
    await recorder.send(1);
    await backUp(room.service, room.place);
    await using restored = await room.restored();
    assert.equal(await pointsOf(restored, recorder.experiment.experimentId), 300);
    assert.equal(await restored.stop(), 0);
    assert.deepEqual(expansionOf(restored), before);
  });

  test("the version before refuses a backup of data that it could not work on", async () => {
    using newer = new PatchedCheckout([
      {
        file: "server/src/database/migrations.ts",
        find: "  ...shared,\n];",
        replace: `  ...shared,
          {
            kind: "contraction",
            leastFormat: alone.length + shared.length + 1,
            statements: () => [],
          },
        ];`,
      },
    ]);
    await using room = await Room.make({ checkout: newer.directory });
    const { dataDirectory } = room.service;
    assert.equal(await room.service.stop(), 0);
    const program = join(newer.directory, "cli/bin/lossless.js");
    const words = [program, "backup", room.place, "--data", dataDirectory];
    const made = await finished(spawn(process.execPath, words, { stdio: "pipe" }));
    assert.equal(made.code, 0, made.stderr);
    const target = join(room.directory, "target");
    const refused = await lossless("restore", room.place, target);
    assert.equal(refused.code, 4, refused.stderr);
    assert.match(refused.stderr, /Nothing was changed; start a newer version/);
    assert.ok(!existsSync(target));
  });
});

/** Does to a stopped service's database what a newer version might have done. */
function expanded(service: Service): unknown {
  {
    using database = new DatabaseSync(join(service.dataDirectory, "lossless.db"));
    database.exec(
      `ALTER TABLE head ADD COLUMN added INTEGER;
       UPDATE head SET added = 7;
       UPDATE installation SET value = value + 1 WHERE name = 'format'`,
    );
  }
  return expansionOf(service);
}

function expansionOf({ dataDirectory }: Service): unknown {
  using database = new DatabaseSync(join(dataDirectory, "lossless.db"));
  return database
    .prepare(
      "SELECT added, value AS format FROM head, installation WHERE installation.name = 'format'",
    )
    .all();
}
