import { DurableDirectory } from "./directory.ts";
import { endFileName, indexSuffix, readIndex } from "./object.ts";
import { partFileName } from "./part-writer.ts";

/**
 * The files that make an object, relative to the directory. Throws ObjectMissing, DamagedObject,
 * SymbolicLink.
 */
export async function storedFilesOf(directory: string, key: string): Promise<string[]> {
  const files = new DurableDirectory(directory);
  const { storeUpload, parts } = await readIndex(files, files.path(key + indexSuffix), key);
  const upload = `${key}~${storeUpload}`;
  // Without its end an upload would look unfinished, and could be removed.
  return [endFileName, ...parts.map(partFileName)]
    .map((name) => `${upload}/${name}`)
    .concat(key + indexSuffix);
}
