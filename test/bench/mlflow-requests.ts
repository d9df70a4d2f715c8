import { organizations } from "../service.ts";
import { Connection } from "./connection.ts";

const series = 10;
const connections = 8;

/** A message to `/api/2.0/mlflow/`, as a whole HTTP request. */
export function post(baseUrl: string, path: string, body: object): Buffer {
  return whole(baseUrl, "POST", `/api/2.0/mlflow/${path}`, JSON.stringify(body));
}

export function get(baseUrl: string, path: string, query: [string, string][]): Buffer {
  const search = new URLSearchParams(query).toString();
  return whole(baseUrl, "GET", `/api/2.0/mlflow/${path}?${search}`, "");
}

export function whole(
  baseUrl: string,
  method: string,
  path: string,
  body: string,
  credential: string = organizations.acme.key,
): Buffer {
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\n` +
      `Authorization: Bearer ${credential}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** The n-th thousand points of a run, a hundred steps of ten series. */
export function batchMessage(baseUrl: string, runId: string, number: number): Buffer {
  const metrics = Array.from({ length: 1_000 }, (_, at) => {
    const row = number * 1_000 + at;
    const step = Math.floor(row / series);
    const value = 2 / (1 + step / 1_000) + 0.1 * Math.random();
    return { key: `train/metric_${row % series}`, value, timestamp: 1_000 + 20 * row, step };
  });
  return post(baseUrl, "runs/log-batch", { run_id: runId, metrics });
}

/** Sends the requests over a few connections. Throws for a reply other than 200. */
export async function sendAll(
  baseUrl: string,
  count: number,
  request: (at: number) => Buffer,
  take: (at: number, reply: string) => void = () => undefined,
): Promise<void> {
  let next = 0;
  const send = async (): Promise<void> => {
    const connection = new Connection(baseUrl);
    try {
      while (next < count) {
        const at = next++;
        take(at, bodyOf(await connection.send(request(at))));
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, count) }, send));
}

export async function newRun(baseUrl: string): Promise<string> {
  const [runId] = await newRuns(baseUrl, "0", 1);
  return runId;
}

export async function newRuns(
  baseUrl: string,
  experimentId: string,
  count: number,
): Promise<string[]> {
  const runIds: string[] = [];
  const create = (at: number): Buffer =>
    post(baseUrl, "runs/create", { experiment_id: experimentId, start_time: 1_000 + at });
  await sendAll(baseUrl, count, create, (at, reply) => {
    const { run } = JSON.parse(reply) as { run: { info: { run_id: string } } };
    runIds[at] = run.info.run_id;
  });
  return runIds;
}

/** It times a request whose answer is a whole one. */
export async function timed(connection: Connection, request: Buffer): Promise<number> {
  const startedMs = performance.now();
  const reply = await connection.send(request);
  const ms = performance.now() - startedMs;
  bodyOf(reply);
  return ms;
}

/** The body of a reply with status 200. */
export function bodyOf(reply: Buffer): string {
  if (reply.toString("latin1", 0, 12) !== "HTTP/1.1 200") throw new Error(reply.toString());
  return reply.toString("utf8", reply.indexOf("\r\n\r\n") + 4);
}
