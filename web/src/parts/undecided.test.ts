import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { Undecided } from "./undecided.ts";

const living = { attempts: 1, state: "running", sinceMs: 0, beatAtMs: 1_000_000 } as const;
const seen = { experimentId: "e", revision: 7, liveness: living };
const lateMs = living.beatAtMs + limits.attemptSilentMs;

test("a run whose beat is old is asked for at once, and once in a while", () => {
  const undecided = new Undecided();
  assert.equal(undecided.revisionOf(seen, lateMs - 1), 7);
  assert.equal(undecided.revisionOf(seen, lateMs), 0);
  assert.equal(undecided.revisionOf(seen, lateMs + 1), 7);
  assert.equal(undecided.revisionOf(seen, lateMs + limits.attemptBeatMs), 0);
});

test("what is decided is not asked for", () => {
  const undecided = new Undecided();
  for (const state of ["silent", "finished", "killed", "gone"] as const)
    assert.equal(undecided.revisionOf({ ...seen, liveness: { ...living, state } }, lateMs), 7);
  assert.equal(undecided.revisionOf({ experimentId: "e", revision: 7 }, lateMs), 7);
});
