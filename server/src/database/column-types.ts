/** The words of CREATE TABLE that differ between the databases. Text compares bytewise in both. */
export interface ColumnTypes {
  text: string;
  integer: string;
  blob: string;
  /** A double. */
  real: string;
  /** A whole column: a number that the database gives each row, its primary key. */
  identity: string;
  /** Behind a table whose rows are read in the order of their key: on SQLite they lie in it. */
  clustered: string;
  /** Behind a table whose rows change again and again: on PostgreSQL pages keep room for it. */
  updatedInPlace: string;
  /**
   * Statements that keep the database from compressing a column: PostgreSQL would try it on every
   * large value, slowly, and records and objects are dense already. Nothing to say on SQLite.
   */
  uncompressed(table: string, column: string): string[];
  /**
   * An index whose condition names columns that every commit changes. On PostgreSQL there is none:
   * a single one would take from all these updates that they stay within their page (HOT).
   */
  indexOnHotColumns(statement: string): string[];
  /** Statements for what SQLite has no need of. */
  onPostgres(statements: string[]): string[];
}
