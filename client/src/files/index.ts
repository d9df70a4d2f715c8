/** Pushing and pulling files, in Node; the underlying calls are in `@lossless/client`. */
export { ArtifactWriter, openArtifact } from "./artifact-writer.ts";
export type { OpenOptions, WriteOptions, WrittenVersion } from "./artifact-writer.ts";
export { checksumsIn, checksumsKey } from "./checksums.ts";
export type { PreparedFile } from "./content.ts";
export { filesIn } from "./directory-files.ts";
export type { Found, FoundFile } from "./directory-files.ts";
export { placeOf } from "./place.ts";
export { pull } from "./pull.ts";
export type { PulledVersion, PullOptions } from "./pull.ts";
export { push } from "./push.ts";
export type { PushedVersion, PushOptions } from "./push.ts";
export type { TransferProgress } from "./transfer-progress.ts";
export { nextVersion, numberedVersion } from "./version-name.ts";
