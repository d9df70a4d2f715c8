import assert from "node:assert/strict";
import { test } from "node:test";
import { findViolation } from "./linearizable.ts";
import type { Operation, Reply, Request } from "./operation.ts";

const at = (invokedMs: number, returnedMs: number, request: Request, reply: Reply): Operation => ({
  invokedMs,
  returnedMs,
  request,
  reply,
});
const open = (from: number, to: number, epoch: number, latest: string | null = null) =>
  at(
    from,
    to,
    { kind: "open", mode: latest === null ? "new" : "latest" },
    { kind: "ok", epoch, latest },
  );
const begin = (from: number, to: number, epoch: number, version: string, reply?: Reply) =>
  at(from, to, { kind: "begin", epoch, version }, reply ?? { kind: "ok" });
const commit = (from: number, to: number, epoch: number, version: string, reply?: Reply) =>
  at(
    from,
    to,
    { kind: "commit", epoch, version, upload: `${epoch}/${version}` },
    reply ?? { kind: "ok" },
  );
const read = (from: number, to: number, latest: string | null) =>
  at(
    from,
    to,
    { kind: "read" },
    latest === null ? { kind: "refused", code: "not_found" } : { kind: "ok", latest },
  );
const superseded = (epoch: number): Reply => ({ kind: "refused", code: "superseded", epoch });
const unknown: Reply = { kind: "unknown" };

test("what one writer does after the other is explained", () => {
  const history = [
    read(0, 1, null),
    open(2, 3, 1),
    begin(4, 5, 1, "a"),
    commit(6, 7, 1, "a"),
    commit(8, 9, 1, "a"),
    read(10, 11, "a"),
    open(12, 13, 2, "a"),
    begin(14, 15, 1, "b", superseded(2)),
    begin(14, 15, 2, "a", { kind: "refused", code: "not_after_latest" }),
    commit(16, 17, 1, "a"),
  ];
  assert.equal(findViolation(history), undefined);
});

test("concurrent operations may have happened in either order", () => {
  assert.equal(findViolation([open(0, 10, 2), open(0, 10, 1)]), undefined);
  assert.equal(
    findViolation([open(0, 1, 1), begin(2, 3, 1, "a"), commit(4, 9, 1, "a"), read(5, 6, null)]),
    undefined,
  );
});

test("an operation without a reply happened once, at any later moment, or never", () => {
  const lostCommit = [open(0, 1, 1), begin(2, 3, 1, "a"), commit(4, Infinity, 1, "a", unknown)];
  assert.equal(findViolation([...lostCommit, read(5, 6, null)]), undefined);
  assert.equal(findViolation([...lostCommit, read(5, 6, null), read(7, 8, "a")]), undefined);
  const lostOpen = at(0, Infinity, { kind: "open", mode: "new" }, unknown);
  assert.equal(findViolation([lostOpen, open(2, 3, 2)]), undefined);
  assert.equal(findViolation([lostOpen, open(2, 3, 1)]), undefined);
  assert.notEqual(findViolation([lostOpen, open(2, 3, 3)]), undefined);
});

const faults: Record<string, Operation[]> = {
  "an epoch is given twice": [open(0, 1, 1), open(2, 3, 1)],
  "an epoch is given twice at the same time": [open(0, 3, 1), open(1, 2, 1)],
  "an epoch goes back": [open(0, 1, 2), open(2, 3, 1)],
  "a superseded writer commits": [
    open(0, 1, 1),
    begin(2, 3, 1, "a"),
    open(4, 5, 2),
    commit(6, 7, 1, "a"),
  ],
  "the latest version goes back": [
    open(0, 1, 1),
    commit(2, 3, 1, "a"),
    commit(4, 5, 1, "b"),
    read(6, 7, "a"),
  ],
  "the latest version lags": [open(0, 1, 1), commit(2, 3, 1, "a"), read(4, 5, null)],
  "a version below the latest is committed": [
    open(0, 1, 1),
    commit(2, 3, 1, "b"),
    commit(4, 5, 1, "a"),
  ],
  "a version that nobody committed is read": [open(0, 1, 1), read(2, 3, "a")],
  "a healthy writer is refused": [open(0, 1, 1), begin(2, 3, 1, "a", superseded(1))],
  "the reply names another epoch than the current one": [
    open(0, 1, 1),
    open(2, 3, 2),
    begin(4, 5, 1, "a", superseded(3)),
  ],
  "a commit without a reply is seen and then gone": [
    open(0, 1, 1),
    commit(2, Infinity, 1, "a", unknown),
    read(4, 5, "a"),
    read(6, 7, null),
  ],
  "an opener misses a commit": [open(0, 1, 1), commit(2, 3, 1, "a"), open(4, 5, 2)],
};

for (const [name, history] of Object.entries(faults)) {
  test(`noticed: ${name}`, () => assert.notEqual(findViolation(history), undefined));
}
