import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.ts";

/** MLflow's own server, with a database and files of its own, as its documentation starts it. */
export class MlflowServer implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  private constructor(baseUrl: string, process: ChildProcess, directory: string) {
    this.baseUrl = baseUrl;
    this.#process = process;
    this.#directory = directory;
  }

  /** @param python that of an environment which has MLflow */
  static async start(python: string): Promise<MlflowServer> {
    const directory = mkdtempSync(join(tmpdir(), "lossless-mlflow-"));
    const port = String(await freePort());
    const words = ["-m", "mlflow", "server", "--workers", "1", "--host", "127.0.0.1"];
    words.push("--port", port, "--backend-store-uri", `sqlite:///${join(directory, "runs.db")}`);
    words.push("--artifacts-destination", join(directory, "files"));
    // A group of its own: the server starts processes, which end with it.
    const child = spawn(python, words, { stdio: "ignore", detached: true, cwd: directory });
    const server = new MlflowServer(`http://127.0.0.1:${port}`, child, directory);
    for (;;) {
      const reply = await fetch(`${server.baseUrl}/health`).catch(() => undefined);
      if (reply?.ok) return server;
      if (child.exitCode !== null) {
        await server[Symbol.asyncDispose]();
        throw new Error(`MLflow's server ended with ${child.exitCode}: ${words.join(" ")}`);
      }
      await sleep(100);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exit = once(this.#process, "exit");
      process.kill(-this.#process.pid!, "SIGTERM");
      await exit;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
