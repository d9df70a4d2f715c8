import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../http.ts";
import { organizations } from "../service.ts";
import { cpuSeconds, residentMebibytes } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { Experiment } from "./workload.ts";

const viewers = 1_000;
const rowsOnScreen = 100;
const settledMs = 3_000;
const observedMs = 10_000;

/**
 * What a thousand open tables cost that wait for news which do not come: processor time, and memory
 * beyond that of a service which has answered the same requests before. What of it their
 * connections take is measured with as many that have sent nothing yet.
 */
export async function measureWaits(set: (name: string, value: number) => void): Promise<void> {
  await using subject = await Subject.start();
  const { service } = subject;
  const opened = await subject.open(2 * rowsOnScreen, "waited for");
  const warm = new Agent({ keepAlive: true, maxSockets: 4 });
  await Promise.all(
    Array.from({ length: rowsOnScreen }, (_, at) => wait(subject, opened, at, 0, warm)),
  );
  warm.destroy();
  await sleep(settledMs);
  const before = residentMebibytes(service.processId);
  const silent = await Promise.all(Array.from({ length: viewers }, () => connected(service)));
  await sleep(settledMs);
  set("1,000 connections MiB", residentMebibytes(service.processId) - before);
  for (const socket of silent) socket.destroy();
  await sleep(settledMs);
  const agent = new Agent({ keepAlive: true });
  const waits = Array.from({ length: viewers }, (_, at) =>
    wait(subject, opened, at, 25_000, agent),
  );
  await sleep(settledMs);
  const cpuBefore = cpuSeconds(service.processId);
  await sleep(observedMs);
  const cpu = cpuSeconds(service.processId) - cpuBefore;
  set("1,000 waiting viewers MiB", residentMebibytes(service.processId) - before);
  set("1,000 waiting viewers, % of a core", (100_000 * cpu) / observedMs);
  await Promise.all(waits);
  agent.destroy();
}

/** Tables that show the same experiments in part, as those of one group do. */
async function wait(
  { service }: Subject,
  opened: readonly Experiment[],
  viewer: number,
  waitMs: number,
  agent: Agent,
): Promise<void> {
  const first = viewer % rowsOnScreen;
  const experiments = opened
    .slice(first, first + rowsOnScreen)
    .map(({ experimentId }) => ({ experimentId, revision: 1 }));
  const path = "/api/views/v1/changes";
  const body = { experiments, waitMs };
  const credential = organizations.acme.key;
  const { status, text } = await call(service.baseUrl, { path, credential, body, agent });
  if (status !== 200) throw new Error(`${status}: ${text}`);
}

async function connected({ baseUrl }: Subject["service"]): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}
