/** SHA-256 of files, as our clients keep them in the meta of a version under `sha256`. */

export type Checksums = ReadonlyMap<string, string>;

/** The checksums in the meta itself. */
export function checksumsIn(meta: Readonly<Record<string, unknown>>): Checksums {
  const listed = meta["sha256"];
  if (typeof listed !== "object" || listed === null) return new Map();
  const pairs = Object.entries(listed).filter((pair): pair is [string, string] =>
    isChecksum(pair[1]),
  );
  return new Map(pairs);
}

/** The file of checksums, which the meta names where they do not fit; undefined: there is none. */
export function listOfChecksums(
  meta: Readonly<Record<string, unknown>>,
  files: readonly { name: string }[],
): string | undefined {
  const [name, ...others] = checksumsIn(meta).keys();
  if (name === undefined || others.length > 0 || files.length < 2) return undefined;
  return /^SHA256SUMS(\.\d+)?$/.test(name) ? name : undefined;
}

/** Parses the format of `sha256sum`; a backslash before a line marks an escaped name. */
export function readChecksums(text: string): Checksums {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const parts = /^(\\?)([0-9a-f]{64}) [ *](.+)$/.exec(line);
    if (parts === null) continue;
    const [, isEscaped, checksum, name] = parts;
    found.set(isEscaped === "" ? name : unescaped(name), checksum);
  }
  return found;
}

function unescaped(name: string): string {
  return name.replaceAll(/\\([\\nr])/g, (_, letter: string) =>
    letter === "n" ? "\n" : letter === "r" ? "\r" : "\\",
  );
}

function isChecksum(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
