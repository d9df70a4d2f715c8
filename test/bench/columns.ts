import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Child, load, type Load } from "./child.ts";
import { cpuSeconds, median, percentile } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { Workload } from "./workload.ts";

export interface ColumnsOptions {
  /** Points in a round. */
  events: number;
  rounds: number;
  set(name: string, value: number): void;
}

const kinds: [name: string, workload: Workload["name"]][] = [
  ["JSON beside columns", "W1"],
  ["columns of 1,000", "columns 1,000"],
  ["columns of 10,000", "columns 10,000"],
];
const floorName = "append floor, columns of 10,000";

/**
 * W1 with counter ids as JSON and as columns, and these at a bare server, round by round in turn,
 * so that a noisy machine treats them alike. The ratios are medians of the pairs.
 */
export async function measureColumns(
  { events, rounds, set }: ColumnsOptions,
  generator: Child,
): Promise<void> {
  await using subject = await Subject.start();
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-floor-"));
  using floor = new Child("append-server.ts", [join(directory.path, "bodies")]);
  const floorUrl = await floor.next<string>();
  const few = { identifiers: "counter", values: "noise", repeats: 0 } as const;
  const side = async (name: string, workload: Workload["name"], at: Place) => {
    const experiments = await subject.open(1, name);
    const order = { baseUrl: at.baseUrl, workload, experiments, events, key: name, ...few };
    return { name, order, processId: at.processId, loads: [] as Load[] };
  };
  const sides = await Promise.all([
    ...kinds.map(([name, workload]) => side(name, workload, subject.service)),
    side(floorName, "columns 10,000", { baseUrl: floorUrl, processId: floor.processId }),
  ]);
  // One round for warming up.
  for (let round = 0; round <= rounds; round++) {
    for (const { order, processId, loads } of round % 2 === 0 ? sides : sides.toReversed()) {
      const one = await load(generator, order, () => cpuSeconds(processId));
      if (round > 0) loads.push(one);
    }
  }
  const [json] = sides;
  for (const { name, loads } of sides) {
    const latencies = loads.flatMap(({ latenciesMs }) => latenciesMs);
    set(`${name} rate`, median(loads.map(({ eventsPerSecond }) => eventsPerSecond)));
    set(`${name} CPU s/M`, median(loads.map(({ cpuPerMillion }) => cpuPerMillion)));
    set(`${name} p99 ms`, percentile(latencies, 99));
    if (loads === json.loads || name === floorName) continue;
    const pairs = loads.map((one, at) => [one, json.loads[at]]);
    set(`${name} / JSON`, median(pairs.map(([a, b]) => a.eventsPerSecond / b.eventsPerSecond)));
    set(`${name}, CPU / JSON`, median(pairs.map(([a, b]) => a.cpuPerMillion / b.cpuPerMillion)));
  }
  const [columns, bare] = sides.slice(-2).map(({ loads }) => loads);
  const shares = columns.map((one, at) => one.eventsPerSecond / bare[at].eventsPerSecond);
  set("columns of 10,000 / append floor", median(shares));
}

interface Place {
  baseUrl: string;
  processId: number;
}
