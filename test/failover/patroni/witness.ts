import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { urlOf } from "./url.ts";

export const createWitness = "CREATE TABLE witness (written_at timestamptz NOT NULL)";

/**
 * A client that writes to one server alone, until it is stopped, to see whether the server
 * acknowledges. One that reports a commit with a warning, since its wait for the standby was ended,
 * does not.
 */
export class Witness {
  /** The server was there, and took itself for the primary. */
  wasPrimary = false;
  acknowledged = 0;
  readonly #port: number;
  #isWatching = true;
  #client: Client | undefined;
  readonly #watching: Promise<void>;

  constructor(port: number) {
    this.#port = port;
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isWatching = false;
    cut(this.#client);
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (this.#isWatching) {
      const client = new Client({ connectionString: urlOf([this.#port], "postgres") });
      client.on("error", () => {});
      this.#client = client;
      try {
        await client.connect();
        await this.#write(client);
      } catch {
        // A standby, or nobody.
      } finally {
        cut(client);
      }
      await sleep(50);
    }
  }

  async #write(client: Client): Promise<void> {
    let hasWarned = false;
    client.on("notice", () => (hasWarned = true));
    const { rows } = await client.query("SELECT pg_is_in_recovery() AS is_standby");
    if (rows[0].is_standby === true) return;
    this.wasPrimary = true;
    while (this.#isWatching) {
      await client.query("INSERT INTO witness VALUES (now())");
      if (hasWarned) return;
      this.acknowledged += 1;
      await sleep(50);
    }
  }
}

/** Without a goodbye: a server that waits for its standby hears none. */
function cut(client: Client | undefined): void {
  const inner = client as unknown as { connection: { stream: { destroy(): void } } } | undefined;
  inner?.connection.stream.destroy();
}
