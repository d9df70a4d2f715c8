import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pythonEnvironment } from "../../scripts/python-tools.ts";
import { checkoutRoot } from "../service.ts";

test("arrays of numpy and frames of pandas are logged", () => {
  const { environment, problem } = pythonEnvironment("requirements-readers.txt");
  assert.equal(problem, undefined);
  const { status, stderr } = spawnSync(
    join(environment, "bin/python"),
    ["-m", "unittest", "test_logged_media.Arrays"],
    { cwd: join(checkoutRoot, "python/tests"), encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /skipped/);
});
