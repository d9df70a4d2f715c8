import { Connection } from "./connection.ts";
import {
  type Experiment,
  type Identifiers,
  RequestWriter,
  type Values,
  type Workload,
  workloads,
} from "./workload.ts";

/** An order of the bench to the generator process, which answers it with a Result. */
export interface Order {
  baseUrl: string;
  workload: Workload["name"];
  connections?: number;
  experiments: Experiment[];
  identifiers: Identifiers;
  values: Values;
  events: number;
  /** Share of events that were sent before. */
  repeats: number;
  /** Writers go on where the last order with the same key ended. */
  key: string;
}

export type Message =
  | { kind: "prepared" }
  | { kind: "done"; seconds: number; events: number; latenciesMs: number[] };

const writers = new Map<string, RequestWriter[]>();
const requests: { writer: number; bytes: Buffer }[] = [];
let order: Order | undefined;

process.on("message", (message: Order | "go") => {
  if (message === "go") void run(order!);
  else {
    order = message;
    prepare(message);
    process.send!({ kind: "prepared" } satisfies Message);
  }
});
process.on("disconnect", () => process.exit());

/** All requests are written before the clock starts. */
function prepare({
  baseUrl,
  key,
  workload,
  experiments,
  identifiers,
  values,
  events,
  repeats,
}: Order): void {
  const { host } = new URL(baseUrl);
  let ours = writers.get(key);
  if (ours === undefined) {
    ours = experiments.map(
      (one) => new RequestWriter(workloads[workload], one, identifiers, values),
    );
    writers.set(key, ours);
  }
  requests.length = 0;
  for (let count = 0; count < events / workloads[workload].eventsPerRequest; count++) {
    const writer = count % ours.length;
    requests.push({ writer, bytes: ours[writer].next(host, repeats) });
  }
}

async function run({ baseUrl, workload, connections }: Order): Promise<void> {
  const { eventsPerRequest } = workloads[workload];
  const latenciesMs: number[] = [];
  let next = 0;
  const total = requests.length;
  const startedMs = performance.now();
  const one = async (): Promise<void> => {
    const connection = new Connection(baseUrl);
    while (next < total) {
      const { bytes } = requests[next++];
      const sentMs = performance.now();
      const reply = await connection.send(bytes);
      latenciesMs.push(performance.now() - sentMs);
      check(reply);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections ?? workloads[workload].connections }, one));
  const seconds = (performance.now() - startedMs) / 1_000;
  process.send!({
    kind: "done",
    seconds,
    events: total * eventsPerRequest,
    latenciesMs,
  } satisfies Message);
}

function check(reply: Buffer): void {
  if (
    !reply.toString("latin1", 0, 15).startsWith("HTTP/1.1 200") ||
    reply.includes("svc.v2.error") ||
    reply.includes('"refused":[{')
  ) {
    throw new Error(`a request failed: ${reply.toString("utf8", 0, 1_000)}`);
  }
}
