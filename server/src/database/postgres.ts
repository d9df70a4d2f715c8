import type { Database, ReadBounds, Reader, Transaction } from "./database.ts";
import { FiltersInTurns } from "./filters-in-turns.ts";
import { refuseForeignTables } from "./foreign-tables.ts";
import { readPasswordFile } from "./password-file.ts";
import { refusePooler } from "./postgres-pooler.ts";
import { Servers, type Session } from "./postgres-servers.ts";
import {
  PostgresTransaction,
  StatementNames,
  type TransactionTools,
} from "./postgres-transaction.ts";
import { FairShares } from "../ground/fair-shares.ts";
import { parsePostgresUrl } from "../ground/postgres-url.ts";
import { Slots } from "../ground/slots.ts";

export interface PostgresOptions {
  /** postgres://user:password@host:port/database, or several addresses: see postgres-url.ts. */
  url: string;
  /** Maximum of connections, at least two. Further transactions wait in line. */
  connectionsMax?: number;
  /** Maximum of connections of one holder. Several holders that wait take turns. */
  holderMax?: number;
  /** Holds the password, which is read for each new connection. */
  passwordFile?: string | undefined;
  /** The kind of failures of damaged data: `damaged` for a worker. */
  corruption?: TransactionTools["corruption"];
  /** Opens what a read needs of workers; it is disposed when the read ends. */
  elsewhere?: Elsewhere | undefined;
}

type Elsewhere = (
  directory: Reader,
  bounds: ReadBounds | undefined,
) => Pick<Reader, "at" | "atEach"> & AsyncDisposable;

export interface PostgresDatabase extends Database {
  /**
   * Connects, and rejects with a DatabaseError `misconfigured` where somebody has to set up server,
   * pooler or database otherwise. Once it has resolved, what the server answers to who connects is
   * `unavailable`: it may pass.
   */
  open(): Promise<void>;
  /**
   * The same connections for transactions that are run in the middle of one of `this`, such as
   * reads of objects: at least one connection is kept for them, so that they never wait for the
   * transaction around them. No transaction may be run in the middle of one of `inner`. Ends with
   * `this`.
   */
  readonly inner: Database;
  /** Ends all connections: what runs on them fails at once, as if the server had ended. */
  cut(): void;
}

/**
 * The scale-out database. Connections are made when they are first needed, so an unreachable server
 * shows as DatabaseError `unavailable` of the first transaction.
 */
export function openPostgres({
  url,
  passwordFile,
  connectionsMax = 4,
  holderMax = connectionsMax - 1,
  corruption = "corrupt",
  elsewhere,
}: PostgresOptions): PostgresDatabase {
  const connections = new Connections(url, { connectionsMax, passwordFile, corruption }, elsewhere);
  const slots = new Slots(new FairShares(connectionsMax - 1, holderMax));
  return {
    open: () => connections.open(),
    ...databaseOf((access, work, bounds) =>
      slots.in(bounds?.holder ?? "", () => connections.transact(access, work, bounds)),
    ),
    inner: {
      ...databaseOf((...given) => connections.transact(...given)),
      [Symbol.asyncDispose]: async () => undefined,
    },
    cut: () => connections.cut(),
    [Symbol.asyncDispose]: () => connections.end(),
  };
}

type Access = "read" | "write";
type Transact = <T>(
  access: Access,
  work: (transaction: Transaction) => Promise<T>,
  bounds?: ReadBounds,
) => Promise<T>;

function databaseOf(transact: Transact): Omit<Database, keyof AsyncDisposable> {
  return {
    read: (work, bounds) => transact("read", work, bounds),
    write: (work) => transact("write", work),
  };
}

class Connections {
  readonly #servers: Servers;
  readonly #tools: TransactionTools;
  readonly #elsewhere: Elsewhere | undefined;

  constructor(
    url: string,
    {
      connectionsMax,
      passwordFile,
      corruption,
    }: {
      connectionsMax: number;
      passwordFile: string | undefined;
      corruption: TransactionTools["corruption"];
    },
    elsewhere: Elsewhere | undefined,
  ) {
    this.#tools = { names: new StatementNames(), filters: new FiltersInTurns(), corruption };
    this.#elsewhere = elsewhere;
    const password = passwordFile === undefined ? undefined : () => readPasswordFile(passwordFile);
    this.#servers = new Servers(parsePostgresUrl(url), { connectionsMax, password });
  }

  async open(): Promise<void> {
    const session = await this.#servers.session();
    let failure: Parameters<Session["giveBack"]>[0] = "connection";
    try {
      await refusePooler(session, () => this.#servers.session());
      failure = "none";
    } finally {
      session.giveBack(failure);
    }
    await this.transact("read", refuseForeignTables);
  }

  cut(): void {
    this.#servers.cut();
  }

  end(): Promise<void> {
    return this.#servers.end();
  }

  async transact<T>(
    access: Access,
    work: (transaction: Transaction) => Promise<T>,
    bounds?: ReadBounds,
  ): Promise<T> {
    const session = await this.#servers.session();
    const transaction = new PostgresTransaction(session, access, this.#tools);
    let failure: Parameters<Session["giveBack"]>[0] = "none";
    try {
      await transaction.begin();
      if (bounds !== undefined) await transaction.limit(bounds);
      await using elsewhere =
        access === "read" ? this.#elsewhere?.(transaction, bounds) : undefined;
      transaction.elsewhere = elsewhere;
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      failure = await transaction.rollback();
      throw error;
    } finally {
      session.giveBack(failure);
    }
  }
}
