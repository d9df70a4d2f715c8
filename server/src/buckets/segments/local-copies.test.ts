import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { crc32 } from "node:zlib";
import { LocalCopies } from "./local-copies.ts";

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "lossless-copies-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test("beyond the bytes allowed the oldest copies go", async (t) => {
  const directory = await temporaryDirectory(t);
  const copies = new LocalCopies(directory, 100_000);
  const bytes = new Uint8Array(10_000);
  const seal = async () => ({ sizeBytes: bytes.length, crc: crc32(bytes) });
  for (let number = 10; number < 40; number++) {
    await copies.path(`a/${number}`, seal, (write) => write(bytes));
    const names = await readdir(directory);
    assert.ok(names.length <= 10, `${names.length} copies`);
    assert.ok(names.includes(`a+${number}.copy`));
  }
});
