import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExperimentCaller, OrganizationCaller } from "../contract/callers.ts";
import { signIn } from "../contract/people.ts";
import { askTrash, entriesOf, untilGone } from "../contract/trash-v1/trash-calls.ts";
import { Figures } from "../figures.ts";
import { call } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";

/** Points of one request, requests in all, and requests under way at once. */
const pointsPerBatch = 200;
const batches = 120;
const writers = 4;
const experimentCount = 3;
const { key } = organizations.acme;

test("two nodes on one database: every batch to both, a sealer at work, one node killed", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  // Sealing after so few points makes both nodes lose their picture of the log again and again.
  const flags = ["--seal-points", "2000", "--seal-idle-ms", "2000"];
  await using first = await Service.start({ databaseUrl, flags });
  await using second = await Service.start({ databaseUrl, flags });
  const experiments = await openOnBoth(first, second);
  const sent = new Map<string, number>();
  let next = 0;
  const write = async (): Promise<void> => {
    for (let number = next++; number < batches; number = next++) {
      if (number === Math.floor(batches / 2)) await second.kill();
      const { experimentId, token } = experiments[number % experimentCount];
      const body = metricBatch(experimentId, number, sent);
      await Promise.all([
        send(first, experimentId, token, body),
        sendOrNothing(second, experimentId, token, body),
      ]);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));

  await second.start();
  for (const node of [first, second]) {
    for (const { experimentId } of experiments) {
      const stored = await readSeries(node, experimentId);
      const expected = [...sent]
        .filter(([id]) => id.startsWith(experimentId))
        .map(([, value]) => value);
      assert.deepEqual(stored.sort(), expected.sort());
      assert.equal(await countedPoints(node, experimentId), expected.length);
    }
  }
});

test("two nodes share the sealing, and the one that is left seals all", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const [one, other] = [await Figures.onFreePort(), await Figures.onFreePort()];
  const start = ({ flags }: Figures) =>
    Service.start({ databaseUrl, flags: [...flags, "--seal-idle-ms", "500"] });
  await using first = await start(one);
  await using second = await start(other);
  const target = { baseUrl: first.baseUrl, observe: () => undefined };
  let recorded = 0;
  const record = async (): Promise<void> => {
    const run = await new OrganizationCaller(target, key).open(`run-${recorded++}`);
    await run.send(run.metric({ step: 0 }));
  };
  // The first one has all until it knows of the second.
  while ((await sealedAt(one)) === 0 || (await sealedAt(other)) === 0) await record();
  while ((await sealedAt(one)) + (await sealedAt(other)) < recorded) await sleep(100);
  const before = await sealedAt(one);
  await second.kill();
  // Half of these are of the other's slices, more or less.
  for (let count = 0; count < 40; count++) await record();
  while ((await sealedAt(one)) < before + 40) await sleep(100);
});

function sealedAt(figures: Figures): Promise<number> {
  return figures.value("lossless_storage_sealed_points_total");
}

test("what one node acknowledged, the other one reads at once", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using first = await Service.start({ databaseUrl });
  await using second = await Service.start({ databaseUrl });
  const [{ experimentId, token }] = (await openOnBoth(first, second)) as [Opened];
  const sent = new Map<string, number>();
  for (let number = 0; number < 20; number++) {
    const [writer, reader] = number % 2 === 0 ? [first, second] : [second, first];
    await send(writer, experimentId, token, metricBatch(experimentId, number, sent));
    assert.equal((await readSeries(reader, experimentId)).length, sent.size);
  }
});

test("a token revoked at one node is refused by the other from the next request on", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using first = await Service.start({ databaseUrl });
  await using second = await Service.start({ databaseUrl });
  const [{ experimentId, token }] = (await openOnBoth(first, second)) as [Opened];
  const sent = new Map<string, number>();
  await send(second, experimentId, token, metricBatch(experimentId, 0, sent));
  const revoke = { messageId: "r", event: "svc.v2.experiment.tokenRevoke", data: { experimentId } };
  await send(first, experimentId, token, revoke);
  const path = `/api/v2/experiments/${experimentId}/events`;
  const reply = await call(second.baseUrl, {
    path,
    credential: token,
    body: metricBatch(experimentId, 1, sent),
  });
  assert.equal(reply.status, 401);
});

