import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

const ticksPerSecond = 100;

/** User and system seconds of a process and all its threads, from /proc. */
export function cpuSeconds(processId: number): number {
  const text = readFileSync(`/proc/${processId}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** It is the same for a process and its children (PostgreSQL); `+ waited for` counts ended ones. */
export function familyCpuSeconds(processId: number): number {
  let seconds = 0;
  for (const entry of globSync("/proc/[0-9]*/stat")) {
    const text = readOrNothing(entry);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const own = Number(entry.split("/")[2]);
    if (own === processId) seconds += (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
    if (own !== processId && Number(fields[1]) !== processId) continue;
    seconds += (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }
  return seconds;
}

/** The same of a group of processes, whoever started them; ended ones do not count. */
export function groupCpuSeconds(group: number): number {
  let seconds = 0;
  for (const entry of globSync("/proc/[0-9]*/stat")) {
    const text = readOrNothing(entry);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (Number(fields[2]) === group)
      seconds += (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }
  return seconds;
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Resident memory in MiB: now, or the highest so far. */
export function residentMebibytes(processId: number, what: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const text = readFileSync(`/proc/${processId}/status`, "utf8");
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(text)![1]) / 1_024;
}

/** The highest resident memory (VmHWM) is from now on that of now. */
export function restartPeak(processId: number): void {
  writeFileSync(`/proc/${processId}/clear_refs`, "5");
}

/** Bytes of the files below a directory whose names end so. */
export function bytesOf(directory: string, ending = ""): number {
  return globSync(`**/*${ending}`, { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
