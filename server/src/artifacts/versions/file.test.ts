import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { ObjectMissing, StoreError } from "../../buckets/bucket.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { TestWalks } from "./walks.fixture.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  const written = async (files: Record<string, Buffer>) => {
    const walks = await TestWalks.open(node);
    walks.home.storeVersionOf = () => "v1";
    await walks.open("a");
    await walks.write("a", "1", 1, files);
    const { organizationId } = walks;
    const name = { organizationId, artifact: "a", version: "latest", file: "f" };
    const part = (offset: number, length: number, holder = "acme") =>
      walks.versions.filePart({ ...name, holder, offset, length });
    const reads = async () => {
      const rows = await node.all<{ bytes: number; count: number }>(
        "SELECT bytes, count FROM usage WHERE organization = $1 AND kind = 'read'",
        organizationId,
      );
      return rows.map(({ bytes, count }) => ({ bytes, count }));
    };
    return { walks, name, part, reads };
  };
  const read = async (bytes: Promise<{ bytes: Uint8Array } & Disposable>) => {
    using part = await bytes;
    return Buffer.from(part.bytes).toString();
  };

  test("a part is read of the state that was committed, and counts as so many bytes", async () => {
    const { walks, part, reads } = await written({ f: Buffer.from("0123456789") });
    const states: unknown[] = [];
    const { home } = walks;
    const plain = home.read.bind(home);
    home.read = async (key, offset, length, ...state: unknown[]) => {
      states.push(...state);
      return plain(key, offset, length);
    };
    assert.equal(await read(part(2, 3)), "234");
    assert.equal(await read(part(8, 100)), "89");
    assert.equal(await read(part(10, 5)), "");
    assert.deepEqual(states, ["v1", "v1"]);
    assert.deepEqual(await reads(), [{ bytes: 5, count: 2 }]);
  });

  test("what guests look at leaves room for others of the organization", async () => {
    const most = limits.filePartBytesMax;
    const { part } = await written({ f: Buffer.alloc(most) });
    using held = new DisposableStack();
    for (let parts = 0; parts < 8; parts++) held.use(await part(0, most, "guests"));
    await assert.rejects(part(0, most, "guests"), failsWith("overloaded"));
    held.use(await part(0, most));
  });

  test("one file is signed alone, of the state that was committed, and counts as a read", async () => {
    const { walks, name, reads } = await written({ f: Buffer.from("first"), g: Buffer.from("gg") });
    const { url, bytes } = await walks.versions.fileAddress(name);
    assert.match(url, /\/f@v1$/);
    assert.equal(bytes, 5);
    assert.deepEqual(await reads(), [{ bytes: 5, count: 1 }]);
    await assert.rejects(
      walks.versions.fileAddress({ ...name, file: "h" }),
      failsWith("not_found"),
    );
    walks.home.failing = "signReads";
    await assert.rejects(walks.versions.fileAddress(name), failsWith("upstream"));
  });

  test("a store that fails is told from one that lost the file, and gives back what was held", async () => {
    const { walks, part } = await written({ f: Buffer.alloc(limits.filePartBytesMax) });
    const failures: [Error, string][] = [
      [new StoreError("SlowDown", true, "slow"), "upstream"],
      [new StoreError("damaged", false, "damaged"), "data_corrupted"],
      [new ObjectMissing("gone"), "data_corrupted"],
    ];
    const { home } = walks;
    const plain = home.read.bind(home);
    // More than may be held at once, if any stayed held.
    for (const [error, code] of [...failures, ...failures, ...failures, ...failures]) {
      home.read = () => Promise.reject(error);
      await assert.rejects(part(0, limits.filePartBytesMax), failsWith(code));
    }
    home.read = plain;
    assert.equal((await read(part(0, 1))).length, 1);
  });

  test("of what is being read an organization holds half", async () => {
    const { part } = await written({ f: Buffer.alloc(limits.filePartBytesMax) });
    const held: Disposable[] = [];
    for (let at = 0; at < 8; at++) held.push(await part(0, limits.filePartBytesMax));
    await assert.rejects(part(0, limits.filePartBytesMax), failsWith("overloaded"));
    held.pop()![Symbol.dispose]();
    held.push(await part(0, limits.filePartBytesMax));
    for (const each of held) each[Symbol.dispose]();
  });
});
