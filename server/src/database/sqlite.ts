import { join } from "node:path";
import { TextExpression } from "@lossless/protocol/text-expression";
import { Checkpoints } from "./checkpoints.ts";
import { createPrivately } from "./create-privately.ts";
import {
  type Database,
  DatabaseError,
  type ReadBounds,
  type Reader,
  type Transaction,
  type Value,
} from "./database.ts";
import { FairShares } from "../ground/fair-shares.ts";
import { LikePattern } from "../ground/like-pattern.ts";
import { Slots } from "../ground/slots.ts";
import { SqliteConnection, type SqliteStatement } from "./node-sqlite.ts";
import { FiltersInTurns } from "./filters-in-turns.ts";
import { sqliteFailure } from "./sqlite-failure.ts";
import { StatementClock } from "./statement-clock.ts";

export const databaseFileName = "lossless.db";

/**
 * Oldest safe version: earlier ones can corrupt a WAL database that two connections write and
 * checkpoint (WAL-reset bug).
 */
const oldestSafeVersion = [3, 51, 3];
/**
 * Maximum of cached statements. Distinct SQL texts are constants in the code, a few hundred; the
 * bound guards against a mistake.
 */
const cachedStatementsMax = 500;
/** Maximum of cached patterns; more than a statement has. */
const knownPatternsMax = 64;
/**
 * Time that a statement waits for another process's lock, such as a command's beside the service.
 */
const busyTimeoutMs = 5_000;

export interface SqliteOptions {
  /** The data directory; the file in it is `lossless.db`. */
  directory: string;
  readOnly?: boolean;
  /** Memory for pages of the file. */
  cacheKiB?: number;
  /** Given where the thread has several connections. */
  filters?: FiltersInTurns;
  /** For tests of a full disk: maximum of the file in pages of 8 KiB. */
  pagesMax?: number;
}

/**
 * The embedded database: one connection, used by one transaction at a time; others wait in line, so
 * work inside a transaction must not start another on the same object (it would wait for itself).
 *
 * node:sqlite is synchronous and blocks its thread during an fsync: open it in a worker thread.
 */
export function openSqlite(options: SqliteOptions): Database {
  try {
    return new SqliteDatabase(connect(options), options);
  } catch (error) {
    throw sqliteFailure(error);
  }
}

function connect({
  directory,
  readOnly = false,
  cacheKiB = 16_384,
  pagesMax,
}: SqliteOptions): SqliteConnection {
  const file = join(directory, databaseFileName);
  if (!readOnly) createPrivately(file);
  const connection = new SqliteConnection(file, {
    readOnly,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
    timeout: busyTimeoutMs,
  });
  requireSafeVersion(connection);
  // page_size counts only before the first write. FULL: a commit is on disk before it is
  // acknowledged; NORMAL loses acknowledged data with the power. fullfsync: macOS needs it for a
  // real flush, others ignore it.
  if (!readOnly) connection.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL");
  connection.exec(
    "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON",
  );
  connection.exec(`PRAGMA cache_size = -${cacheKiB}; PRAGMA temp_store = MEMORY`);
  if (pagesMax !== undefined) connection.exec(`PRAGMA max_page_count = ${pagesMax}`);
  return connection;
}

/** Whether a text fits a pattern; null where there is no text. `pass` is called before. */
function patternFunction(pass: () => void, made: (pattern: string) => (text: string) => boolean) {
  const known = new Map<string, (text: string) => boolean>();
  return (text: unknown, pattern: unknown): number | null => {
    pass();
    if (typeof text !== "string" || typeof pattern !== "string") return null;
    let fits = known.get(pattern);
    if (fits === undefined) {
      if (known.size >= knownPatternsMax) known.clear();
      known.set(pattern, (fits = made(pattern)));
    }
    return Number(fits(text));
  };
}

export function requireSafeVersion(connection: SqliteConnection): void {
  const version = String(connection.prepare("SELECT sqlite_version() AS version").get()?.version);
  const parts = version.split(".").map(Number);
  const difference = oldestSafeVersion
    .map((part, index) => parts[index] - part)
    .find((part) => part !== 0);
  if (difference !== undefined && !(difference > 0)) {
    throw new Error(
      `SQLite ${version} is older than ${oldestSafeVersion.join(".")}, which is the first safe one`,
    );
  }
}

