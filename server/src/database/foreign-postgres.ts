import { Pool } from "pg";
import { describePostgresUrl, parsePostgresUrl } from "../ground/postgres-url.ts";
import { postgresConnectFailure } from "./postgres-failure.ts";

/** A column as `pg` reads it: integers of 64 bits are texts. */
export type ForeignValue = string | number | boolean | null;

/** Another program's database on PostgreSQL. It is read, and never written. */
export class ForeignPostgres implements AsyncDisposable {
  /** Address and name of the database, without a password. */
  readonly name: string;
  readonly #pool: Pool;

  /** Throws PostgresUrlError. Nothing is connected before the first query. */
  constructor(url: string) {
    const [{ url: connectionString, tls }] = parsePostgresUrl(url).servers;
    this.name = `PostgreSQL at ${describePostgresUrl(url)}`;
    this.#pool = new Pool({
      connectionString,
      ...tls,
      connectionTimeoutMillis: 10_000,
      max: 4,
      options: "-c default_transaction_read_only=on",
    });
    // The pool has dropped an idle connection that broke; the next query makes another one.
    this.#pool.on("error", () => undefined);
  }

  /** Values are the `$1`, `$2` of the query. Rejects with a DatabaseError if the server fails. */
  async rows(text: string, values: readonly string[]): Promise<Record<string, ForeignValue>[]> {
    try {
      return (await this.#pool.query<Record<string, ForeignValue>>(text, [...values])).rows;
    } catch (error) {
      throw postgresConnectFailure(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}
