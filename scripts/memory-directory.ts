import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const prefix = "lossless-tests-";
/** Least free bytes; a run of `npm test` holds a quarter of it at once. */
const bytesMin = 4 * 1_024 ** 3;

/**
 * Makes a temporary directory in memory for this process and its children. Tests write gigabytes of
 * throw-away files, and on a disk each would wait for the writes of all others. What a killed
 * process leaves behind is the same in both. Undefined where TMPDIR is set, and where the memory is
 * missing.
 */
export function memoryDirectory(): string | undefined {
  if (process.env.TMPDIR !== undefined || !isUsable()) return undefined;
  for (const name of readdirSync(memory)) if (isLeft(name)) remove(join(memory, name));
  const directory = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
  // PostgreSQL runs as a user other than root.
  chmodSync(directory, 0o711);
  process.on("exit", () => remove(directory));
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
  return directory;
}

function isUsable(): boolean {
  if (process.platform !== "linux") return false;
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , kind, flags = ""] =
    mounts.find((line) => line.split(" ")[1] === memory)?.split(" ") ?? [];
  // Some tests run programs that they have written.
  if (kind !== "tmpfs" || flags.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) >= bytesMin;
}

/** Whether the run that made the directory was killed. */
function isLeft(name: string): boolean {
  const processId = Number(/^lossless-tests-(\d+)-/.exec(name)?.[1] ?? process.pid);
  try {
    process.kill(processId, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Removes the directory, with retries, as a process may still be ending in it. */
function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
