import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callbackify } from "node:util";
import { Client, type ClientConfig, Pool, type PoolClient } from "pg";
import { DatabaseError } from "./database.ts";
import { postgresConnectFailure } from "./postgres-failure.ts";
import { type Backend, prepareSession } from "./postgres-session.ts";
import type { PostgresTarget, SessionAttribute } from "../ground/postgres-url.ts";
import { columnParsers } from "./postgres-values.ts";

/** A connection that is ready for a transaction, until it is returned. */
export interface Session {
  readonly client: PoolClient;
  /** Tells servers apart: see `Reader`. */
  readonly incarnation: string;
  /** Has the server end the statement that runs, if one runs still. Never rejects. */
  cancel(statement: Promise<unknown>): Promise<void>;
  /** With what went wrong with the server or the connection, if anything did. */
  giveBack(failure: "none" | "connection" | "server"): void;
}

/** Gives the password of the moment, for one connection. */
export type Password = () => Promise<string>;

const connectTimeoutMs = 10_000;
/**
 * Timeout of a reply; longer than the server's own limit, for a server that accepts and then is
 * silent.
 */
const replyTimeoutMs = 35_000;
/** A statement that was on its way to the server when it was cancelled is cancelled again. */
const cancelAgainMs = 100;
/** A server silent for so long is not waited for alone: the next address is asked beside it. */
const silenceMs = 500;

/** The servers of one database: one at a time is the primary, which is looked for when needed. */
export class Servers {
  /** Servers, the one that answered last first. */
  #servers: readonly Server[];
  #wasReached = false;

  constructor(
    { servers, attribute }: PostgresTarget,
    { connectionsMax, password }: { connectionsMax: number; password: Password | undefined },
  ) {
    const isOnly = servers.length === 1;
    const given = { attribute, isOnly, connectionsMax, password };
    this.#servers = servers.map((server) => new Server({ ...server, ...given }));
  }

  /**
   * Rejects with a DatabaseError that names what is wrong with each of them. What was set up wrong
   * shows at first; later the same answers pass with what is done to the server, such as another
   * password, and are `unavailable`.
   */
  async session(): Promise<Session> {
    try {
      const session = await this.#session();
      this.#wasReached = true;
      return session;
    } catch (error) {
      const isMistake = error instanceof DatabaseError && error.kind === "misconfigured";
      if (!isMistake || !this.#wasReached) throw error;
      throw new DatabaseError("unavailable", error.message, error.cause);
    }
  }

  async #session(): Promise<Session> {
    const servers = this.#servers;
    if (servers.length === 1) return servers[0].session();
    const { server, session } = await firstSession(servers);
    if (server !== this.#servers[0]) {
      this.#servers = [server, ...this.#servers.filter((other) => other !== server)];
    }
    return session;
  }

  /** Ends all connections, with what runs on them. */
  cut(): void {
    for (const server of this.#servers) server.cut();
  }

  async end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.end()));
  }
}

/**
 * Opens a session. Servers are tried in turn: the next one when one has failed, or is silent for a
 * moment.
 */
function firstSession(servers: readonly Server[]): Promise<{ server: Server; session: Session }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    server: Server;
    session: Session;
  }>();
  const failures: { server: Server; error: unknown }[] = [];
  let asked = 0;
  let isFound = false;
  let silence: NodeJS.Timeout | undefined;
  const askNext = (): void => {
    clearTimeout(silence);
    const server = servers[asked++];
    if (server === undefined) return;
    // A caller that only waits for a free connection knows that the server answers.
    if (!server.isFull) silence = setTimeout(askNext, silenceMs);
    server.session().then(
      (session) => {
        if (isFound) return session.giveBack("none");
        isFound = true;
        clearTimeout(silence);
        resolve({ server, session });
      },
      (error: unknown) => {
        failures.push({ server, error });
        if (isFound) return;
        if (failures.length === servers.length) reject(failureOf(failures));
        else askNext();
      },
    );
  };
  askNext();
  return promise;
}

function failureOf(failures: { server: Server; error: unknown }[]): unknown {
  const isOther = (error: unknown) =>
    !(error instanceof DatabaseError && error.kind === "unavailable");
  const other = failures.find(({ error }) => isOther(error));
  if (other !== undefined) return other.error;
  const reasons = failures.map(({ error }) => (error as Error).message);
  return new DatabaseError("unavailable", reasons.join("; "), failures[0].error);
}

type ServerSettings = PostgresTarget["servers"][number] & {
  attribute: SessionAttribute;
  /** No other address was given. */
  isOnly: boolean;
  connectionsMax: number;
  password: Password | undefined;
};

