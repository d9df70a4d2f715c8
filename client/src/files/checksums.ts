import { LosslessError } from "../errors.ts";
import { isObject } from "../replies.ts";
import { limits, type VersionRecord } from "../wire.ts";
import { preparedBytes, type PreparedFile } from "./content.ts";

/**
 * The specification carries sizes only. The SHA-256 of every file is kept in the version's meta
 * under this key: an object {file name: lower-case hexadecimal}. Where that does not fit into a
 * meta (64 KiB, about 500 files) the version gets one more file, in the format of sha256sum, and
 * the object names that file alone.
 */
export const checksumsKey = "sha256";
const listName = "SHA256SUMS";
const hexadecimal = /^[0-9a-f]{64}$/;

export interface Described {
  meta: Record<string, unknown>;
  files: PreparedFile[];
}

/** Adds the checksums of `files` to `meta`, or a list of them to `files`. */
export function withChecksums(
  meta: Readonly<Record<string, unknown>>,
  files: readonly PreparedFile[],
): Described {
  if (Object.hasOwn(meta, checksumsKey)) {
    throw new LosslessError(`the key ${checksumsKey} of meta is reserved for the checksums`);
  }
  const all = { ...meta, [checksumsKey]: checksumsOf(files) };
  if (fits(all)) return { meta: all, files: [...files] };
  const text = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("");
  const list = preparedBytes(freeName(files), new TextEncoder().encode(text));
  const short = { ...meta, [checksumsKey]: checksumsOf([list]) };
  if (!fits(short)) {
    throw new LosslessError(
      `meta is too large: it may have ${limits.jsonMetaBytesMax} bytes of JSON`,
    );
  }
  if (files.length === limits.filesPerVersionMax) {
    const most = limits.filesPerVersionMax - 1;
    throw new LosslessError(`there is no room for the list of checksums: at most ${most} files`);
  }
  return { meta: short, files: [...files, list] };
}

export type Checksums =
  | { kind: "none" }
  /** Checksums by file name; some may be missing. */
  | { kind: "all"; sha256: ReadonlyMap<string, string> }
  /** Checksums in a file of the version that the writer added. */
  | { kind: "list"; name: string; sha256: string };

export function checksumsIn(record: Pick<VersionRecord, "meta" | "files">): Checksums {
  const value = record.meta[checksumsKey];
  if (!isObject(value)) return { kind: "none" };
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && hexadecimal.test(entry[1]),
  );
  const [first, ...more] = entries;
  if (first === undefined) return { kind: "none" };
  const [name, sha256] = first;
  const isList = more.length === 0 && record.files.length > 1 && name.startsWith(listName);
  return isList ? { kind: "list", name, sha256 } : { kind: "all", sha256: new Map(entries) };
}

/** Parses the format of sha256sum: 64 digits, a space, a space or an asterisk, the name. */
export function parseChecksumList(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const match = /^([0-9a-f]{64}) [ *](.+)$/.exec(line);
    if (match) found.set(match[2], match[1]);
  }
  return found;
}

function checksumsOf(files: readonly PreparedFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ name, sha256 }) => [name, sha256]));
}

function fits(meta: object): boolean {
  const bytes = new TextEncoder().encode(JSON.stringify(meta)).length;
  return bytes <= limits.jsonMetaBytesMax;
}

/** Returns a name that is neither a file nor a directory of the writer. */
function freeName(files: readonly PreparedFile[]): string {
  const taken = new Set(files.map(({ name }) => name.split("/")[0]));
  for (let number = 1; ; number++) {
    const name = number === 1 ? listName : `${listName}.${number}`;
    if (!taken.has(name)) return name;
  }
}
