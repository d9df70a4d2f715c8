import { join } from "node:path";
import type { Config } from "../../settings/config.ts";
import { listenUrl } from "../../ground/listen-address.ts";
import { examineAddress } from "./address.ts";
import { examineDirectory } from "./disk.ts";
import { examineClock, type Witness } from "./clocks.ts";
import type { Finding } from "./finding.ts";
import { examineMachine } from "./machine.ts";
import type { SegmentStore } from "../../settings/segment-store.ts";
import { examinePostgres, examineWorker } from "./postgres-settings.ts";
import { examineStored } from "./stores.ts";

export type { Finding };

/** The options of the service, as it has them. */
export type DoctorSettings = Pick<
  Config,
  | "artifacts"
  | "baseUrl"
  | "data"
  | "databasePasswordFile"
  | "databaseUrl"
  | "diskReserveBytes"
  | "host"
  | "issuerUrl"
  | "masterKeyFile"
  | "maxConnections"
  | "maxQueueBytes"
  | "maxReplyQueueBytes"
  | "port"
  | "provision"
  | "trustedProxies"
> & { segments: SegmentStore | undefined; workerUrls: readonly string[] };

/**
 * Examines the foundations of a service: the machine, its disks, the database, the stores, identity
 * providers, the newest backup and the address used by clients; whether or not the service runs.
 * Changes nothing that lasts. `told` receives each finding as it is made.
 */
export async function examine(
  settings: DoctorSettings,
  told: (finding: Finding) => void,
): Promise<Finding[]> {
  const { artifacts, data, databaseUrl, segments, workerUrls } = settings;
  const { diskReserveBytes: reserveBytes } = settings;
  const all: Finding[] = [];
  const witnesses: Witness[] = [];
  const note = (findings: Finding[]): void => {
    for (const finding of findings) told(finding);
    all.push(...findings);
  };
  note(await examineMachine(settings));
  const name = databaseUrl === undefined ? "data directory" : "directory of the cache";
  note(await examineDirectory({ path: data, name, reserveBytes }));
  if (artifacts !== undefined) {
    note(await examineDirectory({ path: artifacts, name: "directory of artifacts", reserveBytes }));
  }
  if (databaseUrl !== undefined) note(await examinePostgres(settings, witnesses));
  for (const url of workerUrls) note(await examineWorker(url, witnesses));
  if (segments !== undefined) {
    const { examineSegments } = await import("./segments.ts");
    note([await examineSegments(segments)]);
  }
  const reachable = !all.some(({ about, state }) => about === "PostgreSQL" && state === "problem");
  if (reachable) {
    const located = {
      ...settings,
      dataDirectory: databaseUrl === undefined ? data : undefined,
      cacheDirectory: join(data, "cache"),
      issuerUrl: settings.issuerUrl ?? settings.baseUrl,
    };
    note(await examineStored(located, witnesses));
  }
  note(await examineAddress(addressOf(settings), settings));
  note([await examineClock(witnesses)]);
  return all;
}

/**
 * Returns the address used by clients; a service that listens everywhere is asked on this machine.
 */
function addressOf({ baseUrl, host, port }: DoctorSettings): string {
  if (baseUrl !== undefined) return baseUrl;
  return listenUrl(host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host, port);
}
