import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import type { Config } from "../../settings/config.ts";
import { advise, type Finding, ok } from "./finding.ts";

const mebibyte = 1_048_576;
/** The service at rest and one full queue of bodies fit into it. */
const memoryLeast = 1_024 * mebibyte;
/** Files that the service has open beside its connections. */
const filesBeside = 256;

/** Limits of this machine for this user. */
export async function examineMachine({
  maxConnections,
  maxQueueBytes,
  maxReplyQueueBytes,
}: Pick<Config, "maxConnections" | "maxQueueBytes" | "maxReplyQueueBytes">): Promise<Finding[]> {
  const findings = [await memory(maxQueueBytes + maxReplyQueueBytes)];
  const files = await openFiles(maxConnections);
  if (files !== undefined) findings.push(files);
  return findings;
}

async function memory(queues: number): Promise<Finding> {
  const bytes = (await memoryOfGroup()) ?? totalmem();
  const found = `${Math.round(bytes / mebibyte)} MiB, ${availableParallelism()} processors`;
  const needed = memoryLeast + queues;
  return bytes >= needed
    ? ok("memory", found)
    : advise(
        "memory",
        found,
        `Under full load the service takes up to ${Math.round(needed / mebibyte)} MiB: provide that much, or lower --max-queue-bytes and --max-reply-queue-bytes.`,
      );
}

/** Returns the memory limit of the container; undefined without one. */
async function memoryOfGroup(): Promise<number | undefined> {
  for (const file of ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]) {
    const text = await readFile(file, "utf8").catch(() => "");
    const bytes = Number(text.trim() || Number.NaN);
    if (bytes > 0 && bytes < totalmem()) return bytes;
  }
  return undefined;
}

/** Undefined where the system does not say. */
async function openFiles(maxConnections: number): Promise<Finding | undefined> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (soft === undefined) return undefined;
  const needed = maxConnections + filesBeside;
  if (soft === "unlimited" || Number(soft) >= needed) return ok("open files", `${soft} at most`);
  return advise(
    "open files",
    `${soft} at most, fewer than --max-connections ${maxConnections} plus the other open files`,
    `Raise the limit to ${needed} (systemd: LimitNOFILE=, shell: ulimit -n), or set --max-connections to ${Math.max(1, Number(soft) - filesBeside)}.`,
  );
}
