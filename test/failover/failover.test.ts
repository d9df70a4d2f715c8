import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { call, type JsonObject, parseLines, parseObject } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";
import { workersAt } from "../workers.ts";
import { failOver, type FailoverOptions, type FailoverResult, runFailover } from "./campaign.ts";
import { StandbyPair } from "./standby-pair.ts";

let pair: StandbyPair;
before(async () => void (pair = await StandbyPair.start()));
after(() => pair[Symbol.asyncDispose]());

test("two failovers under load, two addresses: nothing acknowledged is lost", async (context) => {
  const result = await runFailover(await options(20_261_122), async (stage) => {
    await failOver(stage, pair, 200);
    await failOver(stage, pair, 200);
  });
  holds(context, result);
});

test("two failovers of a worker under load: the directory and the other worker go on", async (context) => {
  const server = await sharedPostgres();
  const databaseUrl = await server.createDatabase();
  await using workers = await workersAt([
    await pair.createDatabase(),
    await server.createDatabase(),
  ]);
  const result = await runFailover({ databaseUrl, seed: 20_261_124, workers }, async (stage) => {
    for (let time = 0; time < 2; time++) {
      await failOver(stage, pair, 200, () => stage.beside!.more(3));
    }
  });
  holds(context, result);
});

test("waits for the standby are cancelled: without it nothing is acknowledged, and promoted it has all", async (context) => {
  const result = await runFailover(await options(20_261_123), async (stage) => {
    await stage.acknowledgedMore(500);
    await pair.killStandby();
    // Replies that were on their way.
    await sleep(500);
    const before = stage.acknowledged();
    await cancelWaits(5);
    const meanwhile = stage.acknowledged() - before;
    if (meanwhile > 0)
      stage.violations.push(`${meanwhile} points were acknowledged without a standby`);
    await pair.addStandby();
    await stage.acknowledgedMore(500);
    await pair.cutOffStandby();
    await cancelWaits(5);
    await pair.killPrimary();
    await pair.promote();
    await pair.addStandby();
    await stage.acknowledgedMore(500);
  });
  holds(context, result);
});

test("what a node has seen of a commit that never reached the standby is gone after the failover", async () => {
  const databaseUrl = await pair.createDatabase();
  await using reader = await Service.start({ databaseUrl });
  await using writer = await Service.start({ databaseUrl });
  const { experimentId, experimentToken } = await open(reader.baseUrl);
  const send = (step: number): Promise<number> =>
    record(writer.baseUrl, String(experimentId), String(experimentToken), step);
  const read = (): Promise<number[]> => steps(reader.baseUrl, String(experimentId));
  assert.equal(await send(1), 200);
  await pair.cutOffStandby();
  const unknown = send(2);
  // Whichever commits wait: the node's own work is written, too.
  while ((await Promise.race([unknown, sleep(50)])) === undefined) await pair.cancelWaits();
  assert.equal(await unknown, 503);
  assert.deepEqual(await read(), [1, 2]);
  await pair.killPrimary();
  await pair.promote();
  await pair.addStandby();
  while ((await send(3)) !== 200) await sleep(100);
  assert.deepEqual(await read(), [1, 3]);
});

async function options(seed: number): Promise<FailoverOptions> {
  return { databaseUrl: await pair.createDatabase(), seed };
}

/** Cancels waiting commits, the given number of times. */
async function cancelWaits(times: number): Promise<void> {
  for (let time = 0; time < times; await sleep(50)) {
    if ((await pair.cancelWaits()) > 0) time++;
  }
}

function holds(context: TestContext, result: FailoverResult): void {
  const { acknowledgedPoints, storedPoints, unknownRequests, violations } = result;
  context.diagnostic(
    `${acknowledgedPoints} acknowledged, ${storedPoints} stored, ${unknownRequests} requests unknown`,
  );
  assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations`);
  assert.ok(acknowledgedPoints > 0 && storedPoints >= acknowledgedPoints);
}

async function open(baseUrl: string): Promise<JsonObject> {
  const data = { slug: "seen", description: "", meta: {} };
  const reply = await call(baseUrl, {
    path: "/api/v2/events",
    credential: organizations.acme.key,
    body: { messageId: "open", event: "svc.v2.experiment.open", data },
  });
  return parseObject(reply.text).data as JsonObject;
}

async function record(
  baseUrl: string,
  experimentId: string,
  credential: string,
  step: number,
): Promise<number> {
  const point = { metricName: "loss", meta: {}, step, timestampMs: step, metricValue: step };
  const reply = await call(baseUrl, {
    path: `/api/v2/experiments/${experimentId}/events`,
    credential,
    body: {
      messageId: `point ${step}`,
      event: "svc.v2.experiment.metric",
      data: { experimentId, ...point },
    },
  });
  return reply.status;
}

/** Until it is answered: the node may not have found the new primary yet. */
async function steps(baseUrl: string, experimentId: string): Promise<number[]> {
  const event = "svc.v2.query.experimentseries";
  const data = { experimentId, filter: [], xAxis: "step" };
  for (;;) {
    const reply = await call(baseUrl, {
      path: "/api/v2/query/series",
      credential: organizations.acme.key,
      body: { messageId: "read", event, data },
    });
    if (reply.status === 200) {
      return parseLines(reply.text).flatMap((line) => {
        const { data: columns } = line.data as JsonObject;
        return columns === undefined ? [] : ((columns as JsonObject).step as number[]);
      });
    }
    await sleep(100);
  }
}
