import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { installPackages, missingOf } from "../../debian-packages.ts";

/** Programs on the PATH, with the Debian packages they come in. */
const programs = { patroni: "patroni", etcd: "etcd-server" };

export interface Installed {
  /** The directory of PostgreSQL's. */
  postgresPrograms: string;
  /** Patroni takes the lock of a new primary away when it was frozen as the primary before. */
  stealsLocks: boolean;
}

/** Installs by apt-get what is missing, if it may; throws with what is still missing then. */
export function installPatroni(): Installed {
  const packages = missing();
  const obstacle = packages.length === 0 ? "" : installPackages(packages);
  const left = missing();
  if (left.length > 0) throw new Error(`needs the Debian packages ${left.join(", ")}; ${obstacle}`);
  return { postgresPrograms: postgresPrograms()!, stealsLocks: stealsLocks() };
}

/** Before 3.0.3, with version 3 of etcd's interface: the lock was overwritten without a look. */
function stealsLocks(): boolean {
  const { stdout } = spawnSync("patroni", ["--version"], { encoding: "utf8" });
  const [major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(stdout)!.slice(1).map(Number);
  return major < 3 || (major === 3 && minor === 0 && patch < 3);
}

function missing(): string[] {
  return [...missingOf(programs), ...(postgresPrograms() === undefined ? ["postgresql"] : [])];
}

/** The newest version's. That of npm has neither pg_rewind nor pg_basebackup. */
function postgresPrograms(): string | undefined {
  const found = globSync("/usr/lib/postgresql/*/bin/pg_rewind").map(dirname);
  return found.sort((one, other) => versionOf(one) - versionOf(other)).at(-1);
}

function versionOf(directory: string): number {
  return Number(/postgresql\/(\d+)/.exec(directory)?.[1]);
}
