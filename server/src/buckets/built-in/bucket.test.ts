import assert from "node:assert/strict";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { DatabaseError } from "../../database/database.ts";
import {
  ObjectExists,
  ObjectMissing,
  ObjectShort,
  type PartToSign,
  StoreError,
  UploadMissing,
} from "../bucket.ts";
import { SymbolicLink } from "./directory.ts";
import { directoryIdentity, identityFileName } from "./identity.ts";
import { DamagedObject, blockBytes } from "./part.ts";
import { BuiltInBucket, type BuiltInSettings } from "./bucket.ts";

const key = "org/upload/1";

class Opened implements AsyncDisposable {
  readonly bucket: BuiltInBucket;
  readonly directory: string;

  private constructor(directory: string, settings: Partial<BuiltInSettings>) {
    this.directory = directory;
    this.bucket = this.another(settings);
  }

  static async new(settings: Partial<BuiltInSettings> = {}): Promise<Opened> {
    return new Opened(await mkdtemp(join(tmpdir(), "built-in-")), settings);
  }

  /** As another node sees the directory. */
  another(settings: Partial<BuiltInSettings> = {}): BuiltInBucket {
    return new BuiltInBucket({
      directory: this.directory,
      signingKey: new Uint8Array(32).fill(7),
      baseUrl: () => "http://lossless.test",
      ...settings,
    });
  }

  async files(): Promise<string[]> {
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    return files.map((entry) => join(entry.parentPath, entry.name)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true });
  }
}

function content(size: number, seed = 0): Buffer {
  return Buffer.from(
    Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8) * 13 + seed) % 251),
  );
}

async function* pieces(bytes: Uint8Array, pieceBytes = 65_536) {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield [Buffer.from(bytes.subarray(at, at + pieceBytes))];
  }
}

/** Sends a part and gives what `complete` wants to know of it. */
async function send(bucket: BuiltInBucket, part: Omit<PartToSign, "sizeBytes">, bytes: Uint8Array) {
  const etag = await bucket.writePart({ ...part, sizeBytes: bytes.length }, pieces(bytes));
  return { number: part.number, etag: `"${etag}"` };
}

async function store(bucket: BuiltInBucket, name: string, parts: readonly Uint8Array[]) {
  const upload = { key: name, storeUpload: await bucket.startUpload(name) };
  const sent = await Promise.all(
    parts.map((bytes, index) => send(bucket, { ...upload, number: index + 1 }, bytes)),
  );
  await bucket.complete(upload, sent);
  return upload;
}

