import { Pool, type PoolClient } from "pg";
import type { Database, Transaction, Value } from "./database.ts";
import { DatabaseError } from "./database.ts";
import { postgresCommitFailure, postgresFailure } from "./postgres-failure.ts";
import { columnParsers } from "./postgres-values.ts";

export interface PostgresOptions {
  /** postgres://user:password@host:port/database */
  url: string;
  /** At least two. More transactions wait in line. */
  connectionsMax?: number;
}

export interface PostgresDatabase extends Database {
  /**
   * The same connections for transactions that are run in the middle of one of `this`, such as reads of
   * objects: at least one connection is kept for them, so that they never wait for the transaction around
   * them. No transaction may be run in the middle of one of `inner`. Ends with `this`.
   */
  readonly inner: Database;
}

const connectTimeoutMs = 10_000;
const statementTimeoutMs = 30_000;
/** Longer than the server's own limit, for a server that accepts and then is silent. */
const replyTimeoutMs = 35_000;
/** A stopped node must not keep row locks for ever. */
const idleInTransactionTimeoutMs = 30_000;
/** Distinct SQL texts are constants in the code, a few hundred; the bound is against a mistake. */
const namedStatementsMax = 500;

/**
 * The scale-out database. Connections are made when they are first needed, so an unreachable server shows
 * as DatabaseError `unavailable` of the first transaction.
 */
export function openPostgres({ url, connectionsMax = 4 }: PostgresOptions): PostgresDatabase {
  const connections = new Connections(url, connectionsMax);
  const turns = new Turns(connectionsMax - 1);
  return {
    ...databaseOf((begin, work) => turns.run(() => connections.transact(begin, work))),
    inner: {
      ...databaseOf((begin, work) => connections.transact(begin, work)),
      [Symbol.asyncDispose]: async () => undefined,
    },
    [Symbol.asyncDispose]: () => connections.end(),
  };
}

type Transact = <T>(begin: string, work: (transaction: Transaction) => Promise<T>) => Promise<T>;

function databaseOf(transact: Transact): Omit<Database, keyof AsyncDisposable> {
  return {
    read: (work) => transact("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work),
    write: (work) => transact("BEGIN ISOLATION LEVEL READ COMMITTED", work),
  };
}

/** Runs at most so many works at once, the others in the order in which they came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The turn goes to the next one directly, so that nobody who comes later takes it in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

class Connections {
  readonly #pool: Pool;
  readonly #names = new StatementNames();
  readonly #prepared = new WeakSet<PoolClient>();

  constructor(url: string, connectionsMax: number) {
    this.#pool = new Pool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: replyTimeoutMs,
      keepAlive: true,
      // Idle connections do not keep a thread alive that has nothing else to do.
      allowExitOnIdle: true,
      types: columnParsers,
    });
    // An idle connection broke; the pool has dropped it, and the next transaction makes a new one.
    this.#pool.on("error", () => undefined);
  }

  async end(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async transact<T>(begin: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const transaction = new PostgresTransaction(client, this.#names);
    let isSound = true;
    try {
      await transaction.run(begin);
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      isSound = await transaction.rollback();
      throw error;
    } finally {
      client.release(!isSound);
    }
  }

  async #connect(): Promise<PoolClient> {
    let client: PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      if (!this.#prepared.has(client)) await prepareSession(client);
      this.#prepared.add(client);
      return client;
    } catch (error) {
      client?.release(true);
      throw postgresFailure(error);
    }
  }
}

/**
 * Settings that the promises rest on, whatever the server's defaults are: a commit is on disk before it is
 * acknowledged (remote_apply is stronger still and stays), and text is Unicode.
 */
async function prepareSession(client: PoolClient): Promise<void> {
  // A connection that breaks between two statements says so here; without a listener that would end the
  // process. The next statement on it fails.
  client.on("error", () => undefined);
  const { rows } = await client.query(
    `SELECT current_setting('server_encoding') AS encoding,
      set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
      set_config('statement_timeout', '${statementTimeoutMs}', false),
      set_config('idle_in_transaction_session_timeout', '${idleInTransactionTimeoutMs}', false),
      set_config('TimeZone', 'UTC', false)`,
  );
  if (rows[0].encoding !== "UTF8") {
    throw new DatabaseError(
      "unavailable",
      `The database must be encoded in UTF8, not ${rows[0].encoding}.`,
    );
  }
}

/** SQL that is run again gets a name, under which each connection keeps it prepared; SQL run once does not. */
class StatementNames {
  readonly #names = new Map<string, string>();

  of(sql: string): string | undefined {
    const name = this.#names.get(sql);
    if (name !== undefined) return name;
    if (this.#names.size < namedStatementsMax) this.#names.set(sql, `s${this.#names.size}`);
    return undefined;
  }
}

class PostgresTransaction implements Transaction {
  readonly dialect = "postgres";
  readonly forUpdate = " FOR UPDATE";
  readonly nowMs = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)";
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  #savepoints = 0;
  /** The first failure of the server or the connection. From then on the transaction cannot commit, even when `work` swallows the error. */
  #failure: DatabaseError | undefined;
  #ended = false;

  constructor(client: PoolClient, names: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  async all<Row>(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.#query(sql, values)).rows as Row[];
  }

  async get<Row>(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.#query(sql, values)).rows[0] as Row | undefined;
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

  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#ended = true;
    let command: string;
    try {
      ({ command } = await this.#client.query("COMMIT"));
    } catch (error) {
      const failure = postgresCommitFailure(error);
      if (failure instanceof DatabaseError) this.#failure = failure;
      throw failure;
    }
    // After a failed statement whose error was swallowed, COMMIT rolls back and calls that a success.
    if (command !== "COMMIT") throw new Error(`BUG: COMMIT of a failed transaction got ${command}`);
  }

  /** Resolves with whether the connection can be used again. */
  async rollback(): Promise<boolean> {
    this.#ended = true;
    if (this.#failure?.kind === "unavailable" || this.#failure?.kind === "unknown") return false;
    return this.#client.query("ROLLBACK").then(
      () => true,
      () => false,
    );
  }

  async #query(text: string, values: Value[]) {
    if (this.#ended) throw new Error("BUG: statement after the end of its transaction");
    if (this.#failure !== undefined) throw this.#failure;
    const name = this.#names.of(text);
    try {
      return await this.#client.query(
        name === undefined ? { text, values } : { name, text, values },
      );
    } catch (error) {
      const failure = postgresFailure(error);
      if (failure instanceof DatabaseError) this.#failure = failure;
      throw failure;
    }
  }
}
