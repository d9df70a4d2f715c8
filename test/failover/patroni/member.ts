import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Identity } from "../../postgres.ts";
import { continueAll, killAll, processesNamed, signal, stopAll } from "./work-directory.ts";

export interface MemberOptions {
  name: string;
  /** Its own is made in it. */
  directory: string;
  identity: Identity | undefined;
  port: number;
  apiPort: number;
  etcdPort: number;
  /** The version of etcd's interface, by Patroni's name. */
  etcd: "etcd" | "etcd3";
  postgresPrograms: string;
  /** Commits wait for a standby; without one nothing is acknowledged. */
  synchronous: boolean;
}

/** A Patroni and its PostgreSQL. */
export class Member {
  readonly name: string;
  readonly port: number;
  readonly #options: MemberOptions;
  readonly #directory: string;

  private constructor(options: MemberOptions) {
    this.name = options.name;
    this.port = options.port;
    this.#options = options;
    this.#directory = join(options.directory, options.name);
  }

  static async start(options: MemberOptions): Promise<Member> {
    const member = new Member(options);
    await mkdir(member.#directory);
    // JSON is YAML, too.
    const settings = JSON.stringify(configuration(options, member.#data), undefined, 2);
    await writeFile(member.#settings, settings);
    const { identity } = options;
    if (identity !== undefined) await chown(member.#directory, identity.uid, identity.gid);
    member.start();
    return member;
  }

  get #data(): string {
    return join(this.#directory, "data");
  }

  get #settings(): string {
    return join(this.#directory, "patroni.yml");
  }

  get #log(): string {
    return join(this.#directory, "patroni.log");
  }

  start(): void {
    const log = openSync(this.#log, "a");
    const child = spawn("patroni", [this.#settings], {
      stdio: ["ignore", log, log],
      detached: true,
      cwd: this.#directory,
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", HOME: this.#directory },
      ...this.#options.identity,
    });
    closeSync(log);
    child.on("error", () => {});
    child.unref();
  }

  /** kill -9, at once, of Patroni and of every process of PostgreSQL. */
  async kill(): Promise<void> {
    await killAll(this.#directory);
  }

  /** Everything stands still, as in a paused virtual machine; connections stay open. */
  async freeze(): Promise<void> {
    await stopAll(this.#directory);
  }

  /** PostgreSQL lives again, and Patroni, which would make it a standby, does not yet. */
  async revivePostgres(): Promise<void> {
    await continueAll(this.#data);
  }

  async revive(): Promise<void> {
    await continueAll(this.#directory);
  }

  /**
   * A standby gets nothing from the primary, which does not notice. What it was sent meanwhile is
   * forgotten when the returned function is called.
   */
  async cutOff(): Promise<() => void> {
    const receivers = await processesNamed(this.#data, "walreceiver");
    signal(receivers, "SIGSTOP");
    return () => {
      // Pending, the end comes before anything else that they would do.
      signal(receivers, "SIGTERM");
      signal(receivers, "SIGCONT");
    };
  }

  /** Whether PostgreSQL runs here, and as the primary, as Patroni sees it; false: no answer. */
  async isPrimary(): Promise<boolean> {
    return (await this.ask("/primary"))?.status === 200;
  }

  /** A request to Patroni's REST interface. Undefined: it does not answer. */
  async ask(path: string, body?: unknown): Promise<Response | undefined> {
    const asked = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    try {
      const signal = AbortSignal.timeout(body === undefined ? 3_000 : 120_000);
      return await fetch(`http://127.0.0.1:${this.#options.apiPort}${path}`, { ...asked, signal });
    } catch {
      return undefined;
    }
  }

  /** All that Patroni and PostgreSQL have written down so far. */
  log(): Promise<string> {
    return readFile(this.#log, "utf8");
  }
}

function configuration(options: MemberOptions, data: string): unknown {
  const { name, port, apiPort, etcdPort, etcd, postgresPrograms, synchronous } = options;
  const address = `127.0.0.1:${port}`;
  const user = { username: "lossless", password: "unused" };
  return {
    scope: "lossless",
    name,
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    [etcd]: { hosts: [`127.0.0.1:${etcdPort}`] },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 7,
        synchronous_mode: synchronous,
        synchronous_mode_strict: synchronous,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          remove_data_directory_on_rewind_failure: true,
          remove_data_directory_on_diverged_timelines: true,
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: data,
      bin_dir: postgresPrograms,
      pgpass: join(options.directory, name, "pgpass"),
      authentication: { superuser: user, replication: user, rewind: user },
      pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
      parameters: { unix_socket_directories: "", shared_buffers: "64MB" },
    },
  };
}