class SqliteDatabase implements Database {
  readonly #connection: SqliteConnection;
  readonly #clock = new StatementClock();
  readonly #filters: FiltersInTurns;
  /** Checkpoints; undefined when the database is read-only. */
  readonly #checkpoints: Checkpoints | undefined;
  readonly #statements = new Map<string, SqliteStatement>();
  /** Settles when the last transaction of a writer has ended. */
  #line: Promise<unknown> = Promise.resolve();
  /** Turns of a reader's transactions: a holder with many leaves every second one to others. */
  readonly #turns = new Slots(new FairShares(1));

  constructor(
    connection: SqliteConnection,
    { readOnly = false, filters = new FiltersInTurns() }: SqliteOptions,
  ) {
    this.#connection = connection;
    this.#filters = filters;
    if (!readOnly) this.#checkpoints = new Checkpoints(connection, busyTimeoutMs);
    const pass = () => this.#clock.pass();
    const like = (pattern: string) => {
      const made = new LikePattern(pattern);
      return (text: string) => made.fits(text);
    };
    const expression = (text: string) => {
      const made = TextExpression.parse(text);
      return (searched: string) => made.holds(searched);
    };
    const isPure = { deterministic: true };
    connection.function("fits_pattern", isPure, patternFunction(pass, like));
    connection.function("has_expression", isPure, patternFunction(pass, expression));
    connection.function("passed_in_time", () => {
      pass();
      return 1;
    });
    connection.function("is_in_time", () => {
      this.#clock.look();
      return 1;
    });
  }

