/**
 * The one interface to SQL. Two drivers implement it: sqlite.ts (embedded) and postgres.ts
 * (scale-out); one conformance suite runs against both.
 *
 * SQL is written once, in the dialect both share: `$1, $2 …` parameters, `INSERT … ON CONFLICT`,
 * `RETURNING`. What differs is a member of `Reader` (`isOneOf`, `forUpdate`), never an `if` at the
 * caller.
 *
 * Rules both drivers keep: integers come back as JS numbers (never BigInt, never text), blobs as
 * Uint8Array, text compares and sorts bytewise (COLLATE "C" / BINARY), JSON is stored as text.
 */
export type Value = string | number | Uint8Array | null;

export interface Reader {
  readonly dialect: "sqlite" | "postgres";
  /**
   * Reads all rows. The caller declares the row's shape; columns that SQL computes need an alias.
   */
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** The first row, or undefined. */
  get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  /** The same for a text that is made for one request, and not kept prepared. */
  composed<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Returns SQL for: `column` is one of the strings of the JSON array in parameter `$n`. */
  isOneOf(column: string, parameter: `$${number}`): string;
  /** The same for a column of integers. */
  isOneOfIntegers(column: string, parameter: `$${number}`): string;
  /** The same for a column of bytes; the array holds them as hexadecimal digits. */
  isOneOfBytes(column: string, parameter: `$${number}`): string;
  /**
   * Returns SQL for: `column` matches the pattern (ground/like-pattern.ts), which `bind` makes a
   * parameter. A text takes time in proportion to its length, however long the pattern is.
   */
  isLike(column: string, pattern: string, bind: (pattern: string) => `$${number}`): string;
  /**
   * Returns SQL for: `column`, whose letters A to Z are small, contains the regular expression of
   * the language (protocol/src/text-expression.ts), which `bind` makes a parameter.
   */
  contains(column: string, expression: string, bind: (text: string) => `$${number}`): string;
  /** SQL text: the text with a to z for A to Z; letters of other alphabets stay as they are. */
  lowered(column: string): string;
  /** SQL text: a table (position, value) of the strings of that array, the first at 0. */
  listed(parameter: `$${number}`): string;
  /**
   * SQL text for the end of a SELECT: locks the rows until the transaction ends (empty on SQLite,
   * which has one writer).
   */
  readonly forUpdate: "" | " FOR UPDATE";
  /**
   * Identifies the running server of this transaction. State seen on one may be missing on another:
   * after a failover, caches of the database are invalid. Constant on SQLite.
   */
  readonly incarnation: string;
  /**
   * SQL text: a condition that always holds. A SELECT that passes rows without a small bound has
   * it, so that it can be ended: see ReadBounds. It costs least with the name that their table has
   * in the statement, where that is not a clustered one (migrate.ts).
   */
  inTime(table?: string): string;
  /** Returns the rows that a test in code takes, in turns, within the time of one statement. */
  filtered<Row>(rows: readonly Row[], isWanted: (row: Row) => boolean): Promise<Row[]>;
  /** SQL text: the database's own clock in milliseconds since 1970, one for all nodes. */
  readonly nowMs: string;
  /** SQL text: a small number that tells apart connections writing at once; 0 with one writer. */
  readonly writer: string;
  /**
   * Returns the reader for the points of an experiment: its log, its segments and its series. With
   * one server it is this one; otherwise that of the server with the points, as of this moment or
   * an earlier one of this read (docs/decisions/0025-several-servers.md).
   */
  at(experimentId: string): Promise<Reader>;
  /** The same for many experiments: each reader, and those that are there. */
  atEach(experimentIds: readonly string[]): Promise<[Reader, readonly string[]][]>;
  /** Whether points may be elsewhere; then `log` here tells nothing of them. */
  readonly hasWorkers: boolean;
}

export interface Transaction extends Reader {
  /** Runs a statement that returns no rows; resolves with the number of rows changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Runs `work` in a savepoint: when it throws, its writes are undone and the transaction goes on.
   * The error is rethrown to the caller.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

/** Bounds of a read in a thread that also serves others. */
export interface ReadBounds {
  /** Time for one statement; beyond it the read fails with a DatabaseError of kind `late`. */
  statementMs: number;
  /** Polled while a statement of SQLite runs: whether the read has no waiting caller any more. */
  isLeft?: () => boolean;
  /** Aborts when nobody waits for it: a statement of PostgreSQL that runs then is cancelled. */
  left?: AbortSignal;
  /** The organization of the read: several take turns at the connections. */
  holder?: string;
}

export interface Database extends AsyncDisposable {
  /** Runs `work` on one consistent snapshot. */
  read<T>(work: (reader: Reader) => Promise<T>, bounds?: ReadBounds): Promise<T>;
  /**
   * Runs `work` in one transaction. Resolves only after the commit is on stable storage, and with a
   * synchronous standby on that too, together with all rows that `work` has seen, even if it
   * changed none. When it rejects, no change of `work` is visible, except after a DatabaseError of
   * kind `unknown` (the connection broke during COMMIT, or the server warned then: with a
   * synchronous standby, that its wait was cancelled), `failed` or `corrupt` (detected after the
   * commit; the process stops and acknowledges nothing).
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

/** State of a worker. Away: it does not answer. Damaged: it said so lately. */
export type WorkerState = "answers" | "away" | "damaged";

/** A failure of the database itself, classified by the action that the service must take. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
  readonly kind: DatabaseFailure;
  constructor(kind: DatabaseFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/**
 * full: no space left; writes are refused until there is some. unavailable: the server cannot be
 * reached. unknown: the commit's outcome is not known. conflict: serialization failure or deadlock,
 * try the transaction again. failed: an I/O error on our own disk, the process must stop (exit 6).
 * corrupt: the file is not a sound database (exit 5). late: a read took longer than it may.
 * misconfigured: the server answers, but has to be set up differently (exit 2). damaged: a worker
 * says what `corrupt` says of our only database; its experiments are refused, and all others go on.
 */
export type DatabaseFailure =
  | "full"
  | "unavailable"
  | "unknown"
  | "conflict"
  | "failed"
  | "corrupt"
  | "late"
  | "misconfigured"
  | "damaged";
