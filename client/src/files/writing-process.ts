import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** The process that writes a record of a transfer; `id` is 0 when it has ended. */
export interface WritingProcess {
  host: string;
  id: number;
  /**
   * The machine's boot and the process's start in it: after a reboot the same number belongs to an
   * unrelated process. Absent where the system does not report it.
   */
  started?: string;
}

export function ownProcess(): WritingProcess {
  const started = startOf(process.pid);
  return { host: hostname(), id: process.pid, ...(started === undefined ? {} : { started }) };
}

/** Whether another process of this machine is using it. */
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
    // The program's name is in brackets, and may contain any character.
    const ticks = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    return ticks === undefined ? undefined : `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}
