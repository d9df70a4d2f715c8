import assert from "node:assert/strict";
import { test } from "node:test";
import { lifeOf } from "./liveness.ts";

const minute = 60_000;
const now = 1_000 * minute;
const run = { status: "running", statusAtMs: 0, appendedAtMs: now } as const;
const live = { attempts: 1, sinceMs: now - 14 * minute, beatAtMs: now } as const;

test("what is said of a run beside its status", () => {
  const quiet = { ...run, appendedAtMs: now - 14 * minute };
  const cases: [Parameters<typeof lifeOf>[0], string | undefined][] = [
    [run, undefined],
    [quiet, "silent 14 min"],
    [{ ...run, liveness: { ...live, state: "running" } }, undefined],
    [{ ...quiet, liveness: { ...live, state: "running" } }, "no points for 14 min"],
    [{ ...run, liveness: { ...live, state: "silent" } }, "silent 14 min"],
    [{ ...run, liveness: { ...live, state: "gone" } }, "ended, how is not known"],
    [
      { ...run, status: "error", liveness: { ...live, state: "killed", signal: 9 } },
      "ended by signal 9 (SIGKILL)",
    ],
    [
      { ...run, status: "error", liveness: { ...live, state: "exited", exitCode: 3 } },
      "ended (exit code 3)",
    ],
    [{ ...run, status: "done", liveness: { ...live, state: "finished" } }, undefined],
    [{ ...run, status: "done", liveness: { ...live, state: "silent" } }, undefined],
  ];
  for (const [facts, text] of cases) assert.equal(lifeOf(facts, now)?.text, text);
});
