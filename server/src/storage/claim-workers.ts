import { createHash } from "node:crypto";
import {
  type Database,
  DatabaseError,
  type Reader,
  type Transaction,
} from "../database/database.ts";
import { migrate, newestFormat } from "../database/migrate.ts";
import { nodesBelow } from "../database/nodes.ts";
import { ConfigError } from "../settings/options.ts";

/** A worker's database, and how messages name it: without its password. */
export interface NamedWorker {
  database: Database;
  name: string;
}

/**
 * Rows of `installation`: on the directory the number of workers, and the last address of each; on
 * a worker its number and its installation.
 */
const countName = "workers";
const addressName = "worker_address_";
const numberName = "worker_number";
const ownerName = "worker_of";

/**
 * Requires that these are all workers of the directory, claims new ones, and returns them by their
 * numbers. A worker whose number is missing would make its experiments look deleted. One that does
 * not answer is taken to be the one that was at its address. Throws ConfigError, and a
 * DatabaseError where nobody was.
 */
export async function claimWorkers<Worker extends NamedWorker>(
  directory: Database,
  given: readonly Worker[],
): Promise<Worker[]> {
  if (given.length === 0) {
    const count = await directory.read(readCount);
    if (count > 0) throw new ConfigError(missing(count, []));
    return [];
  }
  const away = await migrateWorkers(given);
  return directory.write(async (transaction) => {
    // Nodes that start at once claim one after the other.
    const count = await lockCount(transaction);
    const seed = await valueOf(transaction, "hash_seed");
    const owner = ownerOf(seed!);
    const byNumber = new Map<number, Worker>();
    const unclaimed: Worker[] = [];
    for (const worker of given) {
      const failure = away.get(worker);
      const number =
        failure === undefined
          ? await numberOf(worker, owner)
          : await numberBefore(transaction, worker, count);
      if (number === undefined && failure !== undefined) throw failure;
      if (number === undefined) unclaimed.push(worker);
      else if (byNumber.has(number))
        throw new ConfigError(`${worker.name} and ${byNumber.get(number)!.name} are one worker.`);
      else byNumber.set(number, worker);
    }
    // A start that was cut off may have claimed one that is not counted.
    let last = Math.max(count, ...byNumber.keys());
    if (byNumber.size < last) throw new ConfigError(missing(last, [...byNumber.keys()]));
    if (last === 0) await endOlderPrograms(transaction);
    for (const worker of unclaimed) {
      await claim(worker, { owner, number: ++last, seed: seed! });
      byNumber.set(last, worker);
    }
    await setValue(transaction, countName, String(last));
    for (const [number, { name }] of byNumber)
      await setValue(transaction, `${addressName}${number}`, name);
    return Array.from({ length: last }, (_, at) => byNumber.get(at + 1)!);
  });
}

/** Brings them to our format, and returns those that do not answer. */
async function migrateWorkers<Worker extends NamedWorker>(
  given: readonly Worker[],
): Promise<ReadonlyMap<Worker, DatabaseError>> {
  const away = new Map<Worker, DatabaseError>();
  const isAway = (error: unknown): error is DatabaseError =>
    error instanceof DatabaseError && (error.kind === "unavailable" || error.kind === "damaged");
  for (const worker of given) {
    try {
      await migrate(worker.database);
    } catch (error) {
      if (!isAway(error)) throw error;
      away.set(worker, error);
    }
  }
  return away;
}

/** The number that a worker at this address had at the last start. */
async function numberBefore(
  reader: Reader,
  { name }: NamedWorker,
  count: number,
): Promise<number | undefined> {
  for (let number = 1; number <= count; number++)
    if ((await valueOf(reader, `${addressName}${number}`)) === name) return number;
  return undefined;
}

/** Programs that know no workers would append to experiments that are elsewhere. */
async function endOlderPrograms(transaction: Transaction): Promise<void> {
  const [older] = await nodesBelow(transaction, newestFormat);
  if (older !== undefined)
    throw new ConfigError(
      `A node of version ${older.version} is at work, which knows no workers. Stop it first.`,
    );
  await setValue(transaction, "least_format", String(newestFormat));
}

/**
 * Returns the workers of an installation by their numbers, for commands that claim none. Throws
 * ConfigError where one is missing, or is new.
 */
export async function knownWorkers<Worker extends NamedWorker>(
  directory: Database,
  given: readonly Worker[],
): Promise<Worker[]> {
  const { count, seed } = await directory.read(async (reader) => ({
    count: await readCount(reader),
    seed: await valueOf(reader, "hash_seed"),
  }));
  const byNumber = new Map<number, Worker>();
  for (const worker of given) {
    const number = await numberOf(worker, ownerOf(seed!));
    if (number === undefined) throw new ConfigError(`${worker.name} is no worker yet.`);
    byNumber.set(number, worker);
  }
  if (byNumber.size !== count) throw new ConfigError(missing(count, [...byNumber.keys()]));
  return Array.from({ length: count }, (_, at) => byNumber.get(at + 1)!);
}

/** For commands that know the directory alone. Throws ConfigError. */
export async function refuseWorkers(reader: Reader): Promise<void> {
  const count = await readCount(reader);
  if (count === 0) return;
  throw new ConfigError(
    `The points of this installation are on ${count} workers, of which this command knows nothing.`,
  );
}

function ownerOf(seed: string): string {
  return createHash("sha256").update(seed).digest("hex");
}

function missing(count: number, numbers: readonly number[]): string {
  const lost = Array.from({ length: count }, (_, at) => at + 1).filter(
    (number) => !numbers.includes(number),
  );
  return `Workers of this installation, which has ${count}, are not given: number ${lost.join(", ")}. --workers-file has to name all.`;
}

/** Undefined: it is new. */
async function numberOf({ database, name }: NamedWorker, owner: string) {
  const found = await database.read(async (reader) => ({
    owner: await valueOf(reader, ownerName),
    number: await valueOf(reader, numberName),
    hasData: (await reader.get("SELECT id FROM organization LIMIT 1")) !== undefined,
  }));
  if (found.owner === owner) return Number(found.number);
  if (found.owner !== undefined)
    throw new ConfigError(`${name} is a worker of another installation.`);
  if (found.hasData) throw new ConfigError(`${name} has data of its own; a worker begins empty.`);
  return undefined;
}

function claim(
  { database }: NamedWorker,
  { owner, number, seed }: { owner: string; number: number; seed: string },
): Promise<void> {
  return database.write(async (transaction) => {
    await setValue(transaction, ownerName, owner);
    await setValue(transaction, numberName, String(number));
    await setValue(transaction, "hash_seed", seed);
  });
}

async function lockCount(transaction: Transaction): Promise<number> {
  await transaction.run(
    "INSERT INTO installation (name, value) VALUES ($1, '0') ON CONFLICT (name) DO NOTHING",
    countName,
  );
  const row = await transaction.get<{ value: string }>(
    `SELECT value FROM installation WHERE name = $1${transaction.forUpdate}`,
    countName,
  );
  return Number(row!.value);
}

async function readCount(reader: Reader): Promise<number> {
  return Number((await valueOf(reader, countName)) ?? 0);
}

async function valueOf(reader: Reader, name: string): Promise<string | undefined> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = $1",
    name,
  );
  return row?.value;
}

async function setValue(transaction: Transaction, name: string, value: string): Promise<void> {
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    name,
    value,
  );
}
