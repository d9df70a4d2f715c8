import { statfs } from "node:fs/promises";
import type { Config } from "../settings/config.ts";
import { withDeadline } from "../ground/deadline.ts";
import type { ServiceState } from "./service-state.ts";

/** Lifetime of a result: the page is open to all, so one probe serves every request within it. */
const probeLifeMs = 500;
/** Free bytes below which a disk is full, whatever the reserve: a group of writes takes more. */
const leastFreeBytes = 1_048_576;
/** Time within which a ready storage answers a look-up. */
const probeTimeoutMs = 2_000;

/** Abilities of the storage now: writes need a disk with room, reads do not. */
export interface Readiness {
  reads: boolean;
  writes: boolean;
}

/**
 * Returns a probe of the storage: whether it answers, and the disk has more room than the reserve
 * of writes.
 */
export function storageProbe(
  config: Config,
  state: ServiceState,
  freeBytes = freeDiskBytes,
): () => Promise<Readiness> {
  let last: { atMs: number; result: Promise<Readiness> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.atMs > probeLifeMs) {
      last = { atMs: nowMs, result: probe(config, state, freeBytes) };
    }
    return last.result;
  };
}

/** Returns the word of /readyz, on the public port and on the operator's. */
export async function readinessWord(
  { state, probe }: { state: ServiceState; probe: () => Promise<Readiness> },
  purpose: keyof Readiness,
): Promise<"starting" | "stopping" | "ok" | "unavailable"> {
  if (state.status === "starting") return "starting";
  if (state.status !== "ok") return "stopping";
  return (await probe())[purpose] ? "ok" : "unavailable";
}

async function probe(
  config: Config,
  state: ServiceState,
  freeBytes: typeof freeDiskBytes,
): Promise<Readiness> {
  const neither = { reads: false, writes: false };
  const look = () => looks(config, state, freeBytes).catch(() => neither);
  return withDeadline(probeTimeoutMs, look, () => neither);
}

async function looks(
  config: Config,
  state: ServiceState,
  freeBytes: typeof freeDiskBytes,
): Promise<Readiness> {
  // A hash that no credential has: the cheapest read that reaches the database.
  const nobody = { kind: "api_key", hash: new Uint8Array(32), organization: null } as const;
  await state.served().storage.read("credentials.find", { questions: [nobody] });
  const free = config.databaseUrl === undefined ? await freeBytes(config.data) : undefined;
  const least = Math.max(config.diskReserveBytes, leastFreeBytes);
  return { reads: true, writes: free === undefined || free >= least };
}

/**
 * Returns the bytes that the service may still write on a directory's disk; undefined when the
 * system does not report it.
 */
export async function freeDiskBytes(directory: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