/** One address, and the connections to it. */
class Server {
  readonly #settings: ServerSettings;
  readonly #backends = new WeakMap<PoolClient, Backend>();
  readonly #sockets = new Set<Socket>();
  readonly #ending = new Set<Promise<void>>();
  #pool: Pool;
  /** Cancellations run one at a time: settles when the last statement to be cancelled is. */
  #cancelling: Promise<void> = Promise.resolve();

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.#pool = this.#newPool();
  }

  get isFull(): boolean {
    return this.#pool.totalCount >= this.#settings.connectionsMax;
  }

  async session(): Promise<Session> {
    let client: PoolClient | undefined;
    try {
      const pool = this.#pool;
      client = await pool.connect();
      const backend = this.#backends.get(client) ?? (await prepareSession(client, this.#settings));
      this.#backends.set(client, backend);
      return this.#sessionOf(pool, client, backend);
    } catch (error) {
      client?.release(true);
      throw this.#named(error);
    }
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async end(): Promise<void> {
    if (!this.#pool.ending) this.#endPool();
    // Connections to a server that has sent nothing are not waited for.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    await Promise.all(this.#ending);
  }

  #sessionOf(pool: Pool, client: PoolClient, { incarnation, processId }: Backend): Session {
    return {
      client,
      incarnation,
      cancel: (statement) => {
        const cancelled = this.#cancelling.then(() => this.#cancel(processId, statement));
        // Without it the statement has the end that all have.
        return (this.#cancelling = cancelled.catch(() => undefined));
      },
      giveBack: (failure) => {
        client.release(failure !== "none");
        // Callers waiting for a connection of this pool would wait in vain.
        const isLast = pool === this.#pool && !pool.ending && pool.waitingCount === 0;
        if (failure === "server" && isLast) this.#renewPool();
      },
    };
  }

  /** On a connection of its own: those of the pool may all have such statements. */
  async #cancel(processId: number, statement: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = statement.then(
      () => void (isOver = true),
      () => void (isOver = true),
    );
    // Those that ended while others were cancelled say so first.
    await Promise.race([over, sleep(0)]);
    if (isOver) return;
    const client = new (clientClass(this.#settings.password))(this.#connectionOptions());
    client.on("error", () => undefined);
    try {
      await client.connect();
      while (!isOver) {
        await client.query("SELECT pg_cancel_backend($1)", [processId]);
        await Promise.race([over, sleep(cancelAgainMs)]);
      }
    } finally {
      await client.end();
    }
  }

  /** Idle connections lead to the same server: a transaction would find out for each of them. */
  #renewPool(): void {
    this.#endPool();
    this.#pool = this.#newPool();
  }

  #endPool(): void {
    const ended = this.#pool.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #newPool(): Pool {
    const { connectionsMax, password } = this.#settings;
    const pool = new Pool({
      ...this.#connectionOptions(),
      Client: clientClass(password),
      max: connectionsMax,
      // Idle connections do not keep a thread alive that has nothing else to do.
      allowExitOnIdle: true,
    });
    // An idle connection broke; the pool has dropped it, and the next transaction makes a new one.
    pool.on("error", () => undefined);
    return pool;
  }

  #connectionOptions(): ClientConfig {
    const { url, tls } = this.#settings;
    return {
      connectionString: url,
      ...tls,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: replyTimeoutMs,
      keepAlive: true,
      types: columnParsers,
      stream: () => this.#newSocket(),
    };
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once("close", () => this.#sockets.delete(socket));
  }

  #named(error: unknown): unknown {
    const failure = postgresConnectFailure(error);
    if (!(failure instanceof DatabaseError)) return failure;
    const reason = failure.message.replace(/^PostgreSQL: /, "");
    const { address } = this.#settings;
    return new DatabaseError(failure.kind, `PostgreSQL at ${address}: ${reason}`, error);
  }
}

/**
 * Returns the class of a pool's connections. The password is read before, because the client takes
 * a URL without one for an empty one; and the socket of a connection that fails is closed, which
 * would otherwise wait for the server's time-out.
 */
function clientClass(password: Password | undefined) {
  return class extends Client {
    override connect(): Promise<Client>;
    override connect(done: (error: Error) => void): void;
    override connect(done?: (error: Error) => void): Promise<Client> | void {
      if (done === undefined) return this.#connect();
      callbackify(() => this.#connect())(done);
    }

    async #connect(): Promise<Client> {
      if (password !== undefined) Object.assign(this, { password: await password() });
      try {
        return await super.connect();
      } catch (error) {
        (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
        throw error;
      }
    }
  };
}
