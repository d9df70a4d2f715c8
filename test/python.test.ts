import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { after, suite, test } from "node:test";
import { checkoutRoot } from "./service.ts";

/**
 * The tests of the Python client, in a plain Python with nothing installed: they start the real
 * service themselves. All of them run on `python3`, in three processes that share a service each
 * and take the next module when they have done one: tests wait more than they work. One module of
 * each room runs on the oldest and on the newest other Python that the machine has, or on those
 * that LOSSLESS_TEST_PYTHONS names, separated by commas. LOSSLESS_TEST_PYTHON_MODULES takes some
 * modules alone. One of them compares what is sent with what the TypeScript client sends
 * (`test/python/record-calls.ts`). Without a Python they are skipped on a person's machine, and
 * fail where CI runs.
 */
const directory = join(checkoutRoot, "python/tests");
const processes = 3;
const oneOfEachRoom = [
  "test_client",
  "test_configs",
  "test_equal_bodies",
  "test_framework_reopening",
  "test_reader",
  "test_records",
  "test_slips",
  "test_tensorboard_files",
  "test_transfer_commands",
  "test_walks_end",
  "test_wandb_environment",
];

/** Every script of a test is a process that loads the client. */
const compiledOnce = {
  PYTHONDONTWRITEBYTECODE: "",
  PYTHONPYCACHEPREFIX: join(checkoutRoot, "node_modules/.cache/lossless-test/python"),
};

interface Python {
  path: string;
  /** The x of 3.x.y. */
  minor: number;
  version: string;
}

const main = ["python3", "python"].map(asked).find((found) => found !== undefined);
const skip =
  main === undefined && !process.env["CI"]
    ? "NOT TESTED: the Python client, because there is no Python 3.10 or newer"
    : false;

suite("the Python client", { skip, concurrency: processes }, () => {
  if (main === undefined) {
    test("a Python is there", () => assert.fail("there is no Python 3.10 or newer"));
    return;
  }
  const wanted = process.env["LOSSLESS_TEST_PYTHON_MODULES"]?.split(",");
  const free: ModuleRunner[] = [];
  after(() => free.forEach((runner) => runner.end()));
  for (const name of wanted ?? largestFirst()) {
    test(`${name} on ${main.version}`, async () => {
      const runner = free.pop() ?? new ModuleRunner(main);
      await runner.run(name).finally(() => runner.isAlive && free.push(runner));
    });
  }
  for (const other of otherPythons(main)) {
    const modules = oneOfEachRoom.filter((name) => wanted?.includes(name) !== false);
    if (modules.length === 0) continue;
    test(`one module of each room on ${other.version}`, async () => {
      const runner = new ModuleRunner(other);
      try {
        for (const name of modules) await runner.run(name);
      } finally {
        runner.end();
      }
    });
  }
});

/** A Python that runs modules of tests one after the other, which share what they started. */
class ModuleRunner {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #results: AsyncIterator<string, undefined>;
  #errors = "";

  constructor({ path }: Python) {
    this.#child = spawn(path, ["-W", "error", "modules.py"], {
      cwd: directory,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...compiledOnce, LOSSLESS_TEST_NODE: process.execPath },
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

  /** What its modules share ends with it. */
  end(): void {
    this.#child.stdin.end();
  }
}

/** A module's size stands for its time. */
function largestFirst(): string[] {
  const size = (name: string) => statSync(join(directory, name)).size;
  return globSync("test_*.py", { cwd: directory })
    .sort((a, b) => size(b) - size(a))
    .map((name) => name.slice(0, -3));
}

function otherPythons(than: Python): Python[] {
  const named = process.env["LOSSLESS_TEST_PYTHONS"];
  if (named !== undefined) {
    return named.split(",").map((path) => {
      const found = asked(path);
      assert.ok(found !== undefined, `LOSSLESS_TEST_PYTHONS: ${path} is no Python 3.10 or newer`);
      return found;
    });
  }
  const minors = Array.from({ length: 10 }, (_, at) => `python3.${10 + at}`);
  const own = globSync(join(homedir(), ".pyenv/versions/3.1*/bin/python3"));
  const others = [...minors, ...own]
    .map(asked)
    .filter((found) => found !== undefined)
    .filter(({ minor }) => minor !== than.minor)
    .sort((a, b) => a.minor - b.minor);
  const [oldest, newest] = [others[0], others.at(-1)];
  return [oldest, newest].filter(
    (one, at) => one !== undefined && (at === 0 || one.minor !== oldest?.minor),
  ) as Python[];
}

function asked(path: string): Python | undefined {
  const program =
    "import sys; print(sys.version_info[0], sys.version_info[1], sys.version.split()[0])";
  const { status, stdout } = spawnSync(path, ["-c", program], { encoding: "utf8" });
  const [major, minor, version] = status === 0 ? stdout.trim().split(" ") : [];
  if (major !== "3" || Number(minor) < 10 || version === undefined) return undefined;
  return { path, minor: Number(minor), version };
}
