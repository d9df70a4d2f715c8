import assert from "node:assert/strict";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { mainPython, ModuleRunner, modulesDirectory } from "./python/module-runner.ts";

/**
 * The tests of the Python client, in a plain Python with nothing installed: they start the real
 * service themselves. All of them run on `python3`, in three processes that share a service each
 * and take the next module when they have done one: tests wait more than they work.
 * LOSSLESS_TEST_PYTHON_MODULES takes some modules alone. One of them compares what is sent with
 * what the TypeScript client sends (`test/python/record-calls.ts`). Without a Python they are
 * skipped on a person's machine, and fail where CI runs. `test:systems` has other Pythons.
 */
const processes = 3;

const main = mainPython();
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
});

/** A module's size stands for its time. */
function largestFirst(): string[] {
  const size = (name: string) => statSync(join(modulesDirectory, name)).size;
  return globSync("test_*.py", { cwd: modulesDirectory })
    .sort((a, b) => size(b) - size(a))
    .map((name) => name.slice(0, -3));
}
