import type { Database, WorkerState } from "../database/database.ts";
import type { PostgresDatabase } from "../database/postgres.ts";
import { openSqliteReaders } from "../database/sqlite-readers.ts";
import { openSqlite, type SqliteOptions } from "../database/sqlite.ts";
import { Places } from "../database/workers/places.ts";
import { parsePostgresUrl } from "../ground/postgres-url.ts";
import { ReadElsewhere } from "../database/workers/read-elsewhere.ts";
import { WatchedWorker } from "../database/workers/watched-worker.ts";
import type { DriverSettings } from "./open-drivers.ts";

/** `cacheKiB` is that of the first connection of SQLite, which stays. */
interface ReadOptions extends Pick<SqliteOptions, "cacheKiB"> {
  connectionsMax?: number;
  /** Is told of each worker that changes its state, with a sentence for the operator. */
  noteWorker?: (state: WorkerState, sentence: string, error: Error | undefined) => void;
}

type Located = Pick<
  DriverSettings,
  "databaseUrl" | "databasePasswordFile" | "dataDirectory" | "workerUrls"
>;

/**
 * SQLite in the data directory, or PostgreSQL. Each thread opens its own. There are so many
 * connections at most; those of SQLite are for reads, beside one that writes. The driver of
 * PostgreSQL is loaded where it is used: several threads start with the service. Rejects with a
 * DatabaseError when its server cannot be reached, or is set up wrong.
 */
export async function openDatabase(
  settings: Located,
  access: "read" | "write",
  options: ReadOptions = {},
): Promise<Database | PostgresDatabase> {
  return (await openServers(settings, access, options)).database;
}

/** A database, and the workers beside it if there are any: they end with it. */
export interface OpenServers {
  database: Database | PostgresDatabase;
  /** In the order of the settings; reads of the database find them where it is that of numbers. */
  workers: WatchedWorker[];
  places: Places;
}

export async function openServers(
  { databaseUrl, databasePasswordFile, dataDirectory, workerUrls = [] }: Located,
  access: "read" | "write",
  { connectionsMax = 4, noteWorker, ...firstOne }: ReadOptions = {},
): Promise<OpenServers> {
  const places = new Places();
  if (databaseUrl === undefined) {
    const directory = dataDirectory!;
    const database =
      access === "write"
        ? openSqlite({ directory })
        : openSqliteReaders(directory, connectionsMax, firstOne);
    return { database, workers: [], places };
  }
  const { openPostgres } = await import("../database/postgres.ts");
  await using opened = new AsyncDisposableStack();
  // Statements of a reader may take seconds. One organization leaves a connection to the others.
  const limits = {
    connectionsMax,
    ...(access === "read" && { holderMax: Math.max(1, connectionsMax - 2) }),
  };
  const workers = workerUrls.map((url) => {
    const worker = opened.use(openPostgres({ url, ...limits, corruption: "damaged" }));
    const name = addressOf(url);
    const changed: ConstructorParameters<typeof WatchedWorker>[2] = (state, error) =>
      noteWorker?.(state, sentences[state](name), error);
    return opened.use(new WatchedWorker(worker, name, changed));
  });
  const elsewhere: Parameters<typeof openPostgres>[0]["elsewhere"] = (directory, bounds) =>
    new ReadElsewhere(directory, workers, places, bounds);
  const database = opened.use(
    openPostgres({
      url: databaseUrl,
      passwordFile: databasePasswordFile,
      ...limits,
      ...(workers.length > 0 && { elsewhere }),
    }),
  );
  await database.open();
  const all = opened.move();
  const dispose = () => all.disposeAsync();
  return { database: { ...database, [Symbol.asyncDispose]: dispose }, workers, places };
}

const sentences: Record<WorkerState, (name: string) => string> = {
  answers: (name) => `The worker at ${name} answers again.`,
  away: (name) => `The worker at ${name} does not answer; its experiments are refused.`,
  damaged: (name) => `The worker at ${name} reports damage; its experiments take no points.`,
};

/** Without its password. */
function addressOf(url: string): string {
  return parsePostgresUrl(url).servers[0].address;
}

/** A worker, its address, and how messages name it. */
export interface OpenWorker {
  database: WatchedWorker;
  url: string;
  name: string;
}

/** Brings the workers into the order of their numbers, and returns their addresses in it. */
export async function inOrder(
  { database, workers }: OpenServers,
  { workerUrls = [] }: Located,
  order: (directory: Database, given: readonly OpenWorker[]) => Promise<OpenWorker[]>,
): Promise<string[]> {
  const given = workers.map((worker, at) => {
    const url = workerUrls[at];
    return { database: worker, url, name: addressOf(url) };
  });
  const ordered = await order(database, given);
  workers.splice(0, workers.length, ...ordered.map((one) => one.database));
  return ordered.map(({ url }) => url);
}
