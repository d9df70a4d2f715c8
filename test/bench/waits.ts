import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../http.ts";
import { organizations, tight } from "../service.ts";
import { Child } from "./child.ts";
import { cpuSeconds, residentMebibytes } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { Experiment } from "./workload.ts";

const viewers = 1_000;
const rowsOnScreen = 100;
const settledMs = 3_000;
const observedMs = 10_000;

/** Who is asked to wait. */
interface Server {
  baseUrl: string;
  processId: number;
}

/**
 * Measures a thousand open tables that wait for news which do not come: processor time, and memory
 * beyond that of a service which has answered the same requests before. The unavoidable part is
 * measured with a bare server that gets the same requests, and with connections that have sent
 * nothing yet.
 */
export async function measureWaits(set: (name: string, value: number) => void): Promise<void> {
  await using subject = await Subject.start();
  const { service } = subject;
  const opened = await subject.open(2 * rowsOnScreen, "waited for");
  using bare = new Child("waiting-server.ts", [], tight);
  const floor = { baseUrl: await bare.next<string>(), processId: bare.processId };
  await warmUp(service, opened);
  const before = residentMebibytes(service.processId);
  const silent = await Promise.all(Array.from({ length: viewers }, () => connected(service)));
  await sleep(settledMs);
  set("1,000 connections MiB", residentMebibytes(service.processId) - before);
  for (const socket of silent) socket.destroy();
  await sleep(settledMs);
  await warmUp(floor, opened);
  const ofFloor = await hold(floor, opened, residentMebibytes(floor.processId));
  const ofService = await hold(service, opened, before);
  set("1,000 waiting viewers at a bare server MiB", ofFloor.mebibytes);
  set("1,000 waiting viewers MiB", ofService.mebibytes);
  set("1,000 waiting viewers - bare server MiB", ofService.mebibytes - ofFloor.mebibytes);
  set("1,000 waiting viewers, % of a core", (100_000 * ofService.cpuSeconds) / observedMs);
}

/** The same requests, of which none waits. */
async function warmUp(server: Server, opened: readonly Experiment[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  await Promise.all(
    Array.from({ length: rowsOnScreen }, (_, at) => wait(server, opened, at, 0, agent)),
  );
  agent.destroy();
  await sleep(settledMs);
}

/** The server's additional memory and work while all of them wait. */
async function hold(
  server: Server,
  opened: readonly Experiment[],
  before: number,
): Promise<{ mebibytes: number; cpuSeconds: number }> {
  const agent = new Agent({ keepAlive: true });
  const waits = Array.from({ length: viewers }, (_, at) => wait(server, opened, at, 25_000, agent));
  await sleep(settledMs);
  const cpuBefore = cpuSeconds(server.processId);
  await sleep(observedMs);
  const used = cpuSeconds(server.processId) - cpuBefore;
  const mebibytes = residentMebibytes(server.processId) - before;
  await Promise.all(waits);
  agent.destroy();
  return { mebibytes, cpuSeconds: used };
}

/** Tables that show the same experiments in part, as those of one group do. */
async function wait(
  { baseUrl }: Server,
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
  const { status, text } = await call(baseUrl, { path, credential, body, agent });
  if (status !== 200) throw new Error(`${status}: ${text}`);
}

async function connected({ baseUrl }: Server): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  return socket;
}
