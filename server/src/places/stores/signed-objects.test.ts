import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BuiltInBucket } from "../../buckets/built-in/bucket.ts";
import { createLog } from "../../ground/log.ts";
import type { Storage } from "../../storage/storage.ts";
import { BuiltInObjects } from "./signed-objects.ts";

test("parts and files of one organization that stand still leave room for those of another", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "signed-objects-"));
  const settings = {
    directory: directory.path,
    signingKey: new Uint8Array(32),
    baseUrl: () => "http://x",
  };
  const bucket = new BuiltInBucket(settings);
  const storage = { read: async () => "pending" } as unknown as Storage;
  const objects = new BuiltInObjects(
    bucket,
    storage,
    createLog("silent", () => {}),
  );
  let goOn = () => {};
  const standing = new Promise<void>((resolve) => (goOn = resolve));
  const send = async (organizationId: string, body: () => AsyncIterable<Buffer[]>) => {
    const key = `${organizationId}/upload/1`;
    const storeUpload = await bucket.startUpload(key);
    return objects.writePart({ key, storeUpload, number: 1, sizeBytes: 1 }, body());
  };
  let decided = 0;
  const stuck = async function* () {
    decided += 1;
    await standing;
    yield [Buffer.from("a")];
  };
  const sending = Array.from({ length: 300 }, () => send("greedy", stuck));
  for (const one of sending) one.catch(() => (decided += 1));
  const fine = async function* () {
    yield [Buffer.from("a")];
  };
  while (decided < 300) await new Promise((done) => setTimeout(done, 5));
  await assert.rejects(send("greedy", fine), { code: "overloaded" });
  assert.match(await send("other", fine), /^[0-9a-f]{24}$/);
  goOn();
  const sent = (await Promise.allSettled(sending)).filter(({ status }) => status === "fulfilled");
  assert.equal(sent.length, 128);

  await bucket.put("greedy/upload/2", [Buffer.alloc(2 ** 20)]);
  await bucket.put("other/upload/2", [Buffer.alloc(2 ** 20)]);
  const read = async (key: string) => {
    const address = new URL((await bucket.signReads([{ key }], 60_000)).addresses[0]);
    const [expires, signature] = ["expires", "signature"].map((name) =>
      address.searchParams.get(name)!,
    );
    const pieces = (await objects.open({ key, expires, name: "", signature })).read(0, 2 ** 20);
    await pieces.next();
    return pieces;
  };
  const reading = await Promise.allSettled(
    Array.from({ length: 200 }, () => read("greedy/upload/2")),
  );
  const begun = reading.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  assert.equal(begun.length, 64);
  begun.push(await read("other/upload/2"));
  for (const pieces of begun) await pieces.return(undefined);
});