suite("built-in bucket", () => {
  test("parts become one object, and every range of it is right", async () => {
    await using opened = await Opened.new();
    const sizes = [blockBytes * 5 + 3, 1, blockBytes, 100];
    const parts = sizes.map((size, index) => content(size, index));
    await store(opened.bucket, key, parts);
    const whole = Buffer.concat(parts);
    const other = opened.another();
    assert.equal(await other.size(key), whole.length);
    assert.ok(whole.equals(await other.read(key, 0, whole.length)));
    const edges = [0, 1, blockBytes - 1, blockBytes, sizes[0] - 1, sizes[0], sizes[0] + 1];
    for (const from of [...edges, whole.length - 1, whole.length]) {
      for (const length of [0, 1, 100, blockBytes, blockBytes + 2, whole.length - from]) {
        if (from + length > whole.length) continue;
        const read = await other.read(key, from, length);
        assert.ok(whole.subarray(from, from + length).equals(read), `${from} + ${length}`);
      }
    }
    await assert.rejects(other.read(key, 1, whole.length), ObjectShort);
  });

  test("a part that is sent again is another file; completion takes the one it names", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    const upload = { key, storeUpload: await bucket.startUpload(key) };
    const first = await send(bucket, { ...upload, number: 1 }, content(1000, 1));
    const second = await send(bucket, { ...upload, number: 1 }, content(2000, 2));
    assert.notEqual(first.etag, second.etag);
    const listed = await bucket.listParts(upload);
    assert.deepEqual(
      listed.map(({ number, sizeBytes, etag }) => [number, sizeBytes, `"${etag}"`]),
      [[1, 2000, second.etag]],
    );
    await bucket.complete(upload, [first]);
    assert.ok(content(1000, 1).equals(await bucket.read(key, 0, 1000)));
    assert.equal((await opened.files()).length, 3, "index, end, one part");
  });

  test("of two completions of one upload, and of two uploads of one key, one wins", async () => {
    await using opened = await Opened.new();
    const nodes = [opened.bucket, opened.another()];
    for (let round = 0; round < 20; round++) {
      const name = `org/upload/${round}`;
      const upload = { key: name, storeUpload: await nodes[0].startUpload(name) };
      const sent = await Promise.all(
        nodes.map((node, at) => send(node, { ...upload, number: 1 }, content(100, at))),
      );
      const results = await Promise.allSettled(
        nodes.map((node, at) => node.complete(upload, [sent[at]])),
      );
      const winner = results.findIndex(({ status }) => status === "fulfilled");
      assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
      assert.ok(content(100, winner).equals(await nodes[0].read(name, 0, 100)));
    }
    const before = await opened.bucket.read("org/upload/0", 0, 100);
    await assert.rejects(store(opened.bucket, "org/upload/0", [content(5)]), UploadMissing);
    assert.deepEqual(await opened.bucket.read("org/upload/0", 0, 100), before);
  });

  test("put stores once; delete takes everything with it", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    await bucket.put("org/upload/_manifest.json", [content(300), new Uint8Array(0), content(2)]);
    await assert.rejects(bucket.put("org/upload/_manifest.json", [content(1)]), ObjectExists);
    assert.equal(await bucket.size("org/upload/_manifest.json"), 302);
    await bucket.put("org/upload/empty", []);
    await store(bucket, key, [content(10), content(10)]);
    for (const name of ["org/upload/_manifest.json", "org/upload/empty", key, key]) {
      await bucket.delete(name);
    }
    assert.deepEqual(await opened.files(), []);
    assert.deepEqual(await readdir(join(opened.directory, "org")), []);
  });

  test("a completion that died before the object was seen is brought to its end", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    for (const [number, retry] of [
      (upload: { key: string; storeUpload: string }) =>
        assert.rejects(bucket.complete(upload, []), UploadMissing),
      (upload: { key: string; storeUpload: string }) => bucket.abort(upload),
    ].entries()) {
      const name = `org/upload/${number}`;
      const upload = await store(bucket, name, [content(10)]);
      await rm(join(opened.directory, `${name}~index`));
      await assert.rejects(bucket.size(name), ObjectMissing);
      await retry(upload);
      assert.equal(await bucket.size(name), 10);
    }
  });

  test("files and directories are for their owner alone", async () => {
    await using opened = await Opened.new();
    await store(opened.bucket, key, [content(10)]);
    for (const file of await opened.files()) assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await stat(join(opened.directory, "org"))).mode & 0o777, 0o700);
  });
});

