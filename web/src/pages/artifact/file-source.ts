import { saveAddress } from "../../parts/save-file.ts";
import type { Service } from "../../signed-in.ts";

/** Files with their bytes: of a version, a run or a logged model. */
export interface FileSource {
  /** Identifies the source. */
  key: string;
  /** Returns an address of the file's bytes, valid for an hour. */
  address(file: string): Promise<{ url: string }>;
  /** Reads a part of the file through the service, for a preview. */
  part(
    file: string,
    range: { offset?: number; length?: number },
    stopped: AbortSignal,
  ): Promise<Uint8Array>;
}

export function versionFiles(
  { client }: Service,
  version: { artifact: string; version: string },
): FileSource {
  return {
    key: `${version.artifact}\n${version.version}`,
    address: (file) => client.views.fileAddress({ ...version, file }),
    part: (file, range, stopped) => client.views.filePart({ ...version, file, ...range }, stopped),
  };
}

/** Files that MLflow's clients wrote to a run or a logged model. */
export function runFiles({ client }: Service, owner: string): FileSource {
  return {
    key: owner,
    address: (file) => client.views.runFileAddress({ owner, file }),
    part: (file, range, stopped) => client.views.runFilePart({ owner, file, ...range }, stopped),
  };
}

/** Saves a file straight from its store. */
export async function download(source: FileSource, file: string): Promise<void> {
  const { url } = await source.address(file);
  saveAddress(file.slice(file.lastIndexOf("/") + 1), url);
}
