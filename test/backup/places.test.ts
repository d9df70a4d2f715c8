import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { finished, start } from "../cli/command-line.ts";
import { Service } from "../service.ts";
import {
  answerOf,
  backUp,
  bytesIn,
  filesBelow,
  lossless,
  type MadeBackup,
  Recorder,
  sealed,
} from "./recorded.ts";
import { Room } from "./room.ts";

const keyText = (digit: string) => `${digit.repeat(64)}\n`;

suite("places of backups", () => {
  test("a second backup stores what is new, and pruning removes what nothing else has", async () => {
    await using room = await Room.make();
    const { service, place } = room;
    const recorder = await Recorder.open(service, "grows");
    await recorder.send(40);
    await sealed(service);
    const first = await backUp(service, place);
    const bytesAfterFirst = bytesIn(place);
    await recorder.send();
    const second = await backUp(service, place);
    const grown = bytesIn(place) - bytesAfterFirst;
    const segments = [...filesBelow(join(service.dataDirectory, "segments")).values()];
    const sealedBytes = segments.reduce((sum, bytes) => sum + bytes, 0);
    // The record of the backup is no piece.
    assert.ok(
      grown >= second.generation.added.bytes && grown < second.generation.added.bytes + 4096,
    );
    assert.ok(sealedBytes > 50_000, "segments");
    assert.ok(second.generation.added.bytes < first.generation.added.bytes);

    const { removed } = await answerOf<{ removed: string[] }>("backup", "prune", place, "--keep=1");
    assert.deepEqual(removed, [first.generation.id]);
    assert.ok(bytesIn(place) < bytesAfterFirst + grown);
    const { code, stdout } = await lossless("verify", "--backup", place);
    assert.equal(code, 0, stdout);
    const kept = await backUp(service, place, "--keep", "5", "--keep-days", "1");
    const left = await answerOf<{ id: string }[]>("backup", "list", place);
    assert.deepEqual(
      left.map(({ id }) => id),
      [second.generation.id, kept.generation.id],
    );
  });

  test("an encrypted backup shows nothing, and opens with its key only", async () => {
    await using room = await Room.make();
    const { service, place, directory } = room;
    const recorder = await Recorder.open(service, "a-slug-that-is-a-secret");
    await recorder.send();
    const [right, wrong] = ["right", "wrong"].map((name) => join(directory, `${name}.key`));
    writeFileSync(right, keyText("a"), { mode: 0o600 });
    writeFileSync(wrong, keyText("b"), { mode: 0o600 });
    const masterKey = readFileSync(join(service.dataDirectory, "master.key"), "utf8").trim();
    const plain = await lossless(
      "backup",
      place,
      "--data",
      service.dataDirectory,
      "--with-master-key",
    );
    assert.equal(plain.code, 2, "the master key in the open");
    await backUp(service, place, "--backup-key-file", right, "--with-master-key");
    const key = readFileSync(right, "utf8").trim();
    for (const name of filesBelow(place).keys()) {
      const content = readFileSync(join(place, name));
      for (const secret of ["a-slug-that-is-a-secret", masterKey, key, "SQLite format"]) {
        assert.ok(!content.includes(secret), `${name} shows ${secret}`);
      }
      assert.ok(!content.includes(Buffer.from(key, "hex")));
    }
    const target = join(directory, "restored");
    for (const words of [[], ["--backup-key-file", wrong]]) {
      const { code, stderr } = await lossless("restore", place, target, ...words);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /--backup-key-file/);
      assert.ok(!existsSync(target));
    }
    await answerOf("restore", place, target, "--backup-key-file", right);
    assert.equal(readFileSync(join(target, "master.key"), "utf8").trim(), masterKey);
    const { code, stdout } = await lossless("verify", "--data", target);
    assert.equal(code, 0, stdout);
  });

  test("a flipped bit, a cut and a missing piece are found, and are not restored", async () => {
    await using room = await Room.make();
    const { service, place, directory } = room;
    const recorder = await Recorder.open(service, "damaged");
    await recorder.send(10);
    await backUp(service, place);
    for (const words of [
      ["--until", "2026-11-23"],
      ["--backup", place, "--data", place],
    ]) {
      const { code, stderr } = await lossless("verify", ...words);
      assert.deepEqual([code, / goes with(out)? --backup\n$/.test(stderr)], [2, true], stderr);
    }
    const intact = await lossless("verify", "--backup", place);
    assert.equal(intact.code, 0, intact.stdout);
    const largest = [...filesBelow(join(place, "pieces"))].sort((a, b) => b[1] - a[1])[0];
    const path = join(place, "pieces", largest[0]);
    const content = readFileSync(path);
    const faults: Record<string, () => void> = {
      "a flipped bit": () => {
        const flipped = Buffer.from(content);
        flipped[Math.floor(content.length / 2)] ^= 1;
        writeFileSync(path, flipped);
      },
      "a cut": () => truncateSync(path, content.length - 1),
      "a missing piece": () => rmSync(path),
    };
    for (const [name, plant] of Object.entries(faults)) {
      plant();
      const target = join(directory, "restored");
      const verified = await lossless("verify", "--backup", place);
      assert.equal(verified.code, 5, `${name}: ${verified.stdout}${verified.stderr}`);
      const { code, stderr } = await lossless("restore", place, target);
      assert.equal(code, 5, name);
      assert.match(stderr, /of the backup is/);
      assert.deepEqual(
        [...filesBelow(target).keys()].filter((one) => !one.startsWith("lock.db")),
        [],
      );
      writeFileSync(path, content);
    }
    // A record that is damaged hides no other one.
    const [record] = filesBelow(join(place, "generations")).keys();
    writeFileSync(join(place, "generations", record), "nothing");
    const again = await backUpWith(5, service, place);
    const listed = await lossless("backup", "list", place, "--json");
    assert.equal(listed.code, 5);
    assert.deepEqual(
      (JSON.parse(listed.stdout) as { id: string }[]).map(({ id }) => id),
      [again],
    );
    // The next backup stores again what is missing or cut.
    rmSync(path);
    await backUp(service, place);
    await answerOf("restore", place, join(directory, "restored"));
  });

  test("a backup that is cut short leaves the others whole, and nothing behind", async () => {
    await using room = await Room.make();
    const { service, place } = room;
    const recorder = await Recorder.open(service, "cut-short");
    await recorder.send(20);
    const { generation } = await backUp(service, place);
    await recorder.send(20);
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const slow = ["--data", service.dataDirectory, "--max-bytes-per-second", "100kB"];
      const child = start("", ["backup", place, ...slow]);
      const ended = finished(child);
      while (stagingsOf(service).length === 0) await sleep(20);
      child.kill(signal);
      assert.notEqual((await ended).code, 0);
      assert.equal(stagingsOf(service).length, signal === "SIGINT" ? 0 : 1);
      const left = await answerOf<{ id: string }[]>("backup", "list", place);
      assert.deepEqual(
        left.map(({ id }) => id),
        [generation.id],
      );
      const { code, stdout } = await lossless("verify", "--backup", place);
      assert.equal(code, 0, stdout);
    }
    await backUp(service, place);
    assert.deepEqual(stagingsOf(service), []);
  });

  test("two backups at once to one directory: the second is refused", async () => {
    await using room = await Room.make();
    const { service, place } = room;
    await backUp(service, place);
    const slow = ["--data", service.dataDirectory, "--max-bytes-per-second", "100kB"];
    const child = start("", ["backup", place, ...slow]);
    const ended = finished(child);
    while (stagingsOf(service).length === 0) await sleep(20);
    const { code, stderr } = await lossless("backup", place, "--data", service.dataDirectory);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /in use/);
    child.kill("SIGINT");
    await ended;
  });

  test("what would mix or overwrite is refused", async () => {
    await using room = await Room.make();
    const { service, place, directory } = room;
    const data = ["--data", service.dataDirectory];
    await backUp(service, place);
    const refused = async (sentence: RegExp, ...words: string[]) => {
      const { code, stderr } = await lossless(...words);
      assert.equal(code, 2, stderr);
      assert.match(stderr, sentence);
    };
    await refused(/must not be in/, "backup", join(service.dataDirectory, "backups"), ...data);
    const other = join(directory, "other-things");
    mkdirSync(other);
    writeFileSync(join(other, "letter.txt"), "Dear");
    await refused(/contains other files/, "backup", other, ...data);
    await refused(/is not empty/, "restore", place, other);
    // The home of the service's user, and a disk of its own.
    const home = join(directory, "home");
    for (const name of [".cache", "lost+found"]) mkdirSync(join(home, name), { recursive: true });
    assert.equal((await lossless("restore", place, home)).code, 0);
    await refused(/There are no backups/, "restore", other, join(directory, "new"));
    await refused(/There is no directory/, "backup", "list", join(directory, "nowhere"));
    await refused(
      /not encrypted/,
      "backup",
      "list",
      place,
      "--backup-key-file",
      keyFileIn(directory),
    );
    await refused(
      /There is no backup 2019/,
      "restore",
      place,
      join(directory, "new"),
      "--id",
      "2019",
    );
    await using stranger = await Service.start();
    await refused(/another installation/, "backup", place, "--data", stranger.dataDirectory);
    assert.deepEqual(readdirSync(other), ["letter.txt"]);
    assert.ok(!existsSync(join(directory, "new")));
  });
});

/** A backup that is made, with something to tell; gives its id. */
async function backUpWith(exit: number, service: Service, place: string): Promise<string> {
  const { code, stdout } = await lossless(
    "backup",
    place,
    "--data",
    service.dataDirectory,
    "--json",
  );
  assert.equal(code, exit, stdout);
  return (JSON.parse(stdout) as MadeBackup).generation.id;
}

function stagingsOf(service: Service): string[] {
  return readdirSync(service.dataDirectory).filter((name) => name.startsWith("backup-in-work-"));
}

function keyFileIn(directory: string): string {
  const path = join(directory, "a.key");
  writeFileSync(path, keyText("c"), { mode: 0o600 });
  return path;
}
