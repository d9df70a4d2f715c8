import type { PoolClient } from "pg";
import { DatabaseError } from "./database.ts";
import type { SessionAttribute } from "../ground/postgres-url.ts";
import { oldestVersion } from "./postgres-setup.ts";

/** The other end of a connection: the running server, and its process for us. */
export interface Backend {
  incarnation: string;
  processId: number;
}

const statementTimeoutMs = 30_000;
/** A stopped node must not keep row locks for ever. */
const idleInTransactionTimeoutMs = 30_000;

/**
 * Memory for the ids of some two million experiments: the table's look-up sets have to fit, or are
 * read again for every row.
 */
const workMemory = "64MB";

/**
 * Settings that the promises rest on, whatever the server's defaults are: a commit is on disk
 * before it is acknowledged (remote_apply is stronger still and stays), a warning during COMMIT
 * arrives, and text is Unicode. Statements are short, and compiling one would take longer than it
 * saves. Rejects when the server is not what `attribute` asks for: one of several may be the
 * primary after the next failover, the only one was named by mistake.
 */
export async function prepareSession(
  client: PoolClient,
  { attribute, isOnly }: { attribute: SessionAttribute; isOnly: boolean },
): Promise<Backend> {
  // A connection that breaks between two statements says so here; without a listener that would end
  // the process. The next statement on it fails.
  client.on("error", () => undefined);
  const { rows } = await client.query(
    `SELECT current_setting('server_encoding') AS encoding,
      current_setting('server_version') AS version,
      current_setting('server_version_num')::int AS number,
      pg_is_in_recovery()::text AS standby,
      current_setting('transaction_read_only') AS read_only,
      extract(epoch FROM pg_postmaster_start_time())::text AS started, pg_backend_pid() AS pid,
      set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
      set_config('client_min_messages', 'warning', false),
      set_config('statement_timeout', '${statementTimeoutMs}', false),
      set_config('idle_in_transaction_session_timeout', '${idleInTransactionTimeoutMs}', false),
      set_config('jit', 'off', false),
      set_config('work_mem', CASE WHEN pg_size_bytes(current_setting('work_mem'))
        < pg_size_bytes('${workMemory}') THEN '${workMemory}' ELSE current_setting('work_mem') END, false),
      set_config('TimeZone', 'UTC', false)`,
  );
  const { encoding, version, number, standby, read_only: readOnly, started, pid } = rows[0];
  if (number < oldestVersion) {
    throw new DatabaseError(
      "misconfigured",
      `it has version ${version}: upgrade it to ${oldestVersion / 10_000} or later, which are tested.`,
    );
  }
  if (encoding !== "UTF8") {
    throw new DatabaseError(
      "misconfigured",
      `The database must be encoded in UTF8, not ${encoding}: CREATE DATABASE … ENCODING UTF8 TEMPLATE template0.`,
    );
  }
  const kind = isOnly ? "misconfigured" : "unavailable";
  const primary = isOnly
    ? "; name the primary in --database-url, or all servers, postgres://a,b/name"
    : "";
  if (attribute !== "any" && standby === "true") {
    throw new DatabaseError(
      kind,
      `it is a standby, which may lack acknowledged data (target_session_attrs=any reads from it all the same)${primary}`,
    );
  }
  if (attribute === "read-write" && readOnly === "on") {
    throw new DatabaseError(kind, `it accepts no writes (default_transaction_read_only)${primary}`);
  }
  return { incarnation: started, processId: Number(pid) };
}
