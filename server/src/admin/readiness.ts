import { statfs } from "node:fs/promises";
import type { Config } from "../config.ts";
import type { ServiceState } from "../http/service-state.ts";

/** The page is open to everyone, so one look serves all who ask within this time. */
const probeLifeMs = 500;
/** A storage that does not answer a look-up within this time is not ready. */
const probeTimeoutMs = 2_000;

/**
 * Looks whether the storage answers and the disk has more room than the reserve below which writes
 * are refused.
 */
export function storageProbe(config: Config, state: ServiceState): () => Promise<boolean> {
  let last: { atMs: number; result: Promise<boolean> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.atMs > probeLifeMs) {
      last = { atMs: nowMs, result: probe(config, state) };
    }
    return last.result;
  };
}

async function probe(config: Config, state: ServiceState): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), probeTimeoutMs);
  try {
    return await Promise.race([looks(config, state), timeout.promise]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function looks(config: Config, state: ServiceState): Promise<boolean> {
  // A hash that no credential has: the cheapest question that reaches the database.
  const nobody = { kind: "api_key", hash: new Uint8Array(32), organization: null } as const;
  await state.served().storage.read("credential.find", nobody);
  const free = config.databaseUrl === undefined ? await freeDiskBytes(config.data) : undefined;
  return free === undefined || free >= config.diskReserveBytes;
}

/**
 * What the service may still write on the disk of a directory; undefined when the system does not
 * say.
 */
export async function freeDiskBytes(directory: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
