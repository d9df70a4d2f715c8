import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePorts } from "../../free-port.ts";
import { type Identity, unprivilegedIdentity } from "../../postgres.ts";
import { installPatroni } from "./install.ts";
import { Member } from "./member.ts";
import { urlOf } from "./url.ts";
import { createWitness } from "./witness.ts";
import { WorkDirectory } from "./work-directory.ts";

/** How long Patroni may take for whatever it does before the test gives up. */
const patienceMs = 600_000;

export interface ClusterOptions {
  isSynchronous: boolean;
  /** Version 3 of etcd's interface also with a Patroni that steals locks with it. */
  usesEtcd3: boolean;
}

/** A member as Patroni lists it. */
interface Listed {
  name: string;
  role: "leader" | "sync_standby" | "replica";
  state: string;
  timeline?: number;
  lag?: number | "unknown";
}

/** Three members, each a Patroni with its PostgreSQL, and one etcd, on 127.0.0.1. */
export class Cluster implements AsyncDisposable {
  readonly isSynchronous: boolean;
  readonly members: readonly Member[];
  readonly #directory: WorkDirectory;

  private constructor(directory: WorkDirectory, members: Member[], isSynchronous: boolean) {
    this.#directory = directory;
    this.members = members;
    this.isSynchronous = isSynchronous;
  }

  static async start({ isSynchronous, usesEtcd3 }: ClusterOptions): Promise<Cluster> {
    const { postgresPrograms, stealsLocks } = installPatroni();
    const identity = await unprivilegedIdentity();
    const directory = await WorkDirectory.create(identity);
    try {
      const [etcdPort, peerPort, ...ports] = await freePorts(8);
      startEtcd(directory.path, etcdPort, peerPort, identity);
      const members = await Promise.all(
        ["a", "b", "c"].map((name, at) =>
          Member.start({
            name,
            directory: directory.path,
            identity,
            port: ports[2 * at],
            apiPort: ports[2 * at + 1],
            etcdPort,
            etcd: stealsLocks && !usesEtcd3 ? "etcd" : "etcd3",
            postgresPrograms,
            synchronous: isSynchronous,
          }),
        ),
      );
      const cluster = new Cluster(directory, members, isSynchronous);
      await cluster.settled();
      return cluster;
    } catch (error) {
      await directory[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Creates an empty database, and the witness' table in another one. Resolves with the URL of the
   * first, which has the addresses of all members.
   */
  async createDatabase(): Promise<string> {
    const { port } = await this.settled();
    const client = new Client({ connectionString: urlOf([port], "postgres") });
    await client.connect();
    try {
      await client.query(createWitness);
      await client.query("CREATE DATABASE lossless");
    } finally {
      await client.end();
    }
    return urlOf(
      this.members.map((member) => member.port),
      "lossless",
    );
  }

  /** Resolves with the primary when both others follow it, one as its synchronous standby. */
  settled(): Promise<Member> {
    return this.#until("all members are in order", async () => {
      const listed = await this.#list();
      const leader = listed.find(({ role }) => role === "leader");
      const followers = listed.filter((one) => follows(one, leader));
      const isSafe = !this.isSynchronous || followers.some(({ role }) => role === "sync_standby");
      if (followers.length < this.members.length - 1 || !isSafe) return undefined;
      const member = this.#named(leader!.name);
      return (await member.isPrimary()) ? member : undefined;
    });
  }

  /** Resolves with the member that Patroni has made the primary in place of another one. */
  successorOf(old: Member): Promise<Member> {
    return this.#until(`another member than ${old.name} is the primary`, async () => {
      for (const member of this.members) {
        if (member !== old && (await member.isPrimary())) return member;
      }
      return undefined;
    });
  }

  /** The logs of Patroni and PostgreSQL, by the names of the members. */
  async logs(): Promise<Map<string, string>> {
    const logs = new Map<string, string>();
    for (const member of this.members) logs.set(member.name, await member.log());
    return logs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }

  #named(name: string): Member {
    return this.members.find((member) => member.name === name)!;
  }

  /** As the first member that answers has it from etcd. */
  async #list(): Promise<Listed[]> {
    for (const member of this.members) {
      const reply = await member.ask("/cluster");
      if (reply?.ok === true) return ((await reply.json()) as { members: Listed[] }).members;
    }
    return [];
  }

  async #until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
    const endMs = performance.now() + patienceMs;
    for (;;) {
      const found = await find();
      if (found !== undefined) return found;
      if (performance.now() > endMs) throw new Error(await this.#complaint(what));
      await sleep(100);
    }
  }

  async #complaint(what: string): Promise<string> {
    const logs = this.members.map(async (member) => {
      const lines = (await member.log()).split("\n").slice(-15);
      return `\nPatroni of ${member.name}:\n${lines.join("\n")}`;
    });
    const listed = JSON.stringify(await this.#list());
    return `after ten minutes not yet: ${what}. ${listed}${(await Promise.all(logs)).join("")}`;
  }
}

function follows({ role, state, timeline, lag }: Listed, leader: Listed | undefined): boolean {
  const isRunning = state === "running" || state === "streaming";
  const isBehind = typeof lag !== "number" || lag > 1_000_000;
  return role !== "leader" && isRunning && !isBehind && timeline === leader?.timeline;
}

function startEtcd(
  directory: string,
  port: number,
  peerPort: number,
  identity: Identity | undefined,
): void {
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const output = openSync(join(directory, "etcd.log"), "a");
  const child = spawn(
    "etcd",
    [
      "--enable-v2",
      "--name=etcd",
      `--data-dir=${join(directory, "etcd")}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=etcd=${peers}`,
    ],
    {
      stdio: ["ignore", output, output],
      detached: true,
      cwd: directory,
      env: { PATH: process.env.PATH },
      ...identity,
    },
  );
  closeSync(output);
  child.on("error", () => {});
  child.unref();
}
