import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { findOwnUpload, type UploadName } from "./commit.ts";
import { uploadNotFound } from "./artifact.ts";
import { type UploadState, withFiles } from "./upload.ts";

export interface FileToLookAt {
  key: string;
  size: number;
  /** The store's id of its multipart upload; null: it was not begun. */
  storeUpload: string | null;
}

export interface UploadToLookAt {
  state: UploadState;
  location: StoredLocation;
  /** The largest ones, which say most of all bytes. */
  files: FileToLookAt[];
}

/** `upload.sent`: the rows needed to ask the store how many bytes of an upload have arrived. */
export async function readSentFiles(reader: Reader, name: UploadName): Promise<UploadToLookAt> {
  const { upload } = await findOwnUpload(reader, name, false);
  const { state } = upload;
  if (state === "committed" || state === "abandoned") throw uploadNotFound();
  const { location, files, storeUploads } = await withFiles(reader, upload);
  const all = files.map(({ key, size }, at) => ({ key, size, storeUpload: storeUploads[at] }));
  const largest = all.toSorted((one, other) => other.size - one.size);
  return { state, location, files: largest.slice(0, limits.lookedAtFilesMax) };
}
