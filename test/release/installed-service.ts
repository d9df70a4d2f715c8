import { spawn } from "node:child_process";
import { once } from "node:events";
import { LosslessClient } from "@lossless/client";

export interface InstalledService extends AsyncDisposable {
  readonly baseUrl: string;
  /** The key that the first start printed; "" at a later one. */
  readonly apiKey: string;
  /** The exit code after SIGTERM. */
  stop(): Promise<number | null>;
}

/**
 * The environment of a new user: no variable of ours, no home with a cache, and the machine's own
 * Node.
 */
export function bareEnvironment(more: Record<string, string> = {}): Record<string, string> {
  return { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...more };
}

/** Starts `serve` of an installed command, with no data yet, and waits until it is ready. */
export async function serveInstalled(
  [program, ...words]: readonly string[],
  options: { data: string; cwd: string; env?: Record<string, string> },
): Promise<InstalledService> {
  const { data, cwd, env = {} } = options;
  const child = spawn(program, [...words, "serve", "--data", data, "--port", "0"], {
    cwd,
    env: bareEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const exited = once(child, "exit") as Promise<[number | null]>;
  const ready = /^Lossless is ready at (http:\S+)$/m;
  while (!ready.test(output)) {
    await Promise.race([
      once(child.stdout, "data"),
      exited.then(() => {
        throw new Error(`the service ended before it was ready:\n${output}`);
      }),
    ]);
  }
  return {
    baseUrl: ready.exec(output)![1],
    apiKey: /ak_\w+/.exec(output)?.[0] ?? "",
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Records 100 points, and gives what the service gives back for them. */
export async function recordAndRead({ baseUrl, apiKey }: InstalledService): Promise<number[]> {
  const client = new LosslessClient({ baseUrl, apiKey });
  const recorder = await client.record({ slug: "installed" });
  for (const value of recorded) recorder.record("loss", value, recorded.indexOf(value));
  await recorder.finish();
  return readBack({ baseUrl, apiKey });
}

/** Those points, as any process of the installation gives them back. */
export async function readBack(
  settings: Pick<InstalledService, "baseUrl" | "apiKey">,
): Promise<number[]> {
  const client = new LosslessClient(settings);
  const { experimentId } = await client.experiment({ experimentSlug: "installed" });
  const read: number[] = [];
  for await (const { value } of client.series({ experimentId })) read.push(...value);
  return read;
}

export const recorded = Array.from({ length: 100 }, (_, step) => Math.exp(-step / 20));