suite("built-in bucket, when things go wrong", () => {
  test("every flipped bit and every cut of any file is an error, never a value", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    const parts = [content(blockBytes + 500, 1), content(700, 2)];
    const whole = Buffer.concat(parts);
    await store(bucket, key, parts);
    for (const file of await opened.files()) {
      if (file.endsWith("/end")) continue;
      const sound = await readFile(file);
      const isWrong = async (bytes: Uint8Array, what: string) => {
        await writeFile(file, bytes);
        await assert.rejects(bucket.read(key, 0, whole.length), DamagedObject, what);
        const object = await bucket.open(key).catch(() => undefined);
        assert.notDeepEqual(await object?.check(), [], what);
      };
      const steps = sound.length > 10_000 ? 9973 : 7;
      for (let at = 0; at < sound.length; at += steps) {
        const flipped = Buffer.from(sound);
        flipped[at] ^= 1 << (at % 8);
        await isWrong(flipped, `${file}: bit at ${at}`);
        await isWrong(sound.subarray(0, at), `${file}: cut at ${at}`);
      }
      for (let back = 1; back <= 28; back++) {
        const flipped = Buffer.from(sound);
        flipped[sound.length - back] ^= 1;
        await isWrong(flipped, `${file}: last bytes`);
      }
      await writeFile(file, sound);
    }
    assert.ok(whole.equals(await bucket.read(key, 0, whole.length)));
    assert.deepEqual(await (await bucket.open(key)).check(), []);
  });

  test("a sound part file of other content, in the place of the right one, is an error", async () => {
    await using opened = await Opened.new();
    await store(opened.bucket, key, [content(10, 1)]);
    await store(opened.bucket, "org/upload/2", [content(10, 2)]);
    const parts = (await opened.files()).filter((name) => /\/1-10-\w+$/.test(name));
    await writeFile(parts[0], await readFile(parts[1]));
    await assert.rejects(opened.bucket.read(key, 0, 10), DamagedObject);
  });

  test("an object with a damaged index can be deleted", async () => {
    await using opened = await Opened.new();
    await store(opened.bucket, key, [content(10)]);
    const index = join(opened.directory, `${key}~index`);
    await rm(index);
    await writeFile(index, "{}");
    await opened.bucket.delete(key);
    assert.deepEqual(await opened.files(), []);
  });

  test("T38: a symbolic link is not followed, for reading or for writing", async () => {
    await using opened = await Opened.new();
    await using elsewhere = await Opened.new();
    const { bucket } = opened;
    const upload = await store(bucket, key, [content(10)]);
    await store(elsewhere.bucket, key, [content(10, 9)]);
    const theirs = (name: string) => join(elsewhere.directory, name);
    const ours = (name: string) => join(opened.directory, name);
    await rm(ours(`${key}~index`));
    await symlink(theirs(`${key}~index`), ours(`${key}~index`));
    await assert.rejects(bucket.read(key, 0, 10), SymbolicLink);
    await rm(ours("org"), { recursive: true });
    await symlink(theirs("org"), ours("org"));
    await assert.rejects(bucket.size(key), SymbolicLink);
    await assert.rejects(send(bucket, { ...upload, number: 1 }, content(10)), SymbolicLink);
  });

  test("neither a body that breaks off nor an aborted upload leaves anything", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    const upload = { key, storeUpload: await bucket.startUpload(key) };
    const broken = (async function* () {
      yield [content(500_000)];
      throw new Error("gone");
    })();
    const part = { ...upload, number: 1, sizeBytes: 1_000_000 };
    await assert.rejects(bucket.writePart(part, broken), /gone/);
    assert.deepEqual(await opened.files(), []);
    await send(bucket, { ...upload, number: 2 }, content(10));
    await bucket.abort(upload);
    assert.deepEqual(await opened.files(), []);
  });

  test("a disk that fails is told once and for all, one that is full is not", async () => {
    const failures: Error[] = [];
    await using opened = await Opened.new({ onFailure: (error) => failures.push(error) });
    const { bucket } = opened;
    const upload = { key, storeUpload: await bucket.startUpload(key) };
    const part = { ...upload, number: 1, sizeBytes: 10 };
    const failing = async function* (code: string) {
      yield [content(5)];
      throw Object.assign(new Error(code), { code });
    };
    for (const [code, kind] of [
      ["ENOSPC", "full"],
      ["EDQUOT", "full"],
      ["EFBIG", "full"],
      ["EIO", "failed"],
      ["EROFS", "failed"],
    ] as const) {
      const isRight = (error: unknown) => error instanceof DatabaseError && error.kind === kind;
      await assert.rejects(bucket.writePart(part, failing(code)), isRight, code);
    }
    assert.equal(failures.length, 2);
    assert.deepEqual(await opened.files(), []);
  });

  test("the reserve of free space is kept, parts that are on their way counted in", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    const isFull = (error: unknown) => error instanceof DatabaseError && error.kind === "full";
    const tight = opened.another({ diskReserveBytes: Number.MAX_SAFE_INTEGER });
    const upload = { key, storeUpload: await bucket.startUpload(key) };
    await assert.rejects(send(tight, { ...upload, number: 1 }, content(10)), isFull);
    await send(bucket, { ...upload, number: 1 }, content(10));
  });

  test("a directory that is not shared refuses everything and says why", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    bucket.refuse("Give --artifacts a directory that all nodes share.");
    const isRefused = (error: unknown) =>
      error instanceof StoreError && error.code === "not shared" && !error.transient;
    await assert.rejects(bucket.startUpload(key), isRefused);
    await assert.rejects(bucket.signReads([{ key }], 1000), isRefused);
    await assert.rejects(bucket.size(key), isRefused);
    await assert.rejects(Array.fromAsync(bucket.list("")), isRefused);
  });

  test("keys that the service would not make are a mistake in it", async () => {
    await using opened = await Opened.new();
    for (const name of [
      "",
      "/a",
      "a/",
      "a//b",
      "../a",
      "a/../b",
      "a/.",
      "A",
      "a b",
      "a~b",
      "ä",
      "a\0",
    ]) {
      await assert.rejects(opened.bucket.startUpload(name), /BUG/, name);
      await assert.rejects(opened.bucket.size(name), /BUG/, name);
    }
  });
});

