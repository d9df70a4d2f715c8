import type { Reader } from "../database/database.ts";
import type { Installation } from "./calls.ts";

/** Reads the row that the first start wrote. */
export async function readInstallation(reader: Reader): Promise<Omit<Installation, "workerUrls">> {
  const rows = await reader.all<{ name: string; value: string }>(
    "SELECT name, value FROM installation",
  );
  const values = new Map(rows.map((row) => [row.name, row.value]));
  const seed = Buffer.from(values.get("hash_seed") ?? "", "hex");
  if (seed.length !== 16) throw new Error(`BUG: hash seed of ${seed.length} bytes`);
  const hashSeed = new Uint32Array(4);
  for (let word = 0; word < 4; word++) hashSeed[word] = seed.readUInt32LE(4 * word);
  return { hashSeed, revisionJump: Number(values.get("revision_jump")) };
}
