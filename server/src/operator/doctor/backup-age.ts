import type { LastBackup } from "../../storage/last-backup.ts";
import { advise, type Finding, ok, problem } from "./finding.ts";

const hourMs = 3_600_000;
/** A nightly one may be late by half a day. */
const ageMsMax = 36 * hourMs;

/** Examines the age of the newest backup, as recorded when it was made. */
export function examineBackup(last: LastBackup | null, nowMs: number): Finding {
  const about = "backup";
  if (last === null) {
    return advise(
      about,
      "none was made by lossless backup",
      "docs/backup.md says how to make one every night, and on PostgreSQL how to do it by other means.",
    );
  }
  const taken = `the newest shows ${new Date(last.takenAtMs).toISOString()}`;
  if (last.problems > 0) {
    return problem(
      about,
      `${taken} and lacks ${last.problems} things that could not be read`,
      "Run lossless verify; it names what is damaged.",
    );
  }
  const ageMs = nowMs - last.takenAtMs;
  return ageMs <= ageMsMax
    ? ok(about, taken)
    : advise(
        about,
        `${taken}, ${Math.floor(ageMs / hourMs)} hours ago`,
        "Look at the job that makes it: systemctl status lossless-backup, or the CronJob.",
      );
}
