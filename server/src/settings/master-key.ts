import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError } from "./options.ts";
import { syncDirectorySync } from "../ground/durable-file.ts";
import { masterKeyId } from "../ground/sealing.ts";

/** The key's file in the data directory, when no other one is named. */
export const masterKeyFileName = "master.key";
/** The key that a rotation changes to, until everything is sealed under it. */
const nextKeyFileName = "master.key.next";

/** Reads the 32 bytes that seal secrets at rest; throws ConfigError, never with a byte of them. */
export function readMasterKey(path: string): Uint8Array {
  return readKeyFile(path, "master key file");
}

/** The same for a key of another kind, which is in a file of the same form. */
export function readKeyFile(path: string, kind: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(path, "ascii").trim();
  } catch (error) {
    const code = codeOf(error);
    const advice =
      code === "ENOENT" ? ` To make a new one: (umask 077; openssl rand -hex 32 > ${path})` : "";
    throw new ConfigError(`The ${kind} ${path} cannot be read: ${code}.${advice}`);
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new ConfigError(`The ${kind} ${path} must contain 32 bytes as 64 hexadecimal digits.`);
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new ConfigError(`The ${kind} ${path} is open to other users; its mode must be 0600.`);
  }
  return new Uint8Array(Buffer.from(text, "hex"));
}

/** A data directory's key, made at the first start, by one of the processes that start at once. */
export function ensureMasterKey(dataDirectory: string): Uint8Array {
  const path = join(dataDirectory, masterKeyFileName);
  if (!existsSync(path)) makeMasterKey(path);
  return readMasterKey(path);
}

/**
 * Returns the key for commands beside a service: from a file, or from the data directory. Never
 * makes one.
 */
export function existingMasterKey(
  dataDirectory: string,
  masterKeyFile: string | undefined,
): Uint8Array {
  const path = masterKeyFile ?? join(dataDirectory, masterKeyFileName);
  if (existsSync(path)) return readMasterKey(path);
  throw new ConfigError(`There is no master key at ${path}; --master-key-file names it.`);
}

/** Writes a new key to a file that does not exist, whole or not at all; a faster one's stays. */
export function makeMasterKey(path: string): void {
  const directory = dirname(resolve(path));
  const draft = join(directory, `.master-key-${randomBytes(8).toString("hex")}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = openSync(draft, "wx", 0o600);
    writeSync(file, `${randomBytes(32).toString("hex")}\n`);
    fsyncSync(file);
    closeSync(file);
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") {
      throw new ConfigError(`The master key file ${path} cannot be made: ${codeOf(error)}.`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  syncDirectorySync(directory);
}

/**
 * Returns the key of a data directory for secrets sealed under the keys with these ids. A rotation
 * that was interrupted after its last commit is finished here: the new key takes the old one's
 * place.
 */
export function masterKeyInDirectory(
  dataDirectory: string,
  sealedKeyIds: readonly string[],
): Uint8Array {
  const next = join(dataDirectory, nextKeyFileName);
  const path = join(dataDirectory, masterKeyFileName);
  // A new key would open none of them, and would take the place of the right one.
  if (sealedKeyIds.length > 0 && !existsSync(path) && !existsSync(next)) {
    throw new ConfigError(
      `Secrets in the database are sealed under the master key with the id ${sealedKeyIds.join(", ")}, and there is ` +
        `none at ${path}: put that one there (mode 0600), or name its file with --master-key-file.`,
    );
  }
  const key = ensureMasterKey(dataDirectory);
  const isOurs = sealedKeyIds.every((id) => id === masterKeyId(key));
  if (isOurs || !existsSync(next)) return key;
  const nextKey = readMasterKey(next);
  if (!sealedKeyIds.every((id) => id === masterKeyId(nextKey))) return key;
  takeNextKey(dataDirectory);
  return nextKey;
}

/** The key that a rotation changes to; that of a rotation that was cut short, if there was one. */
export function ensureNextKey(dataDirectory: string): Uint8Array {
  const path = join(dataDirectory, nextKeyFileName);
  if (!existsSync(path)) makeMasterKey(path);
  return readMasterKey(path);
}

/**
 * Replaces the old key by the next one, under which all secrets are sealed; the old one is deleted.
 */
export function takeNextKey(dataDirectory: string): void {
  renameSync(join(dataDirectory, nextKeyFileName), join(dataDirectory, masterKeyFileName));
  syncDirectorySync(dataDirectory);
}

/** Throws ConfigError unless everything that is sealed was sealed under this key (T63). */
export function requireMasterKey(masterKey: Uint8Array, sealedKeyIds: readonly string[]): void {
  const keyId = masterKeyId(masterKey);
  const others = sealedKeyIds.filter((id) => id !== keyId);
  if (others.length === 0) return;
  throw new ConfigError(
    `Secrets in the database are sealed under the master key with the id ${others.join(", ")}, and the key of this ` +
      `start has the id ${keyId}. Give the key with which they were sealed (--master-key-file F, or master.key ` +
      "in the data directory, as in its backup). To change to another key, stop the service and run: " +
      "lossless keys rotate-master.",
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}
