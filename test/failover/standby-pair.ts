import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePorts } from "../free-port.ts";
import { type Identity, type PostgresServer, startPostgres } from "../postgres.ts";

/**
 * A PostgreSQL with a synchronous standby, strict: while no standby is there, the primary
 * acknowledges nothing, also after a failover. The two addresses stay whichever server has them.
 */
export class StandbyPair implements AsyncDisposable {
  #primary: PostgresServer;
  #standby: PostgresServer | undefined;
  readonly #ports: [number, number];

  private constructor(primary: PostgresServer, ports: [number, number]) {
    this.#primary = primary;
    this.#ports = ports;
  }

  static async start(): Promise<StandbyPair> {
    const ports = (await freePorts(2)) as [number, number];
    const primary = await startPostgres({ port: ports[0], settings });
    const pair = new StandbyPair(primary, ports);
    // Before the copy is made, so that it has the setting too.
    await pair.onPrimary("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await pair.onPrimary("SELECT pg_reload_conf()");
    await pair.addStandby();
    return pair;
  }

  get standbyPort(): number {
    return this.#standby!.port;
  }

  /** Creates an empty database and resolves with its URL, which has both addresses. */
  async createDatabase(): Promise<string> {
    const { pathname } = new URL(await this.#primary.createDatabase());
    const [first, second] = this.#ports;
    return `postgres://lossless@127.0.0.1:${first},127.0.0.1:${second}${pathname}`;
  }

  /** Copies the primary and waits until the copy follows it. */
  async addStandby(): Promise<void> {
    const primary = this.#primary;
    const port = this.#ports.find((one) => one !== primary.port)!;
    this.#standby = await startPostgres({
      port,
      initialise: (data, identity) => copyData(urlOf(primary), primary, data, identity),
      settings,
    });
    while ((await this.#standbys()) === 0) await sleep(20);
  }

  /** It does kill -9 on every standby process at once. The primary has noticed when it resolves. */
  async killStandby(): Promise<void> {
    await kill(this.#standby!);
    this.#standby = undefined;
    while ((await this.#standbys()) > 0) await sleep(20);
  }

  /** The standby lives, and gets nothing from the primary any more. */
  async cutOffStandby(): Promise<void> {
    const url = urlOf(this.#standby!);
    await query(url, "ALTER SYSTEM SET primary_conninfo = ''");
    await query(url, "SELECT pg_reload_conf()");
    while ((await this.#standbys()) > 0) await sleep(20);
  }

  /** kill -9, at once, of every process of the primary. */
  async killPrimary(): Promise<void> {
    await kill(this.#primary);
  }

  /** Makes the standby the primary. Strict: it acknowledges nothing before `addStandby`. */
  async promote(): Promise<void> {
    this.#primary = this.#standby!;
    this.#standby = undefined;
    await this.onPrimary("SELECT pg_promote(true, 60)");
  }

  /** Ends the waits of all commits for the standby, as an administrator would. */
  async cancelWaits(): Promise<number> {
    const rows = await this.onPrimary(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    );
    return rows.length;
  }

  /** One statement, which waits for no standby. */
  onPrimary(sql: string): Promise<Row[]> {
    return query(urlOf(this.#primary), sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#standby?.[Symbol.asyncDispose]();
    await this.#primary[Symbol.asyncDispose]();
  }

  async #standbys(): Promise<number> {
    const sql = "SELECT pid FROM pg_stat_replication WHERE state = 'streaming'";
    return (await this.onPrimary(sql)).length;
  }
}

function urlOf({ port }: PostgresServer): string {
  return `postgres://lossless@127.0.0.1:${port}/postgres`;
}

type Row = Record<string, unknown>;

async function query(connectionString: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString, options: "-c synchronous_commit=local" });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const settings = {
  wal_keep_size: "512MB",
  // Short waits between tries to reach the primary.
  wal_retrieve_retry_interval: "100ms",
};

/** Not copied: what belongs to the running server, and its WAL, which the standby gets from it. */
const left = new Set(["pg_wal", "pg_replslot", "postmaster.pid", "postmaster.opts"]);

/** A base backup by hand: the package has no pg_basebackup. */
async function copyData(
  url: string,
  primary: PostgresServer,
  data: string,
  identity: Identity | undefined,
): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: versions } = await client.query("SHOW server_version_num");
    const isOf14 = Number(versions[0].server_version_num) < 150_000;
    await client.query(
      isOf14
        ? "SELECT pg_start_backup('standby', true, false)"
        : "SELECT pg_backup_start('standby', true)",
    );
    await mkdir(data, { mode: 0o700 });
    for (const folder of ["pg_wal", "pg_replslot"])
      await mkdir(join(data, folder), { mode: 0o700 });
    const entries = (await readdir(primary.dataDirectory)).filter((entry) => !left.has(entry));
    const sources = entries.map((entry) => join(primary.dataDirectory, entry));
    // A file that vanishes during the copy was dropped, as the WAL says: cp's exit code does not
    // count.
    await once(spawn("cp", ["-a", ...sources, data], { stdio: "ignore" }), "exit");
    const { rows } = await client.query<{ labelfile: string }>(
      `SELECT labelfile FROM ${isOf14 ? "pg_stop_backup(false)" : "pg_backup_stop(false)"}`,
    );
    await writeFile(join(data, "backup_label"), rows[0].labelfile);
    await writeFile(join(data, "standby.signal"), "");
    // Not among the flags, which nothing could change.
    const connection = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=lossless'\n`;
    await appendFile(join(data, "postgresql.auto.conf"), connection);
  } finally {
    await client.end();
  }
  if (identity === undefined) return;
  const owned = ["", "pg_wal", "pg_replslot", "backup_label", "standby.signal"];
  for (const name of owned) await chown(join(data, name), identity.uid, identity.gid);
}

/** Also its files and its guardian go. */
async function kill(server: PostgresServer): Promise<void> {
  await signalAll(server.processId, "SIGKILL");
  await server[Symbol.asyncDispose]();
}

/** The postmaster first is stopped, so that it makes no further process. */
async function signalAll(postmaster: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(postmaster, "SIGSTOP");
  for (const processId of await childrenOf(postmaster)) {
    try {
      process.kill(processId, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
  process.kill(postmaster, signal);
}

async function childrenOf(parent: number): Promise<number[]> {
  const text = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8").catch(
    () => undefined,
  );
  if (text !== undefined) return text.split(" ").filter(Boolean).map(Number);
  const child = spawn("ps", ["-A", "-o", "pid=,ppid="], { stdio: ["ignore", "pipe", "ignore"] });
  let lines = "";
  for await (const chunk of child.stdout) lines += String(chunk);
  const pairs = lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([processId, ofParent]) => (ofParent === parent ? [processId] : []));
}
