import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A small checkpoint: three parts, one part, nothing at all, and a name of many scripts. */
export async function writeCheckpoint(directory: string): Promise<void> {
  const files: Record<string, Buffer> = {
    "weights/model.bin": randomBytes(17 * 1_048_576 + 5),
    "späte Läufe/模型 7 %20+&.bin": randomBytes(70_000),
    "config.json": Buffer.from('{"layers":3}'),
    empty: Buffer.alloc(0),
  };
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), bytes);
  }
}

/** Every file of one directory is in the other, with the same bytes, and nothing else. */
export async function assertSameFiles(one: string, other: string): Promise<void> {
  const [names, otherNames] = [await filesOf(one), await filesOf(other)];
  assert.deepEqual(otherNames, names);
  for (const name of names) {
    const [bytes, otherBytes] = await Promise.all([
      readFile(join(one, name)),
      readFile(join(other, name)),
    ]);
    assert.ok(bytes.equals(otherBytes), `${name} is not the same`);
  }
}

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(directory.length)).sort();
}
