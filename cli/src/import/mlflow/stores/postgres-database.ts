import type { ForeignPostgres } from "@lossless/server/database/postgres-foreign";
import { CommandError } from "../../../command.ts";
import type { MlflowDatabase, Row } from "./database-store.ts";

/** MLflow's database on PostgreSQL; read by the service's driver, which has to be installed. */
export class PostgresDatabase implements MlflowDatabase {
  readonly name: string;
  /** MLflow's server takes relative addresses from where it was started: here, if anywhere. */
  readonly directory = process.cwd();
  readonly isBesideFiles = false;
  readonly #server: ForeignPostgres;

  private constructor(server: ForeignPostgres) {
    this.name = server.name;
    this.#server = server;
  }

  /** Whether MLflow takes this as an address of PostgreSQL; it may name a driver of Python. */
  static isAddress(place: string): boolean {
    return scheme.test(place);
  }

  static async open(place: string): Promise<PostgresDatabase> {
    const { ForeignPostgres } = await import("@lossless/server/database/postgres-foreign");
    try {
      return new PostgresDatabase(new ForeignPostgres(place.replace(scheme, "postgresql://")));
    } catch (error) {
      throw new CommandError(`the address of the database ${(error as Error).message}`);
    }
  }

  async query(text: string, ...values: string[]): Promise<Row[]> {
    let count = 0;
    const numbered = text.replaceAll("?", () => `$${++count}`);
    try {
      return await this.#server.rows(numbered, values);
    } catch (error) {
      throw new CommandError(`${this.name} cannot be read: ${(error as Error).message}`);
    }
  }

  async columns(): Promise<(readonly [string, string])[]> {
    // Also tables that the role may not read: they are refused when they are read, not left out.
    const rows = await this.query(
      `SELECT relname::text AS name, attname::text AS column_name
       FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace
       JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE nspname = ANY (current_schemas(false)) AND relkind IN ('r', 'p', 'v', 'f')
         AND attnum > 0 AND NOT attisdropped`,
    );
    return rows.map((row) => [String(row["name"]), String(row["column_name"])]);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#server[Symbol.asyncDispose]();
  }
}

const scheme = /^postgres(?:ql)?(?:\+\w+)?:\/\//;
