import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who writes to a file that remembers a transfer; `id` is 0 when nobody does any more. */
export interface WritingProcess {
  host: string;
  id: number;
  /**
   * Which start of the machine, and when after it: after a restart the same number is that of a
   * process that has nothing to do with it. Absent where the system does not tell.
   */
  started?: string;
}

export function ownProcess(): WritingProcess {
  const started = startOf(process.pid);
  return { host: hostname(), id: process.pid, ...(started === undefined ? {} : { started }) };
}

/** Another process of this machine is at it. */
export function isInUse(state: { process: WritingProcess }): boolean {
  const { host, id, started } = state.process;
  if (host !== hostname() || id === 0 || id === process.pid) return false;
  if (started !== undefined && started !== startOf(id)) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function startOf(id: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "ascii").trim();
    const text = readFileSync(`/proc/${id}/stat`, "latin1");
    // The name of the program stands in brackets, and may have anything in it.
    const ticks = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? undefined : `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}
