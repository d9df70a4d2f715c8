import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { suite, test } from "node:test";
import { isInUse, ownProcess } from "./writing-process.ts";

suite("a process that writes", () => {
  test("it is known by its number, and by its start where the system tells that", async () => {
    assert.equal(isInUse({ process: ownProcess() }), false);
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    await once(child, "spawn");
    const other = { host: hostname(), id: child.pid! };
    assert.equal(isInUse({ process: other }), true);
    assert.equal(isInUse({ process: { ...other, host: "elsewhere" } }), false);
    assert.equal(isInUse({ process: { ...other, started: "another start 1" } }), false);
    child.stdin.end();
    await once(child, "exit");
    assert.equal(isInUse({ process: other }), false);
  });
});
