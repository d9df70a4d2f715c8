import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { checkoutRoot } from "./service.ts";

/**
 * The tests of the Python client, in a plain Python with nothing installed: they start the real
 * service themselves. All of them run on `python3`, in three processes at a time, since they wait
 * more than they work; one module of each room runs on the oldest and on the newest other Python
 * that the machine has, or on those that LOSSLESS_TEST_PYTHONS names, separated by commas.
 * LOSSLESS_TEST_PYTHON_MODULES takes some modules alone. One of them compares what is sent with
 * what the TypeScript client sends (`test/python/record-calls.ts`). Without a Python they are
 * skipped on a person's machine, and fail where CI runs.
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
  for (const [at, modules] of shares(wanted ?? largestFirst()).entries()) {
    test(`all on ${main.version}, part ${at + 1}`, () => passes(main, modules));
  }
  for (const other of otherPythons(main)) {
    const modules = oneOfEachRoom.filter((name) => wanted?.includes(name) !== false);
    if (modules.length === 0) continue;
    test(`one module of each room on ${other.version}`, () => passes(other, modules));
  }
});

async function passes({ path }: Python, modules: string[]): Promise<void> {
  const child = spawn(path, ["-W", "error", "-m", "unittest", ...modules], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LOSSLESS_TEST_NODE: process.execPath },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.equal(code, 0, output);
  // A module without a test succeeds too.
  assert.match(output, /^Ran [1-9]\d* tests? in/m);
}

/** A module's size stands for its time. */
function largestFirst(): string[] {
  const size = (name: string) => statSync(join(directory, name)).size;
  return globSync("test_*.py", { cwd: directory })
    .sort((a, b) => size(b) - size(a))
    .map((name) => name.slice(0, -3));
}

function shares(modules: string[]): string[][] {
  return Array.from({ length: processes }, (_, share) =>
    modules.filter((_, at) => at % processes === share),
  ).filter((share) => share.length > 0);
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
