import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { finished, start } from "../cli/command-line.ts";
import { Service } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import { pointsOf, Recorder, sealingSoon } from "./recorded.ts";
import { Room } from "./room.ts";

suite("backups in a bucket", () => {
  test("are made, listed, restored and pruned; a store that refuses leaves them as they are", async () => {
    await using store = await S3Double.start();
    await using room = await Room.make();
    const { service, directory } = room;
    const place = `s3://b/some/backups?endpoint=${store.endpoint}`;
    const key = join(directory, "backup.key");
    writeFileSync(key, `${"d".repeat(64)}\n`, { mode: 0o600 });
    const credentials = {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
      LOSSLESS_BACKUP_KEY_FILE: key,
    };
    const lossless = (...words: string[]) => finished(start("", [...words, "--json"], credentials));
    const data = ["--data", service.dataDirectory];
    const recorder = await Recorder.open(service, "in-a-bucket");
    const ids: string[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await recorder.send(6);
      const { code, stdout, stderr } = await lossless("backup", place, ...data);
      assert.equal(code, 0, stderr);
      ids.push((JSON.parse(stdout) as { generation: { id: string } }).generation.id);
    }
    const names = [...store.objects("b").keys()];
    assert.ok(
      names.every((name) => name.startsWith("some/backups/")),
      names[0],
    );
    await recorder.send();
    store.faults.add({ fault: "requestTimeTooSkewed", operation: "PutObject" });
    const refused = await lossless("backup", place, ...data);
    assert.equal(refused.code, 1, refused.stderr);
    store.faults.clear();
    const listed = await lossless("backup", "list", place);
    const found = JSON.parse(listed.stdout) as { id: string }[];
    assert.deepEqual(
      found.map(({ id }) => id),
      ids,
    );

    await using restored = new Service({ ...sealingSoon });
    const { code, stderr } = await lossless(
      "restore",
      place,
      restored.dataDirectory,
      "--id",
      ids[0],
    );
    assert.equal(code, 0, stderr);
    await restored.start();
    assert.equal(await pointsOf(restored, recorder.experiment.experimentId), 600);
    const pruned = await lossless("backup", "prune", place, "--keep", "1");
    // Pieces in a bucket stay a day: another backup might be using them.
    assert.deepEqual(JSON.parse(pruned.stdout), { removed: [ids[0]], pieces: 0, bytes: 0 });
    assert.equal((await lossless("verify", "--backup", place)).code, 0);
  });
});
