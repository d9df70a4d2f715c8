import { stat } from "node:fs/promises";
import { type PreparedFile, prepareFile } from "./content.ts";
import type { FoundFile } from "./directory-files.ts";
import { inParallel } from "./in-parallel.ts";
import type { TransferProgress } from "./transfer-progress.ts";

export interface PrepareOptions {
  onProgress?: (progress: TransferProgress) => void;
  signal?: AbortSignal;
}

const filesAtOnce = 2;

/** Reads every file once for its checksums; files already prepared are taken as they are. */
export async function prepareFiles(
  files: readonly (FoundFile | PreparedFile)[],
  { onProgress, signal }: PrepareOptions = {},
): Promise<PreparedFile[]> {
  const unread = files.filter((file): file is FoundFile => !("content" in file));
  const sizes = await Promise.all(unread.map(async ({ path }) => (await stat(path)).size));
  const bytesTotal = sizes.reduce((sum, size) => sum + size, 0);
  let bytes = 0;
  const prepared = new Array<PreparedFile>(files.length);
  await inParallel(filesAtOnce, files.entries(), async ([index, file]) => {
    if ("content" in file) {
      prepared[index] = file;
      return;
    }
    const count = (more: number): void => {
      bytes += more;
      onProgress?.({ phase: "reading", bytes, bytesTotal });
    };
    prepared[index] = await prepareFile(file.name, file.path, count, signal);
  });
  return prepared;
}
