import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { CommandError } from "../../../command.ts";
import type { MlflowDatabase, Row } from "./database-store.ts";

/** MLflow's database in a file of SQLite. */
export class SqliteDatabase implements MlflowDatabase {
  readonly name: string;
  readonly isBesideFiles = true;
  readonly #database: DatabaseSync;

  private constructor(path: string, database: DatabaseSync) {
    this.name = path;
    this.#database = database;
  }

  static async open(path: string): Promise<SqliteDatabase> {
    const { DatabaseSync } = await import("node:sqlite");
    try {
      const database = new DatabaseSync(path, { readOnly: true });
      // The file is read for the first time.
      database.exec("SELECT 1 FROM sqlite_master");
      return new SqliteDatabase(path, database);
    } catch (error) {
      throw new CommandError(`${path} cannot be read as SQLite: ${(error as Error).message}`);
    }
  }

  get directory(): string {
    return dirname(this.name);
  }

  query(text: string, ...values: string[]): Promise<Row[]> {
    const statement = this.#database.prepare(text);
    // Steps and times have 64 bits.
    statement.setReadBigInts(true);
    return Promise.resolve(statement.all(...values) as Row[]);
  }

  async columns(): Promise<(readonly [string, string])[]> {
    const rows = await this.query(
      "SELECT m.name AS t, c.name AS c FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'",
    );
    return rows.map(({ t, c }) => [String(t), String(c)]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }
}