test("a series deleted at one node takes nothing at the other, which knows what was purged", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using first = await Service.start({ databaseUrl, people: true });
  await using second = await Service.start({ databaseUrl, people: true });
  const targets = [first, second].map(({ baseUrl }) => ({ baseUrl, observe: () => undefined }));
  const experiment = await new OrganizationCaller(targets[0], key).open("on-both");
  const { experimentId, token, slug } = experiment;
  const opened = { experimentId, experimentToken: token, expiresAtMs: 0 };
  const other = new ExperimentCaller(targets[1], slug, opened);
  const points = ["count-1", "any id"].map((id, step) => experiment.metric({ step }, id));
  await experiment.send(points[0]);
  await other.send(points[1]);
  const body = { experimentId, seriesNames: ["loss"] };
  const [{ id }] = await entriesOf(askTrash(targets[1], "series", { body }));
  const late = experiment.metric({ step: 2 }, "late");
  const [known, refused] = await experiment.send(points[0], late);
  assert.equal(known.data.deduplicated, true);
  assert.equal(refused.data.code, "series_deleted");
  const credential = await signIn(targets[0], "ada");
  await entriesOf(askTrash(targets[0], "purge", { body: { ids: [id] }, credential }));
  await untilGone(targets[0], [id]);
  for (const writer of [other, experiment]) {
    const replies = await writer.send(...points);
    assert.ok(replies.every(({ data }) => data.deduplicated === true));
  }
  // Both know that it lives again, whoever was first.
  const [taken] = await other.send(late);
  const [again] = await experiment.send(experiment.metric({ step: 3 }, "later"));
  assert.deepEqual([taken.data.deduplicated, again.data.deduplicated], [false, false]);
  const { partitions } = await new OrganizationCaller(targets[0], key).series(experimentId);
  assert.deepEqual(
    partitions.map(({ step }) => step),
    [[2, 3]],
  );
});

interface Opened {
  experimentId: string;
  token: string;
}

/** Opens each slug at both nodes at once: they must agree on one experiment. */
async function openOnBoth(first: Service, second: Service): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (let number = 0; number < experimentCount; number++) {
    const replies = await Promise.all(
      [first, second].map(async (node) => {
        const data = { slug: `race-${number}`, description: "", meta: {} };
        const body = { messageId: randomUUID(), event: "svc.v2.experiment.open", data };
        return events(await call(node.baseUrl, { path: "/api/v2/events", credential: key, body }));
      }),
    );
    const [a, b] = replies as [OpenReply, OpenReply];
    assert.equal(a.data.experimentId, b.data.experimentId);
    opened.push({ experimentId: a.data.experimentId, token: a.data.experimentToken });
  }
  return opened;
}

interface OpenReply {
  data: { experimentId: string; experimentToken: string };
}

function metricBatch(experimentId: string, number: number, sent: Map<string, number>): unknown[] {
  return Array.from({ length: pointsPerBatch }, (_, index) => {
    // Random and counter identifiers in turn: they are kept in different ways.
    const messageId =
      number % 2 === 0
        ? `${experimentId} ${randomUUID()}`
        : `${experimentId}-${number * 1_000 + index}`;
    const metricValue = number * pointsPerBatch + index;
    sent.set(messageId, metricValue);
    const data = {
      experimentId,
      timestampMs: 1_700_000_000_000 + metricValue,
      step: metricValue,
      metricName: "loss",
      metricValue,
      meta: { rank: String(index % 2) },
    };
    return { messageId, event: "svc.v2.experiment.metric", data };
  });
}

async function send(
  node: Service,
  experimentId: string,
  token: string,
  body: unknown,
): Promise<void> {
  const path = `/api/v2/experiments/${experimentId}/events`;
  const reply = await call(node.baseUrl, { path, credential: token, body });
  for (const { event } of [events(reply)].flat() as { event: string }[]) {
    assert.notEqual(event, "svc.v2.error", reply.text.slice(0, 500));
  }
}

/** To a node that may be dead or dying: any answer is fine, the other node has the batch too. */
async function sendOrNothing(...parameters: Parameters<typeof send>): Promise<void> {
  try {
    await send(...parameters);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  }
}

function events(reply: { status: number; text: string }): unknown {
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text);
}

async function readSeries(node: Service, experimentId: string): Promise<number[]> {
  const data = { experimentId, seriesName: "loss", filter: [], xAxis: "step" };
  const body = { messageId: "q", event: "svc.v2.query.series", data };
  const reply = await call(node.baseUrl, { path: "/api/v2/query/series", credential: key, body });
  const lines = reply.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as StreamRecord);
  const values = lines.flatMap(({ data: record }) => record.data?.value ?? []);
  assert.equal(lines.at(-1)?.data.points, values.length, reply.text.slice(-500));
  return values;
}

interface StreamRecord {
  data: { data?: { value: number[] }; points?: number };
}

async function countedPoints(node: Service, experimentId: string): Promise<number> {
  const body = {
    messageId: "q",
    event: "svc.v2.query.revisions",
    data: { experimentIds: [experimentId] },
  };
  const reply = events(
    await call(node.baseUrl, { path: "/api/v2/events", credential: key, body }),
  ) as {
    data: { experiments: { series: { revision: number }[] }[] };
  };
  return reply.data.experiments[0].series[0].revision;
}
