import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Finding, ok, problem } from "./finding.ts";

/** A source of the time, and its difference to this machine's. */
export interface Witness {
  who: string;
  skewMs: number;
}

/** A Date header has whole seconds, and signatures of stores are refused from minutes on. */
const skewMsMax = 30_000;

/**
 * Examines whether this machine's clock is right: by systemd, or where that does not tell, by
 * servers that were asked for something else before.
 */
export async function examineClock(witnesses: readonly Witness[]): Promise<Finding> {
  const about = "clock";
  const kept = await timeService();
  if (kept === "yes") return ok(about, "kept by a time service");
  if (kept === "no") {
    return problem(
      about,
      "not kept by any time service",
      "Switch one on (timedatectl set-ntp true, or chrony): tokens and signed addresses expire by this clock.",
    );
  }
  return judgeClock(about, witnesses);
}

/** Judges the clock. Exported for its test: where timedatectl exists, no other source is asked. */
export function judgeClock(about: string, witnesses: readonly Witness[]): Finding {
  const unseen = "whether a time service keeps it cannot be seen here";
  if (witnesses.length === 0) return ok(about, `${new Date().toISOString()}; ${unseen}`);
  const told = witnesses.map(({ who, skewMs }) => `${who} ${(skewMs / 1_000).toFixed(1)} s`);
  const found = `${unseen}; others are ahead of it by: ${told.join(", ")}`;
  return witnesses.every(({ skewMs }) => Math.abs(skewMs) <= skewMsMax)
    ? ok(about, found)
    : problem(
        about,
        found,
        "Keep this machine's clock by a time service: tokens and signed addresses expire by it.",
      );
}

/** `yes`, `no`, or "" where there is no systemd to ask. */
function timeService(): Promise<string> {
  return promisify(execFile)("timedatectl", ["show", "-p", "NTPSynchronized", "--value"])
    .then(({ stdout }) => stdout.trim())
    .catch(() => "");
}
