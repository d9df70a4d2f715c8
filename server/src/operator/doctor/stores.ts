import { existsSync } from "node:fs";
import { DatabaseError } from "../../database/database.ts";
import { systemClock } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import { NewerFormat } from "../../ground/newer-format.ts";
import { ConfigError } from "../../settings/options.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { readLastBackup } from "../../storage/last-backup.ts";
import { probeBucket, ProbeFailed, type ProbeFindings } from "../../places/stores/probe.ts";
import { allLocations } from "../../artifacts/sweeping/removals.ts";
import { type LocationsOnData, type LocationsSettings, withLocations } from "../with-locations.ts";
import { examineBackup } from "./backup-age.ts";
import type { Witness } from "./clocks.ts";
import { examineProviders } from "./providers.ts";
import { advise, type Finding, ok, problem } from "./finding.ts";

const times = { stepsMs: 30_000, cleanupMs: 10_000 };
const skewMsMax = 60_000;

/**
 * Examines the database's contents: tries on every active location the operations of artifacts
 * (puts, reads and removes small objects below its prefix), asks the identity providers for their
 * metadata, and checks the newest backup. A wrong format or key of the stored data is a finding.
 */
export async function examineStored(
  settings: LocationsSettings,
  witnesses: Witness[],
): Promise<Finding[]> {
  if (settings.databaseUrl === undefined && !existsSync(settings.data)) return [];
  try {
    return await withLocations(settings, async (all) => {
      const organizations = await all.storage.read("organization.list", undefined);
      const names = new Map(organizations.map(({ id, name }) => [id, name]));
      const findings: Finding[] = [];
      for (const location of await allLocations(all.storage)) {
        // The built-in one is a directory, and looked at as such.
        if (location.state !== "active" || location.driver === "built-in") continue;
        const about = `location ${location.name} of ${names.get(location.organizationId)}`;
        findings.push(await examineLocation(about, location, all, witnesses));
      }
      findings.push(...(await examineProviders(organizations, all)));
      const last = await all.database.read(readLastBackup);
      return [...findings, examineBackup(last, systemClock())];
    });
  } catch (error) {
    if (error instanceof ConfigError || error instanceof NewerFormat)
      return [
        problem(
          "stored data",
          error.message,
          "Give the options that the service has (--config, --master-key-file).",
        ),
      ];
    if (error instanceof DatabaseError)
      return [
        problem(
          "stored data",
          error.message,
          error.kind === "misconfigured"
            ? "Set it up as that says."
            : 'Run lossless verify; exit codes are in operating.md, "Start and stop".',
        ),
      ];
    throw error;
  }
}

async function examineLocation(
  about: string,
  location: StoredLocation,
  { buckets, egress }: LocationsOnData,
  witnesses: Witness[],
): Promise<Finding> {
  const agents = egress.agents();
  try {
    const bucket = buckets.bucketOf(location);
    const id = newId(systemClock());
    const findings = await probeBucket(
      { bucket, path: location.path, id },
      agents,
      times,
      systemClock,
    );
    witnesses.push({ who: about, skewMs: findings.clockSkewMs });
    return judge(about, findings);
  } catch (error) {
    const why = error instanceof ProbeFailed ? `at "${error.step}": ${error.code}` : String(error);
    return problem(
      about,
      `it does not support what artifacts need: ${why}`,
      "Check its credential, its rights and its network; lossless locations list shows its address.",
    );
  } finally {
    agents.http.destroy();
    agents.https.destroy();
  }
}

function judge(about: string, { clockSkewMs, listsUploads }: ProbeFindings): Finding {
  if (Math.abs(clockSkewMs) > skewMsMax) {
    return advise(
      about,
      `it works; its clock is ${Math.round(clockSkewMs / 1_000)} s from ours`,
      "Stores refuse signatures when clocks differ by some minutes: keep this machine's by a time service.",
    );
  }
  return ok(
    about,
    listsUploads
      ? "put, read, multipart and removal work"
      : "it works, and does not list unended uploads",
  );
}
