import assert from "node:assert/strict";
import { test } from "node:test";
import { Failpoints } from "./failpoints.ts";

test("a failpoint acts at the pass that it names, and only then", async () => {
  const failpoints = new Failpoints("open.afterOpen:2=error,commit.afterCommit=error");
  await failpoints.pass("open.afterOpen");
  await failpoints.pass("begin.afterBegin");
  await assert.rejects(failpoints.pass("open.afterOpen"));
  await failpoints.pass("open.afterOpen");
  await assert.rejects(failpoints.pass("commit.afterCommit"));
});

test("a text that names none is refused, so that no test kills nothing by mistake", () => {
  for (const text of ["open.after=kill", "open.afterOpen=die", "open.afterOpen:x=kill", "open"]) {
    assert.throws(() => new Failpoints(text));
  }
});
