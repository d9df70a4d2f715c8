import { execFile } from "node:child_process";
import type { Log } from "./log.ts";

/**
 * Tells systemd what the service is about (`Type=notify`), where that has started it. Node has no
 * datagram sockets of Unix, so systemd's own program sends it, for which the unit has
 * `NotifyAccess=all`. Resolves when it is sent; the service goes on whether or not it was.
 */
export async function notifySystemd(log: Log, ...assignments: string[]): Promise<void> {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  execFile("systemd-notify", assignments, resolve);
  const error = await promise;
  if (error !== null)
    log.warn({ err: error }, "systemd could not be notified of the service's state");
}

/** The clock by which systemd tells which reload is meant. */
export function monotonicMicroseconds(): bigint {
  return process.hrtime.bigint() / 1_000n;
}
