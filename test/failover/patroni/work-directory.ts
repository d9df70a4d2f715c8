import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, readFile, readlink } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Identity } from "../../postgres.ts";

/**
 * A temporary directory of servers, which end with it: when it is disposed, and when this process
 * ends in whatever way, kill -9 included. Theirs are all processes that work in it, whatever parent
 * or group they have: PostgreSQL leaves those of Patroni.
 */
export class WorkDirectory implements AsyncDisposable {
  readonly path: string;
  readonly #guardian: ChildProcess;

  private constructor(path: string) {
    this.path = path;
    this.#guardian = spawn("sh", ["-c", guardianScript, path], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      cwd: "/",
    });
    this.#guardian.unref();
    (this.#guardian.stdin as Socket).unref();
  }

  static async create(owner: Identity | undefined): Promise<WorkDirectory> {
    const path = await mkdtemp(join(tmpdir(), "lossless-patroni-"));
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
    return new WorkDirectory(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#guardian, "exit");
    this.#guardian.ref();
    this.#guardian.stdin?.end();
    await ended;
  }
}

const guardianScript = `
  trap '' INT TERM HUP
  cat > /dev/null
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    alive=
    for process in /proc/[0-9]*; do
      case "$(readlink "$process/cwd")/" in
        "$0"/*) kill -s KILL "\${process#/proc/}" && alive=yes ;;
      esac
    done
    [ -z "$alive" ] && break
    sleep 0.1
  done
  rm -rf "$0"`;

/** kill -9, at once, of every process that works in a directory. */
export async function killAll(directory: string): Promise<void> {
  const stopped = await stopAll(directory);
  signal(stopped, "SIGKILL");
  while ((await processesIn(directory)).length > 0);
}

/** It resolves with the processes when all of them are stopped, so that none makes another one. */
export async function stopAll(directory: string): Promise<number[]> {
  const stopped = new Set<number>();
  for (;;) {
    const running = (await processesIn(directory)).filter((one) => !stopped.has(one));
    if (running.length === 0) return [...stopped];
    signal(running, "SIGSTOP");
    for (const one of running) stopped.add(one);
  }
}

/** Goes on with everything in a directory that was stopped. */
export async function continueAll(directory: string): Promise<void> {
  signal(await processesIn(directory), "SIGCONT");
}

/** The processes that call themselves so: PostgreSQL's say what they do. */
export async function processesNamed(directory: string, text: string): Promise<number[]> {
  const found: number[] = [];
  for (const one of await processesIn(directory)) {
    const name = await readFile(`/proc/${one}/cmdline`, "utf8").catch(() => "");
    if (name.includes(text)) found.push(one);
  }
  return found;
}

export function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const one of processes) {
    try {
      process.kill(one, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

async function processesIn(directory: string): Promise<number[]> {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    numbers.map(async (number) => {
      // One that has ended, or that belongs to somebody else, has none.
      const place = await readlink(`/proc/${number}/cwd`).catch(() => "");
      return `${place}/`.startsWith(`${directory}/`) ? [Number(number)] : [];
    }),
  );
  return found.flat();
}
