import { Pool } from "pg";
import {
  describePostgresUrl,
  parsePostgresUrl,
  type PostgresTarget,
} from "../ground/postgres-url.ts";
import { DatabaseError } from "./database.ts";
import { tlsAdvice } from "./postgres-tls-advice.ts";

/** A column as `pg` reads it: integers of 64 bits are texts. */
export type ForeignValue = string | number | boolean | null;

/** Another program's database on PostgreSQL. It is read, and never written. */
export class ForeignPostgres implements AsyncDisposable {
  /** Addresses and name of the database, without credentials. */
  readonly name: string;
  readonly #servers: PostgresTarget["servers"];
  #pool: Promise<Pool> | undefined;

  /** Throws PostgresUrlError. Nothing is connected before the first query. */
  constructor(url: string) {
    this.#servers = parsePostgresUrl(url).servers;
    this.name = `PostgreSQL at ${describePostgresUrl(url)}`;
  }

  /** Values are the `$1`, `$2` of the query. Rejects with a DatabaseError. */
  async rows(text: string, values: readonly string[]): Promise<Record<string, ForeignValue>[]> {
    try {
      const pool = await (this.#pool ??= firstThatAnswers(this.#servers));
      const client = await pool.connect();
      try {
        // A setting of the session would outlive it at a pooler.
        await client.query("BEGIN READ ONLY");
        return (await client.query<Record<string, ForeignValue>>(text, [...values])).rows;
      } finally {
        client.release(await hasFailed(client.query("ROLLBACK")));
      }
    } catch (error) {
      throw new DatabaseError("unavailable", reasonOf(error as Error), error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }
}

async function firstThatAnswers(servers: PostgresTarget["servers"]): Promise<Pool> {
  let failure: unknown;
  for (const { url, tls } of servers) {
    const pool = new Pool({
      connectionString: url,
      ...tls,
      connectionTimeoutMillis: 10_000,
      max: 4,
    });
    // The pool has dropped an idle connection that broke; the next query makes another one.
    pool.on("error", () => undefined);
    try {
      (await pool.connect()).release();
      return pool;
    } catch (error) {
      failure ??= error;
      await pool.end();
    }
  }
  throw failure;
}

/** A host with several addresses has an error of each. */
function reasonOf(error: Error): string {
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return `${first.message}${tlsAdvice(first)}`;
}

async function hasFailed(statement: Promise<unknown>): Promise<boolean> {
  return statement.then(
    () => false,
    () => true,
  );
}
