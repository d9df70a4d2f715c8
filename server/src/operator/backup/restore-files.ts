import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { databaseFileName } from "../../database/sqlite.ts";
import { syncDirectory, writeDurably } from "../../ground/durable-file.ts";
import { BackupDamaged } from "./backup-damaged.ts";
import { type BackupFile, contentOf, filesOf, type Generation } from "./generation.ts";
import type { Pace } from "../../ground/pace.ts";
import type { Pieces } from "./pieces.ts";

const unfinishedDirectory = "restore-in-work";
const artifactsPath = "artifacts/";

/**
 * Writes the files of a generation to an empty directory, each checked while it is read, and the
 * database last: `adjust` changes it in the directory that it is passed, and only then it is moved
 * to its place, so that no service starts on incomplete data. Throws BackupDamaged.
 */
export async function restoreFiles(
  generation: Generation,
  pieces: Pieces,
  { directory, artifacts, pace }: { directory: string; artifacts: string; pace: Pace },
  adjust: (databaseDirectory: string) => Promise<void>,
): Promise<void> {
  const made = new Set<string>();
  const unfinished = join(directory, unfinishedDirectory);
  let database: BackupFile | undefined;
  let count = 0;
  for await (const file of filesOf(generation, pieces)) {
    count++;
    if (file.path === databaseFileName) database = file;
    else {
      const path = file.path.startsWith(artifactsPath)
        ? join(artifacts, file.path.slice(artifactsPath.length))
        : join(directory, file.path);
      await writeFile(file, path, { pieces, pace, made });
    }
  }
  if (database === undefined || count !== generation.files) {
    throw new BackupDamaged(`The backup ${generation.id} lacks files that it says it has.`);
  }
  await writeFile(database, join(unfinished, databaseFileName), { pieces, pace, made });
  await adjust(unfinished);
  for (const path of made) await syncDirectory(path);
  await syncFile(join(unfinished, databaseFileName));
  await rename(join(unfinished, databaseFileName), join(directory, databaseFileName));
  await rm(unfinished, { recursive: true });
  await syncDirectory(directory);
}

async function writeFile(
  file: BackupFile,
  path: string,
  { pieces, pace, made }: { pieces: Pieces; pace: Pace; made: Set<string> },
): Promise<void> {
  if (!made.has(dirname(path))) await makeDirectories(dirname(path), made);
  await writeDurably(path, async (handle) => {
    for await (const content of contentOf(file, pieces)) {
      await pace.take(content.length);
      await handle.writeFile(content);
    }
  });
}

/** Makes directories. Their names, and those of the ones above, are to be made durable. */
async function makeDirectories(path: string, made: Set<string>): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  made.add(path);
  if (first === undefined) return;
  for (let above = path; above !== dirname(first); above = dirname(above)) made.add(dirname(above));
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
