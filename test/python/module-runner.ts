import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { checkoutRoot, serviceProgram } from "../service.ts";

export const modulesDirectory = join(checkoutRoot, "python/tests");

export interface Python {
  path: string;
  /** The x of 3.x.y. */
  minor: number;
  version: string;
}

export function mainPython(): Python | undefined {
  return ["python3", "python"].map(pythonAt).find((found) => found !== undefined);
}

/** Undefined where there is no Python 3.10 or newer. */
export function pythonAt(path: string): Python | undefined {
  const program =
    "import sys; print(sys.version_info[0], sys.version_info[1], sys.version.split()[0])";
  const { status, stdout } = spawnSync(path, ["-c", program], { encoding: "utf8" });
  const [major, minor, version] = status === 0 ? stdout.trim().split(" ") : [];
  if (major !== "3" || Number(minor) < 10 || version === undefined) return undefined;
  return { path, minor: Number(minor), version };
}

/** Every script of a test is a process that loads the client. */
const compiledOnce = {
  PYTHONDONTWRITEBYTECODE: "",
  PYTHONPYCACHEPREFIX: join(checkoutRoot, "node_modules/.cache/lossless-test/python"),
};

/** A Python that runs modules of tests one after the other, which share what they started. */
export class ModuleRunner {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #results: AsyncIterator<string, undefined>;
  #errors = "";

  constructor({ path }: Python) {
    this.#child = spawn(path, ["-W", "error", "modules.py"], {
      cwd: modulesDirectory,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...process.env,
        ...compiledOnce,
        LOSSLESS_TEST_NODE: process.execPath,
        LOSSLESS_TEST_PROGRAM: serviceProgram,
      },
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#errors += text));
    this.#results = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** It fails with all that the module has said. */
  async run(name: string): Promise<void> {
    this.#errors = "";
    this.#child.stdin.write(`${name}\n`);
    const { value } = await this.#results.next();
    assert.ok(value !== undefined, `the Python that ran ${name} has ended\n${this.#errors}`);
    const { isPassed, report } = JSON.parse(value) as { isPassed: boolean; report: string };
    assert.ok(isPassed, `${name}\n${this.#errors}\n${report}`);
  }

  /** Ends the services that its modules share. */
  end(): void {
    this.#child.stdin.end();
  }
}
