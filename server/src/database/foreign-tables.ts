import { DatabaseError, type Reader } from "./database.ts";

interface Found {
  database: string;
  schema: string | null;
  /** Where the table `installation` that statements reach is. */
  installation: string | null;
  /** How many of our two columns it has. */
  our_columns: number;
  /** Names of tables and views in the schema, but those of extensions; some of them. */
  tables: string;
}

const shownMax = 5;

/**
 * Another program's tables are no place for ours: some names are the same, and its upgrades and
 * backups would meet ours. Looks at PostgreSQL before anything is read or made; throws
 * DatabaseError `misconfigured`.
 */
export async function refuseForeignTables(reader: Reader): Promise<void> {
  const found = (await reader.get<Found>(
    `SELECT current_database()::text AS database, current_schema()::text AS schema,
       (SELECT nspname::text FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
         WHERE pg_class.oid = to_regclass('installation')) AS installation,
       (SELECT count(*)::int FROM pg_attribute
         WHERE attrelid = to_regclass('installation') AND attname IN ('name', 'value')
           AND atttypid = 'text'::regtype) AS our_columns,
       (SELECT coalesce(json_agg(relname ORDER BY relname), '[]')::text FROM pg_class
         WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND relkind IN ('r', 'p', 'v', 'm', 'f')
           AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass
             AND objid = pg_class.oid AND deptype = 'e')) AS tables`,
  ))!;
  const { schema, installation } = found;
  // PostgreSQL itself says it when a table is made.
  if (schema === null) return;
  if (installation !== null && installation !== schema) {
    throw new DatabaseError(
      "misconfigured",
      `The installation of Lossless is in the schema ${installation}, and the search_path of the user names ${schema} ` +
        `before it, so that new tables would be made there: ALTER ROLE … SET search_path = ${installation}.`,
    );
  }
  const tables = JSON.parse(found.tables) as string[];
  if (tables.length === 0 || (await isInstalled(reader, found, tables))) return;
  const shown = tables.slice(0, shownMax).join(", ");
  const more = tables.length > shownMax ? `, and ${tables.length - shownMax} more` : "";
  throw new DatabaseError(
    "misconfigured",
    `The schema ${schema} of the database ${found.database} has tables of another program (${shown}${more}): give ` +
      "Lossless a database of its own, CREATE DATABASE …, or a schema, CREATE SCHEMA … and ALTER ROLE … SET search_path " +
      "= …. Nothing was changed.",
  );
}

/** A migration writes the format in the transaction that makes the first tables. */
async function isInstalled(
  reader: Reader,
  { installation, our_columns: columns }: Found,
  tables: readonly string[],
): Promise<boolean> {
  if (installation === null || columns < 2) return false;
  const format = await reader.get("SELECT value FROM installation WHERE name = 'format'");
  return format !== undefined || tables.length === 1;
}
