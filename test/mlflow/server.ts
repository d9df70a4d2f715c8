import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { guard } from "../guardian.ts";

/** MLflow's own server on SQLite, as its documentation starts it. */
export class MlflowServer implements AsyncDisposable {
  readonly baseUrl: string;
  /** Its files are here. */
  readonly directory: string;
  /** The group of its processes. */
  readonly group: number;
  readonly #guardian: AsyncDisposable;

  private constructor(
    { baseUrl, directory, group }: Pick<MlflowServer, "baseUrl" | "directory" | "group">,
    guardian: AsyncDisposable,
  ) {
    this.baseUrl = baseUrl;
    this.directory = directory;
    this.group = group;
    this.#guardian = guardian;
  }

  /**
   * It ends when disposed, and also when this process ends in whatever way.
   *
   * @param python that of an environment which has MLflow
   * @param kept a directory with its `mlflow.db`, which stays; else it gets one that goes
   * @param workers its processes that answer; undefined: as many as it takes by itself
   */
  static async start(
    python: string,
    { kept, workers }: { kept?: string; workers?: number | undefined } = { workers: 1 },
  ): Promise<MlflowServer> {
    const directory = kept ?? mkdtempSync(join(tmpdir(), "lossless-mlflow-"));
    const port = String(await freePort());
    const words = ["-m", "mlflow", "server", "--host", "127.0.0.1"];
    if (workers !== undefined) words.push("--workers", String(workers));
    words.push("--port", port, "--backend-store-uri", `sqlite:///${join(directory, "mlflow.db")}`);
    words.push("--artifacts-destination", join(directory, "files"));
    // A group of its own: the server starts processes, which end with it.
    const child = spawn(python, words, { stdio: "ignore", detached: true, cwd: directory });
    if (child.pid === undefined) throw new Error(`MLflow's server did not start: ${python}`);
    child.unref();
    const own = kept === undefined ? directory : undefined;
    const guardian = guard({ target: -child.pid, signal: "TERM", directory: own });
    const baseUrl = `http://127.0.0.1:${port}`;
    const server = new MlflowServer({ baseUrl, directory, group: child.pid }, guardian);
    for (;;) {
      const reply = await fetch(`${server.baseUrl}/health`).catch(() => undefined);
      if (reply?.ok) return server;
      const ended = child.exitCode ?? child.signalCode;
      if (ended !== null) {
        await server[Symbol.asyncDispose]();
        throw new Error(`MLflow's server ended with ${ended}: ${words.join(" ")}`);
      }
      await sleep(100);
    }
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#guardian[Symbol.asyncDispose]();
  }
}
