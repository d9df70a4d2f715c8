import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Daemons in a temporary directory, which end together: when disposed, and when this process ends
 * in whatever way, kill -9 included. A guardian process holds a pipe to us, is told every process
 * group, and cleans up when the pipe closes. Nothing here keeps the event loop alive.
 */
export class Daemons implements AsyncDisposable {
  readonly directory: string;
  readonly #guardian: ChildProcess;
  readonly #running: { name: string; child: ChildProcess }[] = [];

  private constructor(directory: string) {
    this.directory = directory;
    this.#guardian = spawn("sh", ["-c", guardianScript, directory], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    this.#guardian.unref();
    (this.#guardian.stdin as Socket).unref();
  }

  static async in(name: string): Promise<Daemons> {
    return new Daemons(await mkdtemp(join(tmpdir(), `lossless-${name}-`)));
  }

  /** It runs a program in the foreground of its own process group; output goes to `<name>.out`. */
  start(name: string, program: string, args: string[]): void {
    const output = openSync(this.#outputOf(name), "a");
    const child = spawn(program, args, {
      stdio: ["ignore", output, output],
      detached: true,
      cwd: this.directory,
    });
    closeSync(output);
    child.on("error", () => {});
    child.unref();
    if (child.pid !== undefined) this.#guardian.stdin?.write(`${child.pid}\n`);
    this.#running.push({ name, child });
  }

  /** Runs a program to its end. Rejects with what it printed when it fails or takes too long. */
  async run(program: string, args: string[]): Promise<string> {
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: this.directory,
      timeout: 600_000,
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    const { promise, resolve } = Promise.withResolvers<string | number>();
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "no exit code"));
    const end = await promise;
    if (end !== 0) throw new Error(`${program} ${args.join(" ")}: ${end}\n${output}`);
    return output;
  }

  /** Asks until the answer is true. Rejects when a daemon has ended, or after ten minutes. */
  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadlineMs = Date.now() + 600_000;
    while (!(await isSo())) {
      const ended = this.#running.find(
        ({ child }) => child.pid === undefined || child.exitCode !== null || child.signalCode,
      );
      if (ended !== undefined)
        throw new Error(`${ended.name} ended before ${what}\n${this.#lastLines(ended.name)}`);
      if (Date.now() > deadlineMs) throw new Error(`after ten minutes still not ${what}`);
      await sleep(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#guardian, "exit");
    this.#guardian.ref();
    this.#guardian.stdin?.end();
    await ended;
  }

  #outputOf(name: string): string {
    return join(this.directory, `${name}.out`);
  }

  #lastLines(name: string): string {
    return readFileSync(this.#outputOf(name), "utf8").split("\n").slice(-20).join("\n");
  }
}

/**
 * There is nothing worth an orderly end: the directory goes with the daemons. A killed process that
 * nobody waits for stays visible, so the wait for the ends is short.
 */
const guardianScript = `
  trap '' INT TERM HUP
  groups=
  while read -r group; do groups="$groups $group"; done
  for group in $groups; do kill -s KILL -- "-$group" 2> /dev/null; done
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    alive=
    for group in $groups; do kill -s 0 -- "-$group" 2> /dev/null && alive=yes; done
    [ -z "$alive" ] && break
    sleep 0.05
  done
  rm -rf "$0"`;

/** Any answer will do: the first of a store is usually a refusal. */
export async function answers(endpoint: string): Promise<boolean> {
  try {
    const reply = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) });
    await reply.body?.cancel();
    return reply.status < 500;
  } catch {
    return false;
  }
}
