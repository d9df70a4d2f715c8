import { TextExpression } from "@lossless/protocol/text-expression";
import type { PoolClient, QueryResult } from "pg";
import { expressionOf, literalParts } from "../ground/like-pattern.ts";
import {
  DatabaseError,
  type ReadBounds,
  type Reader,
  type Transaction,
  type Value,
} from "./database.ts";
import type { FiltersInTurns } from "./filters-in-turns.ts";
import { postgresCommitFailure, postgresFailure, postgresReadFailure } from "./postgres-failure.ts";
import type { Session } from "./postgres-servers.ts";

/**
 * Maximum of named statements. Distinct SQL texts are constants in the code, a few hundred; the
 * bound guards against a mistake.
 */
const namedStatementsMax = 500;

/**
 * Maximal length of a pattern for LIKE, which compares the text between wildcards at every place. A
 * regular expression reads the text once, in twice the time that a short pattern takes.
 */
const likeCharactersMax = 32;

const beginnings = {
  read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  write: "BEGIN ISOLATION LEVEL READ COMMITTED",
} as const;

export interface TransactionTools {
  names: StatementNames;
  filters: FiltersInTurns;
  /** The kind of failures of damaged data. */
  corruption: "corrupt" | "damaged";
}

/** One transaction on one connection: its maker begins it and ends it by `commit` or `rollback`. */
export class PostgresTransaction implements Transaction {
  readonly dialect = "postgres";
  readonly forUpdate = " FOR UPDATE";
  readonly nowMs = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)";
  readonly writer = "pg_backend_pid() % 64";
  readonly incarnation: string;
  /** Set by its maker where points are on several servers. */
  elsewhere: Pick<Reader, "at" | "atEach"> | undefined;
  readonly #client: PoolClient;
  readonly #session: Pick<Session, "cancel">;
  readonly #access: keyof typeof beginnings;
  readonly #names: StatementNames;
  readonly #corruption: TransactionTools["corruption"];
  readonly #filters: FiltersInTurns;
  #savepoints = 0;
  /**
   * The first failure of the server or the connection. From then on the transaction cannot commit,
   * even when `work` swallows the error.
   */
  #failure: DatabaseError | undefined;
  #hasWritten = false;
  #ended = false;
  #bounds: ReadBounds | undefined;

  constructor(
    session: Session,
    access: keyof typeof beginnings,
    { names, filters, corruption }: TransactionTools,
  ) {
    this.#client = session.client;
    this.#session = session;
    this.incarnation = session.incarnation;
    this.#access = access;
    this.#names = names;
    this.#corruption = corruption;
    this.#filters = filters;
  }

  get hasWorkers(): boolean {
    return this.elsewhere !== undefined;
  }

  async begin(): Promise<void> {
    await this.run(beginnings[this.#access]);
  }

  /** For each of its statements. */
  async limit(bounds: ReadBounds): Promise<void> {
    this.#bounds = bounds;
    const { statementMs } = bounds;
    await this.all("SELECT set_config('statement_timeout', $1, true)", String(statementMs));
  }

  filtered<Row>(rows: readonly Row[], isWanted: (row: Row) => boolean): Promise<Row[]> {
    return this.#filters.filter(rows, isWanted, this.#bounds);
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#query(sql, values)).rows as Row[];
  }

  async get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0] as Row | undefined;
  }

  async composed<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#send({ text: sql, values })).rows as Row[];
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = `attempt_${++this.#savepoints}`;
    await this.run(`SAVEPOINT ${savepoint}`);
    try {
      const result = await work();
      await this.run(`RELEASE SAVEPOINT ${savepoint}`);
      return result;
    } catch (error) {
      if (this.#failure === undefined) {
        await this.run(`ROLLBACK TO SAVEPOINT ${savepoint}`);
        await this.run(`RELEASE SAVEPOINT ${savepoint}`);
      }
      throw error;
    }
  }

  isOneOf(column: string, parameter: `$${number}`): string {
    return `${column} IN (SELECT json_array_elements_text(${parameter}::json))`;
  }

  isOneOfIntegers(column: string, parameter: `$${number}`): string {
    return `${column} IN (SELECT json_array_elements_text(${parameter}::json)::bigint)`;
  }

  isOneOfBytes(column: string, parameter: `$${number}`): string {
    return `${column} IN (SELECT decode(json_array_elements_text(${parameter}::json), 'hex'))`;
  }

  isLike(column: string, pattern: string, bind: (pattern: string) => `$${number}`): string {
    const isLong = literalParts(pattern).some(({ length }) => length > likeCharactersMax);
    const [operator, given] = isLong ? ["~", expressionOf(pattern)] : ["LIKE", pattern];
    return `${column} ${operator} CAST(${bind(given)} AS TEXT)`;
  }

  contains(column: string, expression: string, bind: (text: string) => `$${number}`): string {
    const { forPostgres } = TextExpression.parse(expression);
    return `${column} ~ CAST(${bind(forPostgres)} AS TEXT)`;
  }

  lowered(column: string): string {
    return `lower(${column} COLLATE "C")`;
  }

  inTime(): string {
    return "TRUE";
  }

  async at(experimentId: string): Promise<Reader> {
    return this.elsewhere === undefined ? this : this.elsewhere.at(experimentId);
  }

  async atEach(experimentIds: readonly string[]): Promise<[Reader, readonly string[]][]> {
    if (this.elsewhere === undefined) return [[this, experimentIds]];
    return this.elsewhere.atEach(experimentIds);
  }

  listed(parameter: `$${number}`): string {
    return `(SELECT ordinality - 1, value FROM json_array_elements_text(${parameter}::json)
      WITH ORDINALITY AS listed (value, ordinality)) AS listed (position, value)`;
  }

  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#access === "write" && !this.#hasWritten) await this.#waitForStandby();
    this.#ended = true;
    let command: string;
    let notice: Error | undefined;
    const onNotice = ({ message }: { message: string | undefined }) =>
      (notice ??= new Error(message));
    this.#client.on("notice", onNotice);
    try {
      ({ command } = await this.#client.query("COMMIT"));
      // A wait for the standby that was cancelled ends so: the transaction is on this server alone.
      if (notice !== undefined) throw notice;
    } catch (error) {
      const failure = this.#own(postgresCommitFailure(error));
      if (failure instanceof DatabaseError) this.#failure = failure;
      throw failure;
    } finally {
      this.#client.off("notice", onNotice);
    }
    // After a failed statement whose error was swallowed, COMMIT rolls back and reports success.
    if (command !== "COMMIT") throw new Error(`BUG: COMMIT of a failed transaction got ${command}`);
  }

  /** Rolls back; resolves with the failed part, the connection or the server, if any. */
  async rollback(): Promise<"none" | "connection" | "server"> {
    this.#ended = true;
    if (this.#failure?.kind === "unavailable" || this.#failure?.kind === "unknown") return "server";
    // Behind a pooler nobody knows which session a connection has; a new one begins anew.
    if (this.#failure?.kind === "misconfigured") return "connection";
    return this.#client.query("ROLLBACK").then(
      () => "none",
      () => "connection",
    );
  }

  /**
   * Waits for the standby. PostgreSQL has a commit wait only when the transaction wrote something;
   * one that found its work done already, perhaps by a transaction whose wait was cancelled, has to
   * wait too before it replies.
   */
  async #waitForStandby(): Promise<void> {
    await this.run(
      `SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''
         THEN pg_logical_emit_message(true, 'lossless', '')::text END AS written`,
    );
  }

  #query(text: string, values: Value[]): Promise<QueryResult> {
    const name = this.#names.of(text);
    return this.#send(name === undefined ? { text, values } : { name, text, values });
  }

  async #send(query: { name?: string; text: string; values: Value[] }): Promise<QueryResult> {
    if (this.#ended) throw new Error("BUG: statement after the end of its transaction");
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const result = await this.#untilLeft(() => this.#client.query(query));
      this.#hasWritten ||= hasWritten(result, query.text, this.forUpdate);
      return result;
    } catch (error) {
      const failure = this.#own(
        this.#access === "read" ? postgresReadFailure(error) : postgresFailure(error),
      );
      if (failure instanceof DatabaseError) this.#failure = failure;
      throw failure;
    }
  }

  #own(failure: unknown): unknown {
    if (!(failure instanceof DatabaseError && failure.kind === "corrupt")) return failure;
    return new DatabaseError(this.#corruption, failure.message, failure.cause);
  }

  /** The connection is free for others only when nothing of it is about to be cancelled. */
  async #untilLeft<Result>(statement: () => Promise<Result>): Promise<Result> {
    const left = this.#bounds?.left;
    if (left === undefined) return statement();
    if (left.aborted) throw new DatabaseError("late", "The client of this read has gone.");
    const running = statement();
    let cancelled: Promise<void> | undefined;
    const cancel = () => void (cancelled = this.#session.cancel(running));
    left.addEventListener("abort", cancel, { once: true });
    try {
      return await running;
    } finally {
      left.removeEventListener("abort", cancel);
      await cancelled;
    }
  }
}

/** Whether PostgreSQL has written something for this statement, a row lock too; if in doubt, no. */
function hasWritten({ command, rowCount }: QueryResult, text: string, forUpdate: string): boolean {
  const mayWrite = /^(INSERT|UPDATE|DELETE)$/.test(command) || text.endsWith(forUpdate);
  return mayWrite && (rowCount ?? 0) > 0;
}

/** SQL that is run again gets a name, under which each connection keeps it prepared. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  of(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined) return name;
    if (this.#names.size < namedStatementsMax) this.#names.set(sql, `s${this.#names.size}`);
    return undefined;
  }
}
