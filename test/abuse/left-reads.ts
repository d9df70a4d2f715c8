import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { call, type HttpRequest } from "../http.ts";
import type { Abuse } from "./abuse.ts";
import { askAndLeave } from "./leaving.ts";
import type { Scene } from "./scene.ts";

/** Seconds that a statement may go on without its client: less than the end of any statement. */
const goneSeconds = 8;
const waiting = `SELECT count(*)::integer AS count,
    coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0)::float8 AS seconds
  FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%logged_model%'`;

/**
 * Searches whose clients leave. On PostgreSQL a lock holds them, on a table that the neighbour does
 * not read; SQLite's statements are looked at by the tests beside its driver.
 */
export const leftReads: Abuse = {
  name: "searches whose clients leave",
  isTimed: true,
  async prepare(scene) {
    const { things } = await scene.acme();
    const search = {
      method: "POST",
      path: "/api/2.0/mlflow/logged-models/search",
      credential: scene.key,
      body: { experiment_ids: [things.mlflowExperiment] },
    };
    return async () => {
      if (scene.databaseUrl === undefined) await leaveMany(scene, search);
      else await leaveBehindLock(scene, search, scene.databaseUrl);
      const { status, text } = await call(scene.service.baseUrl, search);
      scene.expect(status === 200, `afterwards a search got ${status}: ${text.slice(0, 200)}`);
    };
  },
};

async function leaveBehindLock(scene: Scene, search: HttpRequest, url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  // A transaction sees what others do as it was when it first looked.
  const watching = new Client({ connectionString: url });
  await client.connect();
  await watching.connect();
  try {
    await client.query("BEGIN; LOCK TABLE logged_model IN ACCESS EXCLUSIVE MODE");
    const held = async () =>
      (await watching.query<{ count: number; seconds: number }>(waiting)).rows[0];
    const isHeld = async () => {
      while ((await held()).count === 0) await sleep(5);
    };
    await leaveMany(scene, search, isHeld());
    for (let now = await held(); now.count > 0; now = await held()) {
      if (now.seconds > goneSeconds) {
        scene.violations.push(
          `nobody waits, and it worked on this for more than ${goneSeconds} seconds`,
        );
        break;
      }
      await sleep(20);
    }
  } finally {
    await client.query("ROLLBACK");
    await client.end();
    await watching.end();
  }
}

async function leaveMany(scene: Scene, search: HttpRequest, until?: Promise<void>): Promise<void> {
  const { baseUrl } = scene.service;
  const asked = Array.from({ length: scene.amount(12, 200) });
  await Promise.all(asked.map(() => askAndLeave(baseUrl, search, until)));
}
