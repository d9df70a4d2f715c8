import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { mock, test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { ClientGone } from "./client-gone.ts";
import { RequestBudget } from "../limits/request-budget.ts";
import { gatherBody, wholeBodyWatch } from "./whole-body.ts";

const megabyte = 1_000_000;

/** Sends a body of `sizeBytes` at so many bytes a second; its fate, and after how many seconds. */
async function sendEverySecond(bytes: number, sizeBytes: number): Promise<[unknown, number]> {
  mock.timers.enable({ apis: ["setInterval"] });
  let nowMs = 0;
  const clock = mock.method(performance, "now", () => nowMs);
  try {
    const request = new PassThrough() as unknown as IncomingMessage & PassThrough;
    const budget = new RequestBudget(megabyte, megabyte);
    const allowance = { budget, holder: "a", watch: wholeBodyWatch(120_000) };
    const refusal = () => new ServiceError("payload_too_large", "");
    using reservation = budget.reserve("a", 0);
    let end: unknown;
    gatherBody(request, reservation, allowance, megabyte, refusal).then(
      (chunks) => (end = Buffer.concat(chunks).length),
      (error: unknown) => (end = (error as ServiceError).code),
    );
    for (let sent = 0; end === undefined && sent < sizeBytes; sent += bytes) {
      nowMs += 1_000;
      mock.timers.tick(1_000);
      request.write(Buffer.alloc(Math.min(bytes, sizeBytes - sent)));
      await new Promise((done) => setImmediate(done));
      if (end === undefined) assert.equal(budget.usedBytes, Math.min(sent + bytes, sizeBytes));
    }
    request.end();
    while (end === undefined) await new Promise((done) => setImmediate(done));
    return [end, nowMs / 1_000];
  } finally {
    clock.mock.restore();
    mock.timers.reset();
  }
}

test("a body over a slow mobile line passes", async () => {
  assert.deepEqual(await sendEverySecond(2_000, 50_000), [50_000, 25]);
  assert.deepEqual(await sendEverySecond(5_000, 500_000), [500_000, 100]);
});

test("one byte a second does not hold its place for the whole time-out", async () => {
  assert.deepEqual(await sendEverySecond(1, megabyte), ["request_timeout", 20]);
});

test("nor does just enough not to stand still", async () => {
  assert.deepEqual(await sendEverySecond(60, megabyte), ["request_timeout", 30]);
});

test("a client that has left already is not waited for", async () => {
  const request = new PassThrough() as unknown as IncomingMessage & PassThrough;
  await once(request.destroy(), "close");
  const budget = new RequestBudget(megabyte, megabyte);
  const allowance = { budget, holder: "a", watch: wholeBodyWatch(1_200) };
  const refusal = () => new ServiceError("payload_too_large", "");
  using reservation = budget.reserve("a", 0);
  await assert.rejects(gatherBody(request, reservation, allowance, megabyte, refusal), ClientGone);
});
