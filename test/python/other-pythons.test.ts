import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { mainPython, ModuleRunner, type Python, pythonAt } from "./module-runner.ts";

/**
 * One module of each room of the Python client, on the oldest and on the newest other Python that
 * the machine has, or on those that LOSSLESS_TEST_PYTHONS names, separated by commas.
 */
const oneOfEachRoom = [
  "test_as_wandb",
  "test_client",
  "test_configs",
  "test_equal_bodies",
  "test_framework_reopening",
  "test_import_tables",
  "test_reader",
  "test_records",
  "test_slips",
  "test_tensorboard_files",
  "test_transfer_commands",
  "test_walks_end",
  "test_wandb_environment",
];

suite("the Python client on other Pythons", () => {
  for (const other of otherPythons(mainPython())) {
    test(`one module of each room on ${other.version}`, async () => {
      const runner = new ModuleRunner(other);
      try {
        for (const name of oneOfEachRoom) await runner.run(name);
      } finally {
        runner.end();
      }
    });
  }
});

function otherPythons(than: Python | undefined): Python[] {
  const named = process.env["LOSSLESS_TEST_PYTHONS"];
  if (named !== undefined) {
    return named.split(",").map((path) => {
      const found = pythonAt(path);
      assert.ok(found !== undefined, `LOSSLESS_TEST_PYTHONS: ${path} is no Python 3.10 or newer`);
      return found;
    });
  }
  const minors = Array.from({ length: 10 }, (_, at) => `python3.${10 + at}`);
  const own = globSync(join(homedir(), ".pyenv/versions/3.1*/bin/python3"));
  const others = [...minors, ...own]
    .map(pythonAt)
    .filter((found) => found !== undefined)
    .filter(({ minor }) => minor !== than?.minor)
    .sort((a, b) => a.minor - b.minor);
  const [oldest, newest] = [others[0], others.at(-1)];
  return [oldest, newest].filter(
    (one, at) => one !== undefined && (at === 0 || one.minor !== oldest?.minor),
  ) as Python[];
}
