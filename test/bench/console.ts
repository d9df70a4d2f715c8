import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { zstdCompressSync } from "node:zlib";
import { LosslessClient } from "@lossless/client";
import { checkoutRoot, organizations } from "../service.ts";
import type { Figures } from "./bench.ts";
import { Connection } from "./connection.ts";
import { median, percentile } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { Experiment } from "./workload.ts";

export interface ConsoleOptions {
  /** Text of the long log. */
  mebibytes: number;
  rounds: number;
  progress: (line: string) => void;
}

type Set = (name: string, value: number) => void;

const linesPerRequest = 5_000;
const requestsPerRound = 40;
const reads = 15;
const screenLines = 200;
const followedLines = 200;

/** Measures what a run's lines cost: sending, following, reading, searching and printing. */
export async function measureConsole(options: ConsoleOptions): Promise<Figures> {
  const figures: Figures = new Map();
  const set: Set = (name, value) => {
    figures.set(name, value);
    options.progress(`${name}: ${value.toPrecision(4)}`);
  };
  await measureAppends(options, set);
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-console-"));
  await measureReads(options, directory.path, set);
  await measureScript(directory.path, set);
  return figures;
}

/** Requests of one source, each after the last, as a sender of one run sends them. */
class Lines {
  readonly #experiment: Experiment;
  readonly #linesPerRequest: number;
  #first = 0;
  textBytes = 0;

  constructor(experiment: Experiment, lines: number) {
    this.#experiment = experiment;
    this.#linesPerRequest = lines;
  }

