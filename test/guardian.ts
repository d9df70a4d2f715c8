import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";

export interface Guarded {
  /** A process, or below 0 the group of one, as `kill` takes it. */
  target: number;
  /** The signal that ends it. */
  signal: "QUIT" | "TERM";
  /** Its own, removed with it; undefined: what it works on stays. */
  directory: string | undefined;
}

/** How long it may take to end before it is killed. */
const tenthsMax = 30;

/**
 * Ends a process that stands by itself, when disposed, and also when this process ends in whatever
 * way, kill -9 included: a process of its own holds a pipe to us and cleans up when it closes. It
 * keeps no event loop alive, and Ctrl-C does not reach it.
 */
export function guard({ target, signal, directory }: Guarded): AsyncDisposable {
  const script = `cat > /dev/null; kill -s "$0" -- "$1" 2> /dev/null
    for i in $(seq ${tenthsMax}); do kill -s 0 -- "$1" 2> /dev/null || break; sleep 0.1; done
    kill -s KILL -- "$1" 2> /dev/null
    [ -z "$2" ] || rm -rf "$2"`;
  const guardian = spawn("sh", ["-c", script, signal, String(target), directory ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guardian.unref();
  (guardian.stdin as Socket).unref();
  return {
    async [Symbol.asyncDispose]() {
      if (guardian.exitCode !== null || guardian.signalCode !== null) return;
      const ended = once(guardian, "exit");
      guardian.ref();
      guardian.stdin.end();
      await ended;
    },
  };
}
