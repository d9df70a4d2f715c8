import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** All programs together have this long. */
const programsMs = 15_000;

/** Asks other programs, git and nvidia-smi, for a bounded time. */
export class Programs {
  readonly #signal: AbortSignal;

  constructor(signal?: AbortSignal) {
    const timeUp = AbortSignal.timeout(programsMs);
    this.#signal = signal === undefined ? timeUp : AbortSignal.any([signal, timeUp]);
  }

  /**
   * Returns what a program prints, of a longer answer with `isCut` the first `bytesMax` bytes and
   * one more; undefined: it is missing, refuses, or took too long.
   */
  ask(
    [program = "", ...words]: readonly string[],
    bytesMax: number,
    variables: Readonly<Record<string, string>> = {},
    isCut = false,
  ): Promise<Buffer | undefined> {
    if (this.#signal.aborted || !isInstalled(program)) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
    const child = spawn(program, words, {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, ...variables },
      signal: this.#signal,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= bytesMax) return;
      child.stdout.destroy();
      child.kill("SIGKILL");
      resolve(isCut ? Buffer.concat(chunks).subarray(0, bytesMax + 1) : undefined);
    });
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks) : undefined));
    // A script that ends does not wait for it.
    child.unref();
    return promise;
  }
}

/** Starting a program that is missing costs as much as starting one. */
function isInstalled(program: string): boolean {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  return directories.some((directory) =>
    endings.some((ending) => existsSync(join(directory, program + ending))),
  );
}
