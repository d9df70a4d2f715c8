import { Client } from "pg";
import type { PostgresServer } from "../postgres.ts";

/**
 * Ends the whole server at once, as a loss of power does. Without the server, a session lives on
 * for a moment and may still answer, so each of them is killed as well.
 */
export async function killPostgres(server: PostgresServer, databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  for (const processId of [server.processId, ...rows.map(({ pid }) => pid)]) {
    try {
      process.kill(processId, "SIGKILL");
    } catch (error) {
      // It has noticed by itself already.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
  await client.end().catch(() => {});
}