  read<T>(work: (reader: Reader) => Promise<T>, bounds?: ReadBounds): Promise<T> {
    const step = () => this.#transact("BEGIN", work, bounds);
    if (this.#checkpoints !== undefined) return this.#inLine(step);
    return this.#turns.in(bounds?.holder ?? "", step);
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const checkpoints = this.#checkpoints;
    if (checkpoints === undefined) throw new Error("BUG: write on a read-only database");
    return this.#inLine(async () => {
      const result = await this.#transact("BEGIN IMMEDIATE", work);
      checkpoints.afterCommit();
      return result;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#line;
    do await this.#turns.in("", async () => undefined);
    while (this.#turns.waiting > 0);
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }

  #inLine<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#line.then(step);
    this.#line = result.catch(() => undefined);
    return result;
  }

  async #transact<T>(
    begin: string,
    work: (transaction: Transaction) => Promise<T>,
    bounds?: ReadBounds,
  ): Promise<T> {
    const timed = <Result>(statement: () => Result) => this.#clock.time(bounds, statement);
    const pass = bounds && (() => this.#clock.pass());
    const tools = { timed, pass, bounds, filters: this.#filters };
    const transaction = new SqliteTransaction(this.#connection, this.#statements, tools);
    transaction.execute(begin);
    try {
      const result = await work(transaction);
      transaction.execute("COMMIT");
      return result;
    } catch (error) {
      throw this.#rolledBack(error);
    } finally {
      transaction.end();
    }
  }

  /** The error of a transaction after ROLLBACK; if that fails too, the connection is unusable. */
  #rolledBack(first: unknown): unknown {
    // SQLite has already rolled back by itself after some errors (full disk, I/O).
    if (!this.#connection.isTransaction) return first;
    try {
      this.#connection.exec("ROLLBACK");
      return first;
    } catch (error) {
      const second = sqliteFailure(error);
      const failures = [first, second].filter((each) => each instanceof DatabaseError);
      const kind = failures.some((each) => each.kind === "corrupt") ? "corrupt" : "failed";
      const message = `${messageOf(first)}; then ROLLBACK failed: ${messageOf(second)}`;
      return new DatabaseError(kind, message, new AggregateError([first, second]));
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface StatementTools {
  timed: <Result>(statement: () => Result) => Promise<Result>;
  /** Called for each row that is given, in a read that has bounds. */
  pass: (() => void) | undefined;
  bounds: ReadBounds | undefined;
  filters: FiltersInTurns;
}

class SqliteTransaction implements Transaction {
  readonly dialect = "sqlite";
  readonly incarnation = "sqlite";
  readonly forUpdate = "";
  readonly nowMs = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
  readonly writer = "0";
  readonly hasWorkers = false;
  readonly #connection: SqliteConnection;
  readonly #statements: Map<string, SqliteStatement>;
  readonly #tools: StatementTools;
  #savepoints = 0;
  /**
   * The first failure of the database itself. From then on the transaction cannot commit, even when
   * `work` swallows the error: SQLite may have rolled back, and later statements would commit one
   * by one.
   */
  #failure: DatabaseError | undefined;
  #ended = false;

  constructor(
    connection: SqliteConnection,
    statements: Map<string, SqliteStatement>,
    tools: StatementTools,
  ) {
    this.#connection = connection;
    this.#statements = statements;
    this.#tools = tools;
  }

  filtered<Row>(rows: readonly Row[], isWanted: (row: Row) => boolean): Promise<Row[]> {
    return this.#tools.filters.filter(rows, isWanted, this.#tools.bounds);
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#read(() => this.#rows(this.#prepare(sql), values))) as Row[];
  }

  async get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.#read(() => this.#prepare(sql).get(...values))) as Row | undefined;
  }

  async composed<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#read(() => this.#rows(this.#parse(sql), values))) as Row[];
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    return this.#guarded(() => Number(this.#prepare(sql).run(...values).changes));
  }

  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = `attempt_${++this.#savepoints}`;
    this.execute(`SAVEPOINT ${savepoint}`);
    try {
      const result = await work();
      this.execute(`RELEASE ${savepoint}`);
      return result;
    } catch (error) {
      if (this.#failure === undefined) {
        this.execute(`ROLLBACK TO ${savepoint}`);
        this.execute(`RELEASE ${savepoint}`);
      }
      throw error;
    }
  }

  isOneOf(column: string, parameter: `$${number}`): string {
    return `${column} IN (SELECT value FROM json_each(${parameter}))`;
  }

  isOneOfIntegers(column: string, parameter: `$${number}`): string {
    return this.isOneOf(column, parameter);
  }

  isOneOfBytes(column: string, parameter: `$${number}`): string {
    return `${column} IN (SELECT unhex(value) FROM json_each(${parameter}))`;
  }

  isLike(column: string, pattern: string, bind: (pattern: string) => `$${number}`): string {
    return `fits_pattern(${column}, ${bind(pattern)})`;
  }

  contains(column: string, expression: string, bind: (text: string) => `$${number}`): string {
    return `has_expression(${column}, ${bind(expression)})`;
  }

  lowered(column: string): string {
    return `lower(${column})`;
  }

  /**
   * A call out of SQLite takes six times what it takes to pass a row, so one row of 64 makes it:
   * which one the product spreads, whatever the distance between rows that belong together.
   */
  inTime(table?: string): string {
    if (table === undefined) return "passed_in_time()";
    return `(${table}.rowid * 2654435761 >> 26 & 63 OR is_in_time())`;
  }

  async at(): Promise<Reader> {
    return this;
  }

  async atEach(experimentIds: readonly string[]): Promise<[Reader, readonly string[]][]> {
    return [[this, experimentIds]];
  }

  listed(parameter: `$${number}`): string {
    return `(SELECT key AS position, value FROM json_each(${parameter})) AS listed`;
  }

  execute(sql: string): void {
    this.#guarded(() => this.#connection.exec(sql));
  }

  end(): void {
    this.#ended = true;
  }

  #rows(statement: SqliteStatement, values: Value[]): unknown[] {
    const { pass } = this.#tools;
    if (pass === undefined) return statement.all(...values);
    const rows: unknown[] = [];
    for (const row of statement.iterate(...values)) {
      pass();
      rows.push(row);
    }
    return rows;
  }

  #prepare(sql: string): SqliteStatement {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    if (this.#statements.size >= cachedStatementsMax) this.#statements.clear();
    const statement = this.#parse(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #parse(sql: string): SqliteStatement {
    return this.#connection.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
  }

  #read<T>(step: () => T): Promise<T> {
    return this.#tools.timed(() => this.#guarded(step));
  }

  #guarded<T>(step: () => T): T {
    if (this.#ended) throw new Error("BUG: statement after the end of its transaction");
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return step();
    } catch (error) {
      const failure = sqliteFailure(error);
      if (failure instanceof DatabaseError) this.#failure = failure;
      throw failure;
    }
  }
}
