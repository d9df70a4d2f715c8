import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { DatabaseError } from "../../database/database.ts";
import { countWritten, FreeSpace } from "./free-space.ts";

const terabyte = 2 ** 40;
const isFull = (error: unknown) => error instanceof DatabaseError && error.kind === "full";

/**
 * Makes room for this many bytes above the reserve; claims are so large that other writes do not
 * matter.
 */
async function roomFor(bytes: number): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(tmpdir());
  return new FreeSpace(tmpdir(), bavail * bsize - bytes);
}

test("claims count until they are disposed", async () => {
  const space = await roomFor(3 * terabyte);
  {
    using _claim = await space.claim(2 * terabyte);
    await assert.rejects(space.claim(2 * terabyte), isFull);
  }
  using _claim = await space.claim(2 * terabyte);
});

test("what was written counts as the disk counts it, once it was read again", async (t) => {
  // With the real clock, a pause of this process would let it be read again too early.
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const space = await roomFor(3 * terabyte);
  using claim = await space.claim(2 * terabyte);
  const body = async function* () {
    yield [{ length: 2 * terabyte } as Uint8Array];
  };
  for await (const _pieces of countWritten(claim, body())) {
    await assert.rejects(space.claim(2 * terabyte), isFull, "not written yet");
  }
  await assert.rejects(space.claim(2 * terabyte), isFull, "written after the reading");
  nowMs += 120;
  using _second = await space.claim(2 * terabyte);
});
