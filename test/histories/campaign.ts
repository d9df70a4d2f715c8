import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../random.ts";
import { freePort } from "../free-port.ts";
import { call, type JsonObject, parseObject } from "../http.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import { findViolation } from "./linearizable.ts";
import { recordHistory } from "./writers.ts";
import type { Operation } from "./operation.ts";

export interface CampaignOptions {
  seed: number;
  histories: number;
  operations: number;
  writers: number;
  /** Histories that run at the same time on one service, each on its own artifact. */
  concurrent: number;
  /** PostgreSQL, with two nodes that share the directory of the built-in location. */
  databaseUrl?: string | undefined;
  /** Milliseconds between two kills, on average; undefined: nobody is killed. */
  killEveryMs?: number | undefined;
  /** Another checkout than ours: one with a planted fault. */
  checkout?: string;
  progress?: (line: string) => void;
}

export interface CampaignReport {
  histories: number;
  operations: number;
  /** How often each request had each outcome: what never happens was not tested. */
  outcomes: Record<string, number>;
  kills: number;
  pauses: number;
  /** Violations that the checkers noticed; should be empty. */
  violations: string[];
}

const credential = organizations.acme.key;

/** It records histories as nodes are killed, stopped and continued, and judges each one (R16). */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const directory = mkdtempSync(join(tmpdir(), "lossless-histories-"));
  const nodes: Node[] = [];
  const report: CampaignReport = {
    histories: 0,
    operations: 0,
    outcomes: {},
    kills: 0,
    pauses: 0,
    violations: [],
  };
  try {
    const count = options.databaseUrl === undefined ? 1 : 2;
    for (let index = 0; index < count; index++) {
      nodes.push(await Node.start(options, join(directory, `${index}`), directory));
    }
    for (let first = 0; first < options.histories; first += options.concurrent) {
      const many = Math.min(options.concurrent, options.histories - first);
      await runRound(options, nodes, first, many, report);
      options.progress?.(
        `${report.histories} histories, ${report.operations} operations, ${report.kills} kills, ` +
          `${report.violations.length} violations`,
      );
      if (report.violations.length > 0) break;
    }
    return report;
  } finally {
    for (const node of nodes) await node.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runRound(
  options: CampaignOptions,
  nodes: Node[],
  first: number,
  many: number,
  report: CampaignReport,
): Promise<void> {
  const stop = new AbortController();
  const troubles = nodes.map((node, index) =>
    node.trouble(options, new Random(options.seed + first * 7 + index), stop.signal, report),
  );
  const recorded = await Promise.allSettled(
    Array.from({ length: many }, async (_, index) => {
      const seed = options.seed + first + index;
      const artifact = `history/${options.seed}/${seed}`;
      const baseUrl = (random: Random) => random.pick(nodes).baseUrl;
      const history = await recordHistory({ ...options, seed, artifact, credential, baseUrl });
      return { artifact, history };
    }),
  );
  stop.abort();
  await Promise.all(troubles);
  for (const result of recorded) {
    if (result.status === "rejected") report.violations.push(String(result.reason));
    else await judge(nodes[0].baseUrl, result.value, report);
  }
}

async function judge(
  baseUrl: string,
  { artifact, history }: { artifact: string; history: Operation[] },
  report: CampaignReport,
): Promise<void> {
  report.histories += 1;
  report.operations += history.length;
  for (const { request, reply } of history) {
    const outcome = `${request.kind} ${reply.kind === "refused" ? reply.code : reply.kind}`;
    report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
  }
  const violation = findViolation(history);
  if (violation !== undefined) {
    const { explained, of, stuck, state } = violation;
    report.violations.push(
      `${artifact}: ${explained} of ${of} operations explained; then, with ${JSON.stringify(state)}, ` +
        `none of ${JSON.stringify(stuck)}`,
    );
  }
  for (const problem of await checkBytes(baseUrl, artifact, history)) {
    report.violations.push(`${artifact}: ${problem}`);
  }
}

/** Every acknowledged version is listed once, in order, and gives the bytes sent for it. */
async function checkBytes(
  baseUrl: string,
  artifact: string,
  history: Operation[],
): Promise<string[]> {
  const query = `artifact=${encodeURIComponent(artifact)}`;
  const list = await get(baseUrl, `/api/v1/versions/list?${query}`);
  const names = (list.versions as JsonObject[]).map(({ version }) => version as string);
  const problems: string[] = [];
  if (names.some((name, index) => index > 0 && name <= names[index - 1])) {
    problems.push(`the list is not in order: ${names.join(" ")}`);
  }
  const isSent = (name: string, kinds: string[]) =>
    history.some(
      ({ request, reply }) =>
        request.kind === "commit" && request.version === name && kinds.includes(reply.kind),
    );
  for (const { request, reply } of history) {
    if (request.kind !== "commit" || reply.kind !== "ok") continue;
    if (!names.includes(request.version)) problems.push(`${request.version} is lost`);
  }
  for (const name of names) {
    if (!isSent(name, ["ok", "unknown"])) problems.push(`${name} was never committed`);
    const record = await get(baseUrl, `/api/v1/versions/read?${query}&version=${name}&urls=1`);
    const [file] = record.files as { size: number; url: string }[];
    const bytes = await (await fetch(file.url)).text();
    if (bytes !== name.padEnd(file.size, ".").slice(0, file.size)) {
      problems.push(`${name} has other bytes: ${JSON.stringify(bytes)}`);
    }
  }
  return problems;
}

async function get(baseUrl: string, path: string): Promise<JsonObject> {
  const reply = await call(baseUrl, { path, credential });
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return parseObject(reply.text);
}

/** One service process keeps the same port over restarts: addresses were signed for it. */
class Node {
  readonly #service: Service;
  readonly baseUrl: string;

  private constructor(service: Service, baseUrl: string) {
    this.#service = service;
    this.baseUrl = baseUrl;
  }

  static async start(options: CampaignOptions, directory: string, shared: string): Promise<Node> {
    mkdirSync(directory, { recursive: true });
    const port = await freePort();
    const flags = ["--port", String(port), "--log-level", "error"];
    if (options.databaseUrl !== undefined) {
      flags.push("--artifacts", join(shared, "artifacts"));
      flags.push("--master-key-file", masterKeyFile(shared));
    }
    const settings: ServiceOptions = { directory, databaseUrl: options.databaseUrl, flags };
    if (options.checkout !== undefined) settings.checkout = options.checkout;
    const service = await Service.start(settings);
    return new Node(service, `http://127.0.0.1:${port}`);
  }

  /** Kills or stops the process now and then, until the signal. */
  async trouble(
    { killEveryMs }: CampaignOptions,
    random: Random,
    signal: AbortSignal,
    report: CampaignReport,
  ): Promise<void> {
    while (killEveryMs !== undefined && !signal.aborted) {
      await sleep(random.below(2 * killEveryMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (random.chance(0.6)) {
        await this.#service.kill();
        await this.#service.start();
        report.kills += 1;
      } else {
        process.kill(this.#service.processId, "SIGSTOP");
        await sleep(50 + random.below(250));
        process.kill(this.#service.processId, "SIGCONT");
        report.pauses += 1;
      }
    }
  }

  async end(): Promise<void> {
    await this.#service.kill();
  }
}

/** Nodes that share a database share the key that signs addresses. */
function masterKeyFile(directory: string): string {
  const path = join(directory, "master.key");
  writeFileSync(path, `${"5a".repeat(32)}\n`, { mode: 0o600 });
  return path;
}