suite("built-in bucket, when its directory goes away", () => {
  const isGone = (error: unknown) =>
    error instanceof StoreError && error.code === "directory gone" && error.transient;
  const places: [string, (directory: string) => Promise<unknown>][] = [
    ["nothing", async () => undefined],
    ["an empty directory", (directory) => mkdir(directory)],
    ["another one", (directory) => directoryIdentity(directory, 0)],
  ];
  for (const [what, make] of places) {
    test(`${what} in its place: nothing is made, missing or removed, and it may come back`, async () => {
      await using opened = await Opened.new();
      const directory = join(opened.directory, "artifacts");
      const directoryId = (await directoryIdentity(directory, Date.now()))!;
      const bucket = opened.another({ directory: `${directory}/`, directoryId });
      const upload = { key, storeUpload: await bucket.startUpload(key) };
      const part = await send(bucket, { ...upload, number: 1 }, content(10));
      await bucket.put("org/upload/2", [content(5)]);
      await rename(directory, `${directory}-away`);
      await make(directory);
      const before = await opened.files();
      const calls: [string, () => Promise<unknown>][] = [
        ["startUpload", () => bucket.startUpload("org/upload/3")],
        ["writePart", () => send(bucket, { ...upload, number: 2 }, content(10))],
        ["listParts", () => bucket.listParts(upload)],
        ["complete", () => bucket.complete(upload, [part])],
        ["abort", () => bucket.abort(upload)],
        ["put", () => bucket.put("org/upload/3", [])],
        ["delete", () => bucket.delete("org/upload/2")],
        ["size", () => bucket.size("org/upload/2")],
        ["open", () => bucket.open("org/upload/2")],
        ["list", () => Array.fromAsync(bucket.list(""))],
        ["listUploads", () => Array.fromAsync(bucket.listUploads(""))],
      ];
      for (const [name, call] of calls) await assert.rejects(call, isGone, name);
      assert.deepEqual(await opened.files(), before);
      await rm(directory, { recursive: true, force: true });
      await rename(`${directory}-away`, directory);
      await bucket.complete(upload, [part]);
      assert.ok(content(10).equals(await bucket.read(key, 0, 10)));
      assert.equal(await bucket.size("org/upload/2"), 5);
    });
  }

  test("while a part comes: it is not said to be of an unknown upload", async () => {
    await using opened = await Opened.new();
    const directory = join(opened.directory, "artifacts");
    const directoryId = (await directoryIdentity(directory, Date.now()))!;
    const bucket = opened.another({ directory, directoryId });
    const upload = { key, storeUpload: await bucket.startUpload(key) };
    const body = (async function* () {
      yield [content(5)];
      await rename(directory, `${directory}-away`);
      await mkdir(directory);
      yield [content(5)];
    })();
    await assert.rejects(bucket.writePart({ ...upload, number: 1, sizeBytes: 10 }, body), isGone);
  });

  test("the root is never made again, whoever opened it", async () => {
    await using opened = await Opened.new();
    const directory = join(opened.directory, "missing");
    await assert.rejects(opened.another({ directory }).startUpload(key), { code: "ENOENT" });
    assert.deepEqual(await readdir(opened.directory), []);
  });
});

