import { createHash } from "node:crypto";
import { manifestName } from "@lossless/protocol/names";

/** Maximum of a key in S3 and compatible stores, in bytes. */
const keyBytesMax = 1_024;
/** An id of the service (ids.ts). */
const uploadId = /^[0-9a-hjkmnp-tv-z]{26}$/;

export interface KeyScheme {
  /** Whether the bucket takes any name in its keys (ArtifactBucket.readableKeys). */
  readable: boolean;
  /** Prefix of the location in its bucket; may be empty. */
  path: string;
  organizationId: string;
  artifact: string;
  version: string;
  uploadId: string;
}

export interface UploadKeys {
  /** Common prefix of all keys of the upload, with a slash at its end. */
  prefix: string;
  /** The rest of each file's key. */
  names: string[];
}

/**
 * Returns the keys of an upload's files (A26):
 * `<path>/<organization>/<artifact>/<version>/<upload>/<file>` where people look into their own
 * bucket, `<organization>/<upload>/<number>` elsewhere. The upload's id is in every key, so no two
 * uploads share an object, whatever an old writer still sends. Parts that would be too long are
 * hashed.
 */
export function keysOf(scheme: KeyScheme, files: readonly string[]): UploadKeys {
  const root = rootOf(scheme);
  const { artifact, version, uploadId: id } = scheme;
  if (!scheme.readable) return { prefix: `${root}${id}/`, names: files.map((_, at) => `${at}`) };
  const longest = Math.max(...files.map((name) => Buffer.byteLength(name)));
  let prefix = `${root}${artifact}/${version}/${id}/`;
  if (Buffer.byteLength(prefix) + longest > keyBytesMax) {
    prefix = `${root}${hashed(artifact)}/${version}/${id}/`;
  }
  const room = keyBytesMax - Buffer.byteLength(prefix);
  // The upload's id is hashed too: no client can choose a name of a file that matches the hash of
  // another.
  const short = (name: string) => (Buffer.byteLength(name) > room ? hashed(`${id}/${name}`) : name);
  return { prefix, names: files.map(short) };
}

/** Returns the common prefix of all keys of an organization at a location. */
export function rootOf({
  readable,
  path,
  organizationId,
}: Pick<KeyScheme, "readable" | "path" | "organizationId">): string {
  return readable && path !== "" ? `${path}/${organizationId}/` : `${organizationId}/`;
}

export function manifestKeyOf(prefix: string): string {
  return prefix + manifestName;
}

/**
 * Lists every part of a key that may be its upload's id. Names of artifacts and files can look like
 * one, so only the upload's own list of files tells which it is, if any (removal.ts,
 * `findUploads`).
 */
export function uploadIdsIn(key: string): string[] {
  return key.split("/").filter((word) => uploadId.test(word));
}

/** Whether a key with the upload's prefix is surely its own: artifacts' names may hold ids, too. */
export function isUnder(prefix: string, key: string): boolean {
  return key.startsWith(prefix) && uploadIdsIn(key.slice(prefix.length)).length === 0;
}

function hashed(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("hex")}`;
}
