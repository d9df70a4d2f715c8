import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** The files that the bench with `--peers` has installed and filled. */
export interface PeerFiles {
  /** That of the environment which has the peers. */
  python: string;
  /** A folder of event files, a folder with an `mlflow.db`. */
  tensorboard: string;
  mlflow: string;
}

export async function answered(url: string, isReady: (text: string) => boolean): Promise<void> {
  for (;;) {
    const reply = await fetch(url).catch(() => undefined);
    if (reply?.ok && isReady(await reply.text())) return;
    await sleep(200);
  }
}

export async function end(server: ChildProcess): Promise<void> {
  const exit = once(server, "exit");
  server.kill();
  await exit;
}
