/** The words of CREATE TABLE that differ between the databases. Text compares bytewise in both. */
export interface ColumnTypes {
  text: string;
  integer: string;
  blob: string;
  /** A double. */
  real: string;
  /** A whole column: a number that the database assigns to each row, its primary key. */
  identity: string;
  /**
   * Suffix of a table whose rows are read in the order of their key: on SQLite it stores them so.
   */
  clustered: string;
  /** Suffix of a table whose rows change often: on PostgreSQL its pages keep room for updates. */
  updatedInPlace: string;
  /**
   * Statements that keep the database from compressing a column: PostgreSQL would try it on every
   * large value, slowly, and records and objects are dense already. Nothing to say on SQLite.
   */
  uncompressed(table: string, column: string): string[];
  /**
   * Returns an index whose condition has columns that every commit changes. On PostgreSQL there is
   * none: a single one would prevent all these updates from staying within their page (HOT).
   */
  indexOnHotColumns(statement: string): string[];
  /** An expression for bytes as text; other bytes than printable ASCII give some other text. */
  textOf(bytes: string): string;
  /** Returns statements that only PostgreSQL needs. */
  onPostgres(statements: string[]): string[];
}
