import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { checkoutRoot } from "./service.ts";

/**
 * The tests of the Python client, in a plain Python with nothing installed: they start the real service themselves.
 * One of them compares what is sent with what the TypeScript client sends (`test/python/record-calls.ts`).
 * Without a Python they are skipped on a person's machine, and fail where CI runs.
 */
const python = ["python3", "python"].find((name) => {
  const { status, stdout } = spawnSync(name, [
    "-c",
    "import sys; print(sys.version_info >= (3, 10))",
  ]);
  return status === 0 && String(stdout).trim() === "True";
});
const skip =
  python === undefined && !process.env["CI"]
    ? "NOT TESTED: the Python client, because there is no Python 3.10 or newer"
    : false;

test("the Python client", { skip, timeout: 2_700_000 }, async () => {
  assert.ok(python !== undefined, "there is no Python 3.10 or newer");
  const child = spawn(
    python,
    ["-W", "error", "-m", "unittest", "discover", "--start-directory", "."],
    {
      cwd: join(checkoutRoot, "python/tests"),
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, LOSSLESS_TEST_NODE: process.execPath },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  assert.equal(code, 0, output);
  // A discovery that finds nothing succeeds too.
  assert.match(output, /^Ran [1-9]\d* tests? in/m);
});
