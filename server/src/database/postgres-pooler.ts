import { once } from "node:events";
import { DatabaseError } from "./database.ts";
import { postgresFailure } from "./postgres-failure.ts";
import type { Session } from "./postgres-servers.ts";
import { pooled } from "./postgres-setup.ts";

/** A pooler that gives its two connections in turn shows itself in the second one. */
const rounds = 3;

/**
 * Sees whether two connections are two sessions of the server for as long as they live: settings
 * and prepared statements have to stay where they were made. Behind a pooler in transaction mode
 * one transaction takes the session that another connection had, whatever statements it lets
 * through. Throws DatabaseError `misconfigured`.
 */
export async function refusePooler(first: Session, another: () => Promise<Session>): Promise<void> {
  const second = await another().catch((error: unknown) => {
    // There is room for one connection only: nothing is known, and nothing is wrong.
    if (error instanceof DatabaseError && error.kind === "unavailable") return undefined;
    throw error;
  });
  if (second === undefined) return;
  try {
    for (let round = 0; round < rounds; round++) await compare(first, second);
  } catch (error) {
    throw postgresFailure(error);
  } finally {
    // Who counts the connections to the database must not count this one.
    const ended = once(second.client, "end");
    second.giveBack("connection");
    await ended;
  }
}

async function compare(first: Session, second: Session): Promise<void> {
  if (first.incarnation !== second.incarnation) return;
  const before = await processOf(first);
  await second.client.query("BEGIN");
  // With one session for all, the first connection would now wait for the second one.
  const others = await processOf(second);
  const after = others === before ? before : await processOf(first);
  await second.client.query("COMMIT");
  if (others === before || others === after || before !== after)
    throw new DatabaseError("misconfigured", pooled);
}

async function processOf({ client }: Session): Promise<number> {
  const { rows } = await client.query("SELECT pg_backend_pid() AS process");
  return rows[0].process;
}
