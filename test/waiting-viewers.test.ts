import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LosslessClient } from "@lossless/client";
import { residentMebibytes } from "./bench/measure.ts";
import { Figures } from "./figures.ts";
import { call, type HttpReply } from "./http.ts";
import { organizations, Service } from "./service.ts";

const viewers = 1_000;
const rowsOnScreen = 100;
/** Measured were 25 to 40, of which 8 are their connections before they send anything. */
const grownMebibytesMax = 200;

test("a thousand viewers wait in bounded memory, in nobody's way, and are answered at the end", async () => {
  const figures = await Figures.onFreePort();
  await using service = await Service.start({ flags: figures.flags });
  const { acme, rival } = organizations;
  const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: acme.key });
  const ids: string[] = [];
  for (let number = 0; number < 2 * rowsOnScreen; number++) {
    const slug = `experiment-${number}`;
    ids.push((await client.openExperiment({ slug, description: "", meta: {} })).experimentId);
  }
  const agent = new Agent({ keepAlive: true });
  const wait = (credential: string, first: number): Promise<HttpReply> => {
    const experiments = ids
      .slice(first, first + rowsOnScreen)
      .map((experimentId) => ({ experimentId, revision: 1 }));
    const body = { experiments, waitMs: 25_000 };
    return call(service.baseUrl, { path: "/api/views/v1/changes", credential, body, agent });
  };
  const before = residentMebibytes(service.processId);
  let answered = 0;
  const waits = Array.from({ length: viewers }, async (_, number) => {
    const reply = await wait(acme.key, number % rowsOnScreen);
    answered++;
    return reply;
  });
  while ((await figures.value("lossless_waits")) + answered < viewers) await sleep(50);
  const grown = residentMebibytes(service.processId) - before;
  assert.ok(grown < grownMebibytesMax, `${grown} MiB more`);
  // Another organization's experiments are none of theirs, and it has its places.
  const theirs = await call(service.baseUrl, {
    path: "/api/views/v1/changes",
    credential: rival.key,
    body: { experiments: [{ experimentId: ids[0], revision: 0 }], waitMs: 0 },
  });
  assert.deepEqual([theirs.status, JSON.parse(theirs.text).experiments], [200, []]);
  const exit = await service.stop();
  for (const { status, text } of await Promise.all(waits)) {
    assert.equal(status, 200, text);
    assert.deepEqual((JSON.parse(text) as { experiments: unknown[] }).experiments, []);
  }
  agent.destroy();
  assert.equal(exit, 0);
});
