import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { Client } from "pg";
import { sharedPostgres } from "./postgres.ts";
import { S3Double } from "./stores/s3-double.ts";

/**
 * Databases for the points of a service, and a store of its segments, which workers need
 * (docs/decisions/0025-several-servers.md).
 */
export interface Workers extends AsyncDisposable {
  readonly urls: readonly string[];
  /** The environment of services that use them. */
  readonly environment: Record<string, string>;
  /**
   * Hides all tables that are the directory's alone, once a service has made them: from then on a
   * statement that is sent to the wrong server fails.
   */
  hideOthers(): Promise<void>;
}

/**
 * Tables that a worker uses. The last two are empty there; statements of the engine that also run
 * on the directory name them.
 */
const ofWorkers = [
  "installation",
  "organization",
  "experiment",
  "head",
  "log",
  "segment",
  "garbage",
  "series",
  "dropped_series",
  "quota",
  "stored_amount",
  "recorded_points",
  "summarized",
  "run",
];

/** Makes workers; `addressOf` gives the address under which services find one. */
export async function makeWorkers(
  count = 2,
  addressOf: (url: string, at: number) => string = (url) => url,
): Promise<Workers> {
  const postgres = await sharedPostgres();
  const urls: string[] = [];
  for (let at = 0; at < count; at++) urls.push(await postgres.createDatabase());
  return workersAt(urls, addressOf);
}

/** Empty databases become workers, the first one number 1. */
export async function workersAt(
  urls: readonly string[],
  addressOf: (url: string, at: number) => string = (url) => url,
): Promise<Workers> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await S3Double.start());
  const directory = await mkdtemp(join(tmpdir(), "lossless-workers-"));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "workers");
  await writeFile(file, urls.map((url, at) => `${addressOf(url, at)}\n`).join(""), { mode: 0o600 });
  const resources = opened.move();
  return {
    urls,
    environment: {
      LOSSLESS_WORKERS_FILE: file,
      LOSSLESS_SEGMENTS: `s3://b/segments?endpoint=${store.endpoint}`,
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
    async hideOthers() {
      for (const url of urls) await hideTables(url);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Workers by the database beside which they are. */
const beside = new Map<string, Promise<Workers>>();
const isOfAll = process.env.LOSSLESS_TEST_BACKENDS === "workers";
if (isOfAll)
  after(async () => {
    for (const workers of beside.values()) await (await workers)[Symbol.asyncDispose]();
  });

/**
 * Returns the environment of all services on a database where LOSSLESS_TEST_BACKENDS=workers: they
 * have two workers without a word.
 */
export async function workersOfAll(
  databaseUrl: string | undefined,
): Promise<Record<string, string>> {
  if (!isOfAll || databaseUrl === undefined) return {};
  const known = beside.get(databaseUrl) ?? makeWorkers();
  beside.set(databaseUrl, known);
  return (await known).environment;
}

async function hideTables(url: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    for (const { name } of rows)
      if (!ofWorkers.includes(name))
        await client.query(`ALTER TABLE "${name}" RENAME TO "no_${name}"`);
  } finally {
    await client.end();
  }
}
