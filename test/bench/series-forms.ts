import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { pythonEnvironment } from "../../scripts/python-tools.ts";
import { event } from "../contract/callers.ts";
import { checkoutRoot, organizations } from "../service.ts";
import { type Child, load } from "./child.ts";
import type { ColumnsOptions } from "./columns.ts";
import { encodedRate } from "./encoders.ts";
import { cpuSeconds, median } from "./measure.ts";
import { Subject } from "./subject.ts";

const forms: [name: string, accept: string][] = [
  ["lines", "application/x-ndjson"],
  ["columns", "application/vnd.lossless.columns"],
  ["Arrow", "application/vnd.apache.arrow.stream"],
];
/** Reads of a form in a round: the clock of processor time has steps of 10 ms. */
const readsPerRound = 5;

/**
 * Reads a million points of 100 series in each form, in turn: points a second of one core of the
 * service, and of a process that reads them by the clients of TypeScript and Python.
 */
export async function measureSeriesForms(
  { events, rounds, set }: ColumnsOptions,
  generator: Child,
): Promise<void> {
  await using subject = await Subject.start();
  const { baseUrl, processId } = subject.service;
  const experiments = await subject.open(1, "series");
  const order = { baseUrl, workload: "columns 10,000" as const, experiments, events, repeats: 0 };
  const kinds = { identifiers: "counter", values: "noise", key: "series" } as const;
  await load(generator, { ...order, ...kinds }, () => 0);
  const [{ experimentId }] = experiments;
  await subject.finish(experiments[0]);
  const rates = new Map(forms.map(([name]) => [name, [] as number[]]));
  // One round for warming up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, accept] of round % 2 === 0 ? forms : forms.toReversed()) {
      const before = cpuSeconds(processId);
      for (let read = 0; read < readsPerRound; read++)
        await discarded(baseUrl, experimentId, accept);
      const seconds = cpuSeconds(processId) - before;
      if (round > 0) rates.get(name)!.push((events * readsPerRound) / seconds);
    }
  }
  for (const [name, all] of rates) set(`series as ${name}, points/s of a core`, median(all));
  set("points encoded as columns, a second", encodedRate("columns"));
  set("points encoded as Arrow, a second", encodedRate("arrow"));
  const clients: [name: string, command: string, words: string[]][] = [
    ["TypeScript", process.execPath, [join(import.meta.dirname, "series-reader.ts")]],
    ...python().map((path): [string, string, string[]] => {
      return ["Python", path, [join(checkoutRoot, "python/bench/read_columns.py")]];
    }),
  ];
  for (const [name, command, words] of clients) {
    const environment = { LOSSLESS_URL: baseUrl, LOSSLESS_API_KEY: organizations.acme.key };
    const options = { env: { ...process.env, ...environment }, encoding: "utf8" } as const;
    const told = execFileSync(command, [...words, experimentId, String(rounds)], options);
    const figures = JSON.parse(told) as Record<string, { cpu: number; wall: number }>;
    for (const [form, { cpu, wall }] of Object.entries(figures)) {
      set(`${name}: a million points from ${form}, s`, (wall / events) * 1e6);
      set(`${name}: a million points from ${form}, CPU s`, (cpu / events) * 1e6);
    }
  }
}

/** A Python with numpy, if there is one. */
function python(): string[] {
  const { environment, problem } = pythonEnvironment("requirements-readers.txt");
  return problem === undefined ? [join(environment, "bin/python")] : [];
}

function discarded(baseUrl: string, experimentId: string, accept: string): Promise<void> {
  const data = { experimentId, filter: [], xAxis: "step" };
  const body = JSON.stringify(event("query.experimentseries", data));
  const headers = {
    authorization: `Bearer ${organizations.acme.key}`,
    "content-type": "application/json",
    accept,
  };
  const url = new URL("/api/v2/query/series", baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers, agent: false });
    sent.on("error", reject).on("response", (response) => {
      response.on("error", reject).on("end", resolve).resume();
    });
    sent.end(body);
  });
}
