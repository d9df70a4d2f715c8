import { randomBytes } from "node:crypto";
import { NewerFormat } from "../ground/newer-format.ts";
import { DatabaseError, type Database, type Reader, type Transaction } from "./database.ts";
import { metrics } from "./migrations/001-metrics.ts";
import { objects } from "./migrations/002-objects.ts";
import { people } from "./migrations/003-people.ts";
import { artifacts } from "./migrations/004-artifacts.ts";
import { uploads } from "./migrations/005-uploads.ts";
import type { ColumnTypes } from "./column-types.ts";
import { connections } from "./migrations/006-connections.ts";
import { quotas } from "./migrations/007-quotas.ts";

const columnTypes: Record<Reader["dialect"], ColumnTypes> = {
  sqlite: {
    text: "TEXT",
    integer: "INTEGER",
    blob: "BLOB",
    uncompressed: () => [],
    indexOnHotColumns: (statement) => [statement],
  },
  postgres: {
    text: 'text COLLATE "C"',
    integer: "bigint",
    blob: "bytea",
    uncompressed: (table, column) => [
      `ALTER TABLE ${table} ALTER COLUMN ${column} SET STORAGE EXTERNAL`,
    ],
    indexOnHotColumns: () => [],
  },
};

/** Forward only: a released migration is never edited. Migration n brings the data to format n. */
const migrations: ((type: ColumnTypes) => string[])[] = [
  metrics,
  objects,
  people,
  artifacts,
  uploads,
  connections,
  quotas,
];

export const newestFormat = migrations.length;

function newerFormat(found: number): NewerFormat {
  return new NewerFormat(
    `The data has format ${found}, this version of Lossless knows formats up to ${newestFormat}. ` +
      "Nothing was changed; start a newer version.",
  );
}

/**
 * Brings the data to the newest format, one migration a transaction, and returns the format it
 * found (0 for an empty database). Several nodes may call this at once on PostgreSQL: one works,
 * the others wait and find nothing left to do.
 */
export async function migrate(database: Database): Promise<number> {
  let found: number | undefined;
  for (;;) {
    const format = await database.write(migrateOneStep);
    found ??= format;
    if (format === newestFormat) return found;
  }
}

/** Throws NewerFormat when the program must not touch the data. For commands that only read. */
export async function checkFormat(reader: Reader): Promise<void> {
  const format = await readFormat(reader);
  if (format > newestFormat) throw newerFormat(format);
}

/** Returns the format before the step; does nothing when that is the newest. */
async function migrateOneStep(transaction: Transaction): Promise<number> {
  await excludeOtherMigrators(transaction);
  const types = columnTypes[transaction.dialect];
  await define(
    transaction,
    `CREATE TABLE IF NOT EXISTS installation (
      name ${types.text} PRIMARY KEY,
      value ${types.text} NOT NULL
    )`,
  );
  const format = await readFormat(transaction);
  if (format > newestFormat) throw newerFormat(format);
  if (format === newestFormat) return format;
  for (const statement of migrations[format](types)) await define(transaction, statement);
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ('format', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    String(format + 1),
  );
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ('hash_seed', $1), ('revision_jump', '0')
     ON CONFLICT (name) DO NOTHING`,
    randomBytes(16).toString("hex"),
  );
  return format;
}

/** SQLite checks column types only in STRICT tables; PostgreSQL always does. */
async function define(transaction: Transaction, statement: string): Promise<void> {
  const strict = transaction.dialect === "sqlite" && statement.startsWith("CREATE TABLE");
  await transaction.run(strict ? `${statement} STRICT` : statement);
}

/**
 * An advisory lock until the end of the transaction. "lossless" in ASCII, so that no other program
 * takes the same by chance.
 */
async function excludeOtherMigrators(transaction: Transaction): Promise<void> {
  if (transaction.dialect === "sqlite") return;
  await transaction.all(
    `SELECT pg_advisory_xact_lock(x'6c6f73736c657373'::bigint)::text AS locked`,
  );
}

async function readFormat(reader: Reader): Promise<number> {
  const row = await reader.get<{ value: string }>(
    `SELECT value FROM installation WHERE name = 'format'`,
  );
  const format = row === undefined ? 0 : Number(row.value);
  if (!Number.isInteger(format)) {
    throw new DatabaseError("corrupt", `The format of the data is "${row?.value}", not a number.`);
  }
  return format;
}
