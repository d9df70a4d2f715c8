import { stat } from "node:fs/promises";
import type { ListedObject, StoreUpload } from "../bucket.ts";
import { endFileName, indexSuffix, readIndex } from "./object.ts";
import type { DurableDirectory } from "./directory.ts";
import { identityFileName } from "./identity.ts";
import { isMissingFile } from "../disk-failure.ts";

/** Lists completed objects whose key starts with `prefix`. Throws DamagedObject. */
export async function* walkObjects(
  files: DurableDirectory,
  prefix: string,
): AsyncIterable<ListedObject> {
  for await (const name of walk(files, "", prefix)) {
    if (!name.endsWith(indexSuffix)) continue;
    const key = name.slice(0, -indexSuffix.length);
    if (!key.startsWith(prefix)) continue;
    const found = await stat(files.path(name)).catch(ignoreMissing);
    if (found === undefined) continue;
    const { sizeBytes } = await readIndex(files, files.path(name), key);
    yield { key, sizeBytes, modifiedMs: found.mtimeMs };
  }
}

/** Upload directories that were neither completed nor removed. */
export async function* walkUploads(
  files: DurableDirectory,
  prefix: string,
): AsyncIterable<StoreUpload & { startedMs: number }> {
  for await (const name of walk(files, "", prefix)) {
    const match = /^(.*)~([0-9a-z]{26})$/.exec(name);
    if (match === null || !match[1].startsWith(prefix)) continue;
    const end = await stat(files.path(name, endFileName)).catch(ignoreMissing);
    // Empty: an abort that did not come to its end.
    if (end !== undefined && end.size > 0) continue;
    const found = await stat(files.path(name)).catch(ignoreMissing);
    if (found === undefined) continue;
    // Where a file system does not keep the time of birth it is 0.
    const startedMs = found.birthtimeMs > 0 ? found.birthtimeMs : found.mtimeMs;
    yield { key: match[1], storeUpload: match[2], startedMs };
  }
}

/** Names below `within` (empty, or ending at a slash) that may hold the prefix; not in uploads. */
async function* walk(
  files: DurableDirectory,
  within: string,
  prefix: string,
): AsyncIterable<string> {
  for (const name of await files.names(files.path(within))) {
    const path = within + name;
    if (name.includes("~")) {
      yield path;
      continue;
    }
    // Not ours: the id of the directory, the lost+found of a mounted disk.
    if (!/^[a-z0-9_-][a-z0-9._-]*$/.test(name) || path === identityFileName) continue;
    const below = `${path}/`;
    if (below.startsWith(prefix) || prefix.startsWith(below)) yield* walk(files, below, prefix);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissingFile(error)) throw error;
}