  nextBody(): string {
    const lines = Array.from({ length: this.#linesPerRequest }, (_, at) => {
      const number = this.#first + at;
      const text = `step ${number} loss=${(1 / (number + 1)).toFixed(8)} lr=${((number * 7_919) % 1_000) / 1e6} tokens/s=${(number * 104_729) % 100_000} eta=0:${number % 60}:12`;
      this.textBytes += text.length + 1;
      return { timestampMs: 1_700_000_000_000 + number, stream: "stdout", text };
    });
    const body = { source: { id: "bench", rank: 0 }, first: this.#first, lines };
    this.#first += lines.length;
    return JSON.stringify(body);
  }

  request(host: string, body: string): Buffer {
    const { experimentId, token } = this.#experiment;
    const bytes = Buffer.from(body);
    const head = [
      `POST /api/console/v1/experiments/${experimentId}/lines HTTP/1.1`,
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      "content-type: application/json",
      `content-length: ${bytes.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]);
  }
}

async function measureAppends({ rounds }: ConsoleOptions, set: Set): Promise<void> {
  const rates: number[] = [];
  const floors: number[] = [];
  await using subject = await Subject.start();
  for (let round = 0; round < rounds; round++) {
    const [experiment] = await subject.open(1, `appends ${round}`);
    const source = new Lines(experiment, linesPerRequest);
    const bodies = Array.from({ length: requestsPerRound }, () => source.nextBody());
    floors.push(floorOf(bodies));
    const { host } = new URL(subject.service.baseUrl);
    rates.push(
      await send(
        subject,
        bodies.map((body) => source.request(host, body)),
      ),
    );
  }
  set("floor of console lines a second", median(floors));
  set("console lines a second", median(rates));
}

/** Lines a second of a thread that parses the bodies, joins the texts and compresses them. */
function floorOf(bodies: string[]): number {
  const startedMs = performance.now();
  let lines = 0;
  for (const body of bodies) {
    const parsed = JSON.parse(body) as { lines: { text: string }[] };
    zstdCompressSync(Buffer.from(parsed.lines.map(({ text }) => text).join("\n")));
    lines += parsed.lines.length;
  }
  return lines / ((performance.now() - startedMs) / 1_000);
}

/** Lines a second that were acknowledged. */
async function send(subject: Subject, requests: Buffer[]): Promise<number> {
  const connection = new Connection(subject.service.baseUrl);
  const startedMs = performance.now();
  for (const request of requests) {
    const reply = (await connection.send(request)).toString("latin1");
    if (!reply.startsWith("HTTP/1.1 200")) throw new Error(`lines are refused: ${reply}`);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  connection.close();
  return (requests.length * linesPerRequest) / seconds;
}

async function measureReads(
  { mebibytes, progress }: ConsoleOptions,
  directory: string,
  set: Set,
): Promise<void> {
  const { experimentId, textBytes } = await fill(directory, mebibytes, progress);
  const cold: number[] = [];
  const warm: number[] = [];
  for (let start = 0; start < 3; start++) {
    await using subject = await Subject.start({ directory });
    const { console } = clientOf(subject);
    for (let read = 0; read < reads; read++) {
      const startedMs = performance.now();
      const page = await console.read({ experimentId, limit: screenLines });
      (read === 0 ? cold : warm).push(performance.now() - startedMs);
      if (page.lines.length !== screenLines) throw new Error("the last screen is not whole");
    }
  }
  set("last screen, cold ms", median(cold));
  set("last screen, warm ms", median(warm));
  await using subject = await Subject.start({ directory });
  const { console } = clientOf(subject);
  const searches = {
    "a text": { text: "loss=nan" },
    "a regular expression": { pattern: "loss=(nan|[1-9]\\d{3})" },
  };
  for (const [what, body] of Object.entries(searches)) {
    const startedMs = performance.now();
    for await (const lines of console.matches({ experimentId, ...body }))
      throw new Error(`${lines.length} lines match that should not be there`);
    const seconds = (performance.now() - startedMs) / 1_000;
    set(`search of ${what}, MB/s`, textBytes / 1e6 / seconds);
  }
}

/** One log of this size, sealed. */
async function fill(
  directory: string,
  mebibytes: number,
  progress: ConsoleOptions["progress"],
): Promise<{ experimentId: string; textBytes: number }> {
  await using subject = await Subject.start({ directory });
  const [experiment] = await subject.open(1, "log");
  const source = new Lines(experiment, linesPerRequest);
  const { host } = new URL(subject.service.baseUrl);
  let lines = 0;
  while (source.textBytes < mebibytes * 1_048_576) {
    await send(subject, [source.request(host, source.nextBody())]);
    lines += linesPerRequest;
  }
  await subject.finish(experiment);
  while ((await subject.figures.value("lossless_storage_sealed_lines_total")) < lines)
    await sleep(200);
  progress(`${lines} lines are written and sealed`);
  return { experimentId: experiment.experimentId, textBytes: source.textBytes };
}

/** Each print is timed without and with a recording; then lines are printed slowly and followed. */
const script = `
import lossless, os, sys, time
from time import perf_counter_ns
def times(count):
    found = []
    for number in range(count):
        begun = perf_counter_ns()
        print("step", number, "loss", 0.25)
        found.append(perf_counter_ns() - begun)
    return sorted(found)[count // 2] / 1000
told = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
sys.stdout = os.fdopen(1, "w", buffering=1)
times(1000)
alone = [times(5000) for _ in range(5)]
run = lossless.init(slug="printing")
times(1000)
kept = [times(5000) for _ in range(5)]
print(sorted(alone)[2], sorted(kept)[2], file=told, flush=True)
for number in range(${followedLines}):
    time.sleep(0.05)
    print(f"followed {time.time() * 1000}")
run.finish(quiet=True)
`;

async function measureScript(directory: string, set: Set): Promise<void> {
  await using subject = await Subject.start();
  const client = clientOf(subject);
  const child = spawn("python3", ["-c", script], {
    env: {
      ...process.env,
      PYTHONPATH: join(checkoutRoot, "python/src"),
      LOSSLESS_URL: subject.service.baseUrl,
      LOSSLESS_API_KEY: organizations.acme.key,
      LOSSLESS_SPOOL: join(directory, "spool"),
      LOSSLESS_SYSTEM: "off",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    const [alone, kept] = line.split(" ").map(Number);
    set("print alone p50 us", alone);
    set("print - print alone p50 us", kept - alone);
    break;
  }
  const experimentId = await opened(client, "printing");
  const delays: number[] = [];
  const over = new AbortController();
  const follow = client.console.follow({ experimentId }, over.signal);
  for await (const lines of follow) {
    const nowMs = Date.now();
    for (const { text } of lines) {
      const printedMs = /^followed (.*)$/.exec(text)?.[1];
      if (printedMs !== undefined) delays.push(nowMs - Number(printedMs));
    }
    if (delays.length >= followedLines) break;
  }
  over.abort();
  // Its spool and the service are there until it has finished.
  await exited;
  set("printed to followed p50 ms", median(delays));
  set("printed to followed p95 ms", percentile(delays, 95));
}

/** Returns the id of an experiment as soon as its sender has opened it. */
async function opened(client: LosslessClient, experimentSlug: string): Promise<string> {
  for (;;) {
    try {
      return (await client.experiment({ experimentSlug })).experimentId;
    } catch (error) {
      if ((error as { code?: string }).code !== "experiment_not_found") throw error;
      await sleep(50);
    }
  }
}

function clientOf({ service }: Subject): LosslessClient {
  return new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
}
