import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { NewerFormat } from "../ground/newer-format.ts";
import { columnTypes } from "./column-types.ts";
import { DatabaseError, type Database, type Reader, type Transaction } from "./database.ts";
import { type Migration, migrations as ours, sharedFormat } from "./migrations.ts";
import { isNodeBeforeRows, type Node, nodesBelow, seeNode, seenLatelyMs } from "./nodes.ts";

/** The newest format that this program knows. */
export const newestFormat = ours.length;

export interface Migrating {
  /** Tests make older formats, and programs that know newer ones. */
  migrations?: readonly Migration[];
  /** A node that goes on to work on the database. */
  node?: Node | undefined;
  /** How long a contraction waits until the nodes that it would stop have ended. */
  patienceMs?: number;
}

/**
 * Brings the data to the newest format, one migration a transaction, and an empty database in one;
 * returns the format it found (0 for an empty database). Several nodes may call this at once on
 * PostgreSQL: one works, the others wait and find nothing left to do. Data of a newer format stays
 * as it is. Throws NewerFormat, and a DatabaseError `misconfigured` while older nodes are in the
 * way.
 */
export async function migrate(
  database: Database,
  { migrations = ours, node, patienceMs = seenLatelyMs + 15_000 }: Migrating = {},
): Promise<number> {
  const beganMs = performance.now();
  let found: number | undefined;
  for (;;) {
    try {
      const format = await database.write((transaction) => step(transaction, migrations, node));
      found ??= format;
      if (format >= migrations.length) return found;
    } catch (error) {
      const passedMs = performance.now() - beganMs;
      if (error instanceof OlderNodes) {
        if (passedMs >= patienceMs) throw new DatabaseError("misconfigured", error.message);
      } else if (!isConflict(error) || passedMs >= lockPatienceMs) throw error;
      await sleep(Math.min(retryMs, patienceMs));
    }
  }
}

/** Throws NewerFormat when the program must not touch the data. */
export async function checkFormat(reader: Reader, known = newestFormat): Promise<void> {
  requireKnown(await readFormats(reader), known);
}

/** The same, of data that are elsewhere. */
export function requireKnown({ format, leastFormat }: Formats, known = newestFormat): void {
  if (leastFormat <= known) return;
  const needed = leastFormat < format ? `, for programs that know format ${leastFormat}` : "";
  throw new NewerFormat(
    `The data has format ${format}${needed}, this version of Lossless knows formats up to ${known}. ` +
      "Nothing was changed; start a newer version.",
  );
}

/** Nodes are at work that the next migration would stop. */
class OlderNodes extends Error {}

/** Time that a migration waits for a table; requests wait behind it that long. */
const lockMs = 1_000;
/** Pause before another try: a read that takes long may have a table for minutes. */
const retryMs = 1_000;
const lockPatienceMs = 600_000;

function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === "conflict";
}

/** Returns the format before the step; does nothing when there is none to take. */
async function step(
  transaction: Transaction,
  migrations: readonly Migration[],
  node: Node | undefined,
): Promise<number> {
  await excludeOtherMigrators(transaction);
  const types = columnTypes[transaction.dialect];
  await define(
    transaction,
    `CREATE TABLE IF NOT EXISTS installation (
      name ${types.text} PRIMARY KEY,
      value ${types.text} NOT NULL
    )`,
  );
  await checkFormat(transaction, migrations.length);
  const format = await readFormat(transaction);
  if (format >= migrations.length) {
    // Nobody migrates meanwhile, so a contraction either finds this node or has kept it out.
    if (node !== undefined) await seeNode(transaction, node);
    return format;
  }
  // An empty database has nothing that others wait for: one transaction makes all of it.
  const until = format === 0 ? migrations.length : format + 1;
  for (let from = format; from < until; from++) await take(transaction, migrations[from], from);
  await setValue(transaction, "format", String(until));
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ('hash_seed', $1), ('revision_jump', '0')
     ON CONFLICT (name) DO NOTHING`,
    randomBytes(16).toString("hex"),
  );
  return format;
}

async function take(transaction: Transaction, migration: Migration, format: number): Promise<void> {
  if (migration.kind === "contraction") {
    await refuseOlderNodes(transaction, format, migration.leastFormat);
    await setValue(transaction, "least_format", String(migration.leastFormat));
  }
  const types = columnTypes[transaction.dialect];
  for (const statement of migration.statements(types)) await define(transaction, statement);
}

async function refuseOlderNodes(
  reader: Reader,
  format: number,
  leastFormat: number,
): Promise<void> {
  if (format < sharedFormat) {
    if (await isNodeBeforeRows(reader)) throw new OlderNodes(atWork("an older version"));
    return;
  }
  const [older] = await nodesBelow(reader, leastFormat);
  if (older !== undefined) throw new OlderNodes(atWork(`version ${older.version}`));
}

function atWork(version: string): string {
  return (
    `A node of ${version} is at work on this database, and could not go on after this upgrade. ` +
    "Nothing was changed. Stop all nodes of that version, then start this one again."
  );
}

async function setValue(transaction: Transaction, name: string, value: string): Promise<void> {
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    name,
    value,
  );
}

/** SQLite checks column types only in STRICT tables; PostgreSQL always does. */
async function define(transaction: Transaction, statement: string): Promise<void> {
  const strict = transaction.dialect === "sqlite" && statement.startsWith("CREATE TABLE");
  await transaction.run(strict ? `${statement} STRICT` : statement);
}

/**
 * Takes an advisory lock until the end of the transaction. Its number is "lossless" in ASCII, so
 * that no other program takes the same by chance.
 */
async function excludeOtherMigrators(transaction: Transaction): Promise<void> {
  if (transaction.dialect === "sqlite") return;
  // An index over all rows may take any time, and a transaction that waits for it as long.
  await transaction.run("SET LOCAL statement_timeout = 0");
  const row = await transaction.get<{ takes_none: string }>(
    `SELECT pg_advisory_xact_lock(x'6c6f73736c657373'::bigint)::text AS locked,
       current_setting('transaction_read_only') AS takes_none`,
  );
  // Others wait for a table behind whoever waits for it.
  if (row?.takes_none !== "on")
    return void (await transaction.run(`SET LOCAL lock_timeout = ${lockMs}`));
  throw new DatabaseError(
    "misconfigured",
    "The server accepts no writes: it is a standby, or default_transaction_read_only is on. Name the primary in " +
      "--database-url, or switch that off for the database and its user.",
  );
}

/** Reads the format; 0 for an empty database that has its first table. */
export async function readFormat(reader: Reader): Promise<number> {
  return (await readFormats(reader)).format;
}

export interface Formats {
  format: number;
  /** A program that knows this format can work on the data. */
  leastFormat: number;
}

export async function readFormats(reader: Reader): Promise<Formats> {
  const rows = await reader.all<{ name: string; value: string }>(
    `SELECT name, value FROM installation WHERE name IN ('format', 'least_format')`,
  );
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const numberOf = (name: string, missing: number) => {
    const value = values.get(name);
    const number = value === undefined ? missing : Number(value);
    if (Number.isInteger(number)) return number;
    throw new DatabaseError("corrupt", `The ${name} of the data is "${value}", not a number.`);
  };
  const format = numberOf("format", 0);
  // Data that 0.1.0 has written does not say.
  return { format, leastFormat: numberOf("least_format", format) };
}
