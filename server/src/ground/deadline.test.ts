import assert from "node:assert/strict";
import { test } from "node:test";
import { withDeadline } from "./deadline.ts";

const never = () => new Promise<never>(() => undefined);
const late = () => "late";

test("work that ends in time is what it is, and what is late is given up", async () => {
  for (const deadline of [undefined, 60_000, new AbortController().signal]) {
    assert.equal(await withDeadline(deadline, async () => "done", late), "done");
    const failing = withDeadline(deadline, () => Promise.reject(new Error("no")), late);
    await assert.rejects(failing, /no/);
  }
  const tooLate = () => Promise.reject(new Error("too late"));
  await assert.rejects(withDeadline(1, never, tooLate), /too late/);
  const stop = new AbortController();
  const stopped = withDeadline(stop.signal, never, late);
  stop.abort();
  assert.equal(await stopped, "late");
  const begin = async () => assert.fail("it has begun");
  assert.equal(await withDeadline(stop.signal, begin, late), "late");
});
