import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { mock, test } from "node:test";
import { partBody, partWatch } from "./part-body.ts";

const timeoutMs = 120_000;

/** Sends so much every ten seconds for ten minutes; the body's fate, and after how many seconds. */
async function sendEveryTenSeconds(bytes: number): Promise<[unknown, number]> {
  mock.timers.enable({ apis: ["setInterval"] });
  let nowMs = 0;
  const clock = mock.method(performance, "now", () => nowMs);
  try {
    const request = new PassThrough() as unknown as IncomingMessage & PassThrough;
    let end: unknown;
    const read = (async () => {
      for await (const _pieces of partBody(request, partWatch(timeoutMs))) continue;
    })().then(
      () => (end = "complete"),
      (error: unknown) => (end = (error as { code: unknown }).code),
    );
    while (end === undefined && nowMs < 600_000) {
      for (let second = 0; second < 10 && end === undefined; second++) {
        nowMs += 1_000;
        mock.timers.tick(1_000);
        await new Promise((done) => setImmediate(done));
      }
      request.write(Buffer.alloc(bytes));
      await new Promise((done) => setImmediate(done));
    }
    const seconds = nowMs / 1_000;
    request.end();
    await read;
    return [end, seconds];
  } finally {
    clock.mock.restore();
    mock.timers.reset();
  }
}

test("a part that comes at 20 KiB a second may take its time", async () => {
  assert.deepEqual(await sendEveryTenSeconds(204_800), ["complete", 600]);
});

test("one that comes at 1 KiB a second, enough not to stand still, ends after a minute", async () => {
  assert.deepEqual(await sendEveryTenSeconds(10_240), ["request_timeout", 60]);
});
