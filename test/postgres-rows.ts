import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** Runs statements beside a service. */
export function rowsOf(url: string, statement: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(statement)).rows as unknown[]);
}

/** One number of a table; 0 where there is none. */
export async function countOf(url: string, expression: string, table: string): Promise<number> {
  const [row] = await rowsOf(
    url,
    `SELECT CAST(coalesce(${expression}, 0) AS int) AS n FROM ${table}`,
  );
  return (row as { n: number }).n;
}

/** Waits until nobody else has it open: PostgreSQL notices a little later that a node has gone. */
export function connectionsEnd(url: string): Promise<void> {
  return withClient(url, async (client) => {
    const others = async () => {
      const { rows } = await client.query<{ others: string }>(
        `SELECT count(*) AS others FROM pg_stat_activity WHERE datname = current_database()
           AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      return Number(rows[0].others);
    };
    while ((await others()) > 0) await sleep(50);
  });
}

async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
