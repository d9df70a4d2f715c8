import { Client } from "pg";
import { type Child, Child as Generator } from "../../bench/child.ts";
import type { Message, Order } from "../../bench/generator.ts";
import { cpuSeconds, familyCpuSeconds } from "../../bench/measure.ts";
import { Subject } from "../../bench/subject.ts";
import type { Experiment, Workload } from "../../bench/workload.ts";
import { type PostgresServer, startPostgres } from "../../postgres.ts";
import { machineSeconds, type ThreadTimes, threadTimes } from "./thread-times.ts";

/** PostgreSQL with every fsync, and with as much memory as keeps checkpoints out of a run. */
const settings = { shared_buffers: "256MB", max_wal_size: "4GB" };

/** Each node gets it from a generator of its own, for experiments of its own. */
export interface RealLoad {
  workload: Workload["name"];
  experiments: number;
  connections: number;
  /** Points for each node. */
  points: number;
}

/** Amounts since the start of the nodes; two of them make a difference. */
export interface Amounts {
  /** When they were taken, in seconds. */
  atS: number;
  threads: ThreadTimes;
  serverS: number;
  clientS: number;
  othersS: number;
  groups: number;
  reads: number;
  folds: number;
  records: number;
  sealed: number;
  walBytes: number;
}

export interface RealRun {
  seconds: number;
  points: number;
  requests: number;
  latenciesMs: number[];
}

/** Nodes of the real program on one PostgreSQL, and a generator for each. */
export class RealFleet implements AsyncDisposable {
  readonly #postgres: PostgresServer;
  readonly #sql: Client;
  readonly #nodes: Subject[];
  readonly #generators: Child[];

  private constructor(
    postgres: PostgresServer,
    sql: Client,
    { nodes, generators }: { nodes: Subject[]; generators: Child[] },
  ) {
    this.#postgres = postgres;
    this.#sql = sql;
    this.#nodes = nodes;
    this.#generators = generators;
  }

  static async start(count: number, flags: readonly string[] = []): Promise<RealFleet> {
    const postgres = await startPostgres({ durable: true, settings });
    const databaseUrl = await postgres.createDatabase();
    const nodes: Subject[] = [];
    for (let node = 0; node < count; node++)
      nodes.push(await Subject.start({ databaseUrl, flags: [...flags] }));
    const sql = new Client({ connectionString: databaseUrl });
    await sql.connect();
    const generators = nodes.map(() => new Generator("generator.ts"));
    return new RealFleet(postgres, sql, { nodes, generators });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const generator of this.#generators) generator[Symbol.dispose]();
    await this.#sql.end();
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
    await this.#postgres[Symbol.asyncDispose]();
  }

  /** Experiments for each node; a load goes to the same ones again. */
  open(count: number, word: string): Promise<Experiment[][]> {
    return Promise.all(this.#nodes.map((node, at) => node.open(count, `${word} ${at}`)));
  }

  /** Sends to all nodes at once. `prepared` is called when all requests are there to be sent. */
  async run(
    { workload, connections, points }: RealLoad,
    experiments: readonly Experiment[][],
    prepared: () => Promise<void> = async () => undefined,
  ): Promise<RealRun> {
    const kind = { identifiers: "counter", values: "noise", repeats: 0 } as const;
    const orders = this.#nodes.map(({ service: { baseUrl } }, at): Order => {
      const key = experiments[at][0].experimentId;
      const order = { baseUrl, workload, connections, experiments: experiments[at], key };
      return { ...order, ...kind, events: points };
    });
    await this.#each((generator, at) => generator.send(orders[at]));
    await prepared();
    const done = await this.#each((generator) => generator.send("go"));
    const results = done.filter((one) => one.kind === "done");
    const latenciesMs = results.flatMap((one) => one.latenciesMs);
    return {
      seconds: Math.max(...results.map(({ seconds }) => seconds)),
      points: results.reduce((sum, { events }) => sum + events, 0),
      requests: latenciesMs.length,
      latenciesMs,
    };
  }

  async amounts(): Promise<Amounts> {
    const machineS = machineSeconds();
    const atS = performance.now() / 1_000;
    const threads = { main: 0, writer: 0, background: 0, reader: 0, collector: 0 };
    for (const { service } of this.#nodes) {
      const times = threadTimes(service.processId);
      for (const name of Object.keys(threads) as (keyof ThreadTimes)[])
        threads[name] += times[name];
    }
    const serverS = familyCpuSeconds(this.#postgres.processId);
    const clientS = this.#generators.reduce((sum, one) => sum + cpuSeconds(one.processId), 0);
    const figure = async (name: string): Promise<number> => {
      const values = await Promise.all(this.#nodes.map(({ figures }) => figures.value(name)));
      return values.reduce((sum, value) => sum + value, 0);
    };
    const { rows } = await this.#sql.query(
      `SELECT (SELECT coalesce(sum(log_seq), 0) FROM head)::text AS records,
         pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS bytes`,
    );
    const nodesS = Object.values(threads).reduce((sum, seconds) => sum + seconds, 0);
    return {
      atS,
      threads,
      serverS,
      clientS,
      othersS: machineS - nodesS - serverS - clientS,
      groups: await figure("lossless_storage_commit_seconds_count"),
      reads: await figure("lossless_storage_reads_total"),
      folds: await figure("lossless_storage_folds_total"),
      records: Number(rows[0].records),
      sealed: await figure("lossless_storage_sealed_points_total"),
      walBytes: Number(rows[0].bytes),
    };
  }

  #each(give: (generator: Child, at: number) => void): Promise<Message[]> {
    return Promise.all(
      this.#generators.map((generator, at) => {
        const next = generator.next<Message>();
        give(generator, at);
        return next;
      }),
    );
  }
}
