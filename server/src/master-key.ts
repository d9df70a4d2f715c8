import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./options.ts";

/** The key's file in the data directory, when no other one is named. */
export const masterKeyFileName = "master.key";

/**
 * Reads the 32 bytes that seal secrets at rest; throws ConfigError, never with a part of the key.
 */
export function readMasterKey(path: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(path, "ascii").trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`The file ${path} (--master-key-file) cannot be read: ${code}.`);
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new ConfigError(
      `The file ${path} (--master-key-file) must hold 32 bytes as 64 hexadecimal digits.`,
    );
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new ConfigError(
      `The file ${path} (--master-key-file) is open to other users; its mode must be 0600.`,
    );
  }
  return new Uint8Array(Buffer.from(text, "hex"));
}

/**
 * The key of a data directory, made at the first start. The directory is locked by this process.
 */
export function ensureMasterKey(dataDirectory: string): Uint8Array {
  const path = join(dataDirectory, masterKeyFileName);
  if (!existsSync(path)) {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, `${randomBytes(32).toString("hex")}\n`);
    fsyncSync(file);
    closeSync(file);
    const directory = openSync(dataDirectory, "r");
    fsyncSync(directory);
    closeSync(directory);
  }
  return readMasterKey(path);
}
