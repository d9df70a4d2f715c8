import { saveAddress } from "../../parts/save-file.ts";
import type { Service } from "../../signed-in.ts";

/** Files whose bytes the service gives: those of a version, of a run or of a logged model. */
export interface FileSource {
  /** Tells it from others. */
  key: string;
  /** Where the bytes of a file are, for an hour. */
  address(file: string): Promise<{ url: string }>;
  /** As many of its bytes as pass through the service at once, for a look. */
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

/** Those that MLflow's clients wrote to a run or a logged model. */
export function runFiles({ client }: Service, owner: string): FileSource {
  return {
    key: owner,
    address: (file) => client.views.runFileAddress({ owner, file }),
    part: (file, range, stopped) => client.views.runFilePart({ owner, file, ...range }, stopped),
  };
}

/** Saves a file from where it is stored. */
export async function download(source: FileSource, file: string): Promise<void> {
  const { url } = await source.address(file);
  saveAddress(file.slice(file.lastIndexOf("/") + 1), url);
}
