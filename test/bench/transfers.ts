import { LosslessClient } from "@lossless/client";
import { pull, push } from "@lossless/client/files";
import { getAll, putAll, type RawRequest } from "./raw-transfers.ts";

interface Account {
  baseUrl: string;
  apiKey: string;
}

/** This is what the bench asks of the transfer process; each order is answered by a Transferred. */
export type TransferOrder =
  | { kind: "raw put" | "raw get"; requests: RawRequest[] }
  /** Each of them is a client of its own, all at the same time. */
  | { kind: "push"; account: Account; pushes: Push[]; recordDirectory: string }
  | { kind: "pull"; account: Account; artifact: string; directory: string; verify: boolean }
  /** The same pushes again and again; "stop" ends them and is answered. */
  | { kind: "push on"; account: Account; pushes: Push[]; recordDirectory: string };

export interface Push {
  artifact: string;
  path: string;
}

export interface Transferred {
  seconds: number;
  /**
   * Runs for a push from the reply to `begin` until `commit` is sent; for a pull, from the reply
   * with the addresses on.
   */
  transferSeconds: number;
}

/** The client's default, and of the raw transfers too. */
const parallel = 8;
/** As the parts of an upload, so that both ways ask for the same pieces. */
const rangeBytes = 8 * 1_048_576;

let stop = new AbortController();

process.on("message", (message: TransferOrder | "stop") => {
  if (message === "stop") return stop.abort();
  void run(message);
});
process.on("disconnect", () => process.exit());

/** A failure ends the process, as an unhandled rejection. */
async function run(order: TransferOrder): Promise<void> {
  const startedMs = performance.now();
  const times = await transfer(order);
  const endedMs = performance.now();
  process.send!({
    seconds: (endedMs - startedMs) / 1_000,
    transferSeconds: ((times?.endedMs ?? endedMs) - (times?.startedMs ?? startedMs)) / 1_000,
  } satisfies Transferred);
}

async function transfer(order: TransferOrder): Promise<TransferTimes | undefined> {
  switch (order.kind) {
    case "raw put":
      await putAll(order.requests, parallel);
      return undefined;
    case "raw get":
      await getAll(order.requests, parallel);
      return undefined;
    case "push": {
      const { account, recordDirectory } = order;
      const pushes = order.pushes.map((one) => pushed(account, one, recordDirectory));
      return (await Promise.all(pushes))[0];
    }
    case "pull":
      return pulled(order);
    case "push on": {
      const client = new LosslessClient(order.account);
      stop = new AbortController();
      await Promise.all(order.pushes.map((one) => pushOn(client, one, order.recordDirectory)));
      return undefined;
    }
  }
}

/** When the addresses were there, and when the last byte was stored. */
interface TransferTimes {
  startedMs: number;
  endedMs: number;
}

async function pushed(
  account: Account,
  one: Push,
  recordDirectory: string,
): Promise<TransferTimes> {
  const calls = new ObservedCalls();
  const client = new LosslessClient({ ...account, fetch: calls.fetch });
  await push(client, { ...one, parallel, recordDirectory });
  return { startedMs: calls.ended("versions/begin"), endedMs: calls.began("versions/commit") };
}

async function pulled({
  account,
  artifact,
  directory,
  verify,
}: Extract<TransferOrder, { kind: "pull" }>): Promise<TransferTimes> {
  const calls = new ObservedCalls();
  const client = new LosslessClient({ ...account, fetch: calls.fetch });
  await pull(client, { artifact, directory, verify, parallel, rangeBytes });
  return { startedMs: calls.ended("versions/read"), endedMs: performance.now() };
}

/** When calls of the service began and ended, by their path. */
class ObservedCalls {
  readonly #times = new Map<string, { beganMs: number; endedMs: number }>();

  readonly fetch: typeof fetch = async (input, init) => {
    const beganMs = performance.now();
    const reply = await fetch(input, init);
    const path = new URL(String(input)).pathname.replace("/api/v1/", "");
    this.#times.set(path, { beganMs, endedMs: performance.now() });
    return reply;
  };

  began(path: string): number {
    return this.#times.get(path)!.beganMs;
  }

  ended(path: string): number {
    return this.#times.get(path)!.endedMs;
  }
}

async function pushOn(client: LosslessClient, one: Push, recordDirectory: string): Promise<void> {
  const { signal } = stop;
  while (!signal.aborted) {
    try {
      await push(client, { ...one, parallel, recordDirectory, takeOver: true, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
