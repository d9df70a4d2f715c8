import { identityFileName, directoryIdentity } from "../../buckets/built-in/identity.ts";
import { BuiltInBucket, type BuiltInSettings } from "../../buckets/built-in/bucket.ts";
import { systemClock } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { ConfigError } from "../../settings/options.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";

/**
 * Opens the built-in location. When the directory is not the one in which this installation keeps
 * its files, the service starts all the same, reports it, and every use of the location fails with
 * that sentence: reads would miss other nodes' writes, and they would miss ours. From then on the
 * bucket itself checks that the directory stays there. Throws ConfigError.
 */
export async function openBuiltIn(
  settings: BuiltInSettings,
  storage: Pick<Storage, "write">,
  warn: (sentence: string) => void,
): Promise<BuiltInBucket> {
  const directoryId = await identityOf(settings.directory);
  const bucket = new BuiltInBucket({ ...settings, directoryId });
  const refusal = await whyNot(settings.directory, directoryId, storage);
  if (refusal !== undefined) {
    warn(refusal);
    bucket.refuse(refusal);
  }
  return bucket;
}

async function whyNot(
  directory: string,
  directoryId: string,
  storage: Pick<Storage, "write">,
): Promise<string | undefined> {
  let expected: string;
  try {
    expected = await writeOne(storage, "artifacts.directory", { directoryId });
  } catch (error) {
    // A full disk must not prevent reads of stored objects.
    if (error instanceof ServiceError && error.code === "storage_full") return undefined;
    throw error;
  }
  if (expected === directoryId) return undefined;
  return (
    `The directory ${directory} (--artifacts) is not the one in which this installation keeps its files: its ` +
    `${identityFileName} is ${directoryId}, expected is ${expected}. Mount the right disk, or give all nodes ` +
    `one directory that they share, or add an S3 location. If the right one is lost for good, write ${expected} ` +
    `into ${identityFileName}; files that were in it then cannot be read.`
  );
}

async function identityOf(directory: string): Promise<string> {
  let id: string | undefined;
  try {
    id = await directoryIdentity(directory, systemClock());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ConfigError(`The directory ${directory} (--artifacts) cannot be used: ${code}.`);
  }
  if (id !== undefined) return id;
  throw new ConfigError(`The file ${identityFileName} in ${directory} (--artifacts) is damaged.`);
}