test("golden: files of the first version are read for ever", async () => {
  await using opened = await Opened.new();
  const id = "01m7ye1mgdv386aveyjpza5kgs";
  const etag = "97f6ce420123456789abcdef";
  const rows = `[[1,"${etag}",10]]`;
  const line = `{"format":1,"key":"${key}","upload":"${id}","sizeBytes":10,"parts":${rows}}\n`;
  const part = "30313233343536373839c6c784a64c534c50010000000a000000000000000000040042cef697";
  const directory = join(opened.directory, `${key}~${id}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `1-10-${etag}`), Buffer.from(part, "hex"));
  await writeFile(join(opened.directory, `${key}~index`), `${line}94631afe\n`);
  assert.equal((await opened.bucket.read(key, 0, 10)).toString(), "0123456789");
});

suite("the directory of the built-in bucket", () => {
  test("nodes that start at once find one id in it, and it is no object", async () => {
    await using opened = await Opened.new();
    const directory = join(opened.directory, "new");
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => directoryIdentity(directory, Date.now())),
    );
    assert.match(ids[0] ?? "", /^[0-9a-z]{26}$/);
    assert.equal(new Set(ids).size, 1);
    assert.deepEqual(await readdir(directory), [identityFileName]);
    await writeFile(join(directory, identityFileName), "");
    assert.equal(await directoryIdentity(directory, Date.now()), undefined);
    await opened.bucket.put(key, []);
    const listed = await Array.fromAsync(opened.bucket.list(""), (one) => one.key);
    assert.deepEqual(listed, [key]);
  });
});

suite("signed addresses of the built-in bucket", () => {
  const partOf = (url: string) => {
    const { pathname, searchParams } = new URL(url);
    const field = (name: string) => searchParams.get(name) ?? "";
    return {
      key: pathname.slice("/objects/".length),
      id: field("id"),
      part: field("part"),
      length: field("length"),
      expires: field("expires"),
      signature: field("signature"),
    };
  };

  test("T12: what was signed is allowed until it expires, anything else is not", async () => {
    await using opened = await Opened.new();
    let nowMs = 1_000_000;
    const bucket = opened.another({ clock: () => nowMs });
    const part = { key, storeUpload: "0".repeat(26), number: 3, sizeBytes: 77 };
    const { addresses, expiresAtMs } = await bucket.signParts([part], 60_000);
    assert.equal(expiresAtMs, 1_060_000);
    assert.deepEqual(addresses[0].headers, {});
    const address = partOf(addresses[0].url);
    assert.deepEqual(bucket.checkPartAddress(address), part);
    const altered = [
      { key: "org/upload/2" },
      { key: "other/upload/1" },
      { id: "1".repeat(26) },
      { part: "4" },
      { part: "03" },
      { length: "78" },
      { length: "77.0" },
      { expires: "1060001" },
      { expires: "" },
      { signature: "" },
      { signature: `${address.signature.slice(1)}A` },
      { key: "org/upload", id: `1\n${address.id}` },
    ];
    for (const change of altered) {
      assert.equal(bucket.checkPartAddress({ ...address, ...change }), undefined);
    }
    assert.equal(bucket.checkReadAddress({ ...address, name: "" }), false);
    const foreign = opened.another({ clock: () => nowMs, baseUrl: () => "http://elsewhere.test" });
    assert.equal(foreign.checkPartAddress(address), undefined);
    const otherKey = opened.another({ clock: () => nowMs, signingKey: new Uint8Array(32) });
    assert.equal(otherKey.checkPartAddress(address), undefined);
    nowMs = 1_060_000;
    assert.equal(bucket.checkPartAddress(address), undefined);
  });

  test("T13: the name in the address of an object is signed, too", async () => {
    await using opened = await Opened.new();
    const { bucket } = opened;
    const signed = await bucket.signReads([{ key, fileName: "a\nb & größe.bin" }, { key }], 60_000);
    const [named, plain] = signed.addresses.map((url) => {
      const { searchParams } = new URL(url);
      const value = (name: string) => searchParams.get(name) ?? "";
      return { key, expires: value("expires"), name: value("name"), signature: value("signature") };
    });
    assert.equal(named.name, "a\nb & größe.bin");
    assert.deepEqual(
      [named, plain].map((one) => bucket.checkReadAddress(one)),
      [true, true],
    );
    for (const altered of [
      { ...named, name: "other" },
      { ...named, name: "" },
      { ...plain, name: named.name },
    ])
      assert.equal(bucket.checkReadAddress(altered), false);
  });
});
