import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sharedPostgres } from "../../../test/postgres.ts";
import type { DatabaseError, Reader } from "./database.ts";
import { migrate, newestFormat } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";

const kindIs = (kind: string) => (error: unknown) => (error as DatabaseError).kind === kind;

async function freshUrl(): Promise<string> {
  return (await sharedPostgres()).createDatabase();
}

test("every session commits durably and speaks UTC, whatever the server's defaults are", async () => {
  const url = await freshUrl();
  const name = new URL(url).pathname.slice(1);
  await using first = openPostgres({ url });
  await first.write((transaction) =>
    transaction.run(`ALTER DATABASE ${name} SET synchronous_commit = off`),
  );
  await using database = openPostgres({ url });
  const settings = await database.read((reader) =>
    reader.get<object>(
      `SELECT current_setting('synchronous_commit') AS commit, current_setting('TimeZone') AS zone,
        current_setting('statement_timeout') AS timeout`,
    ),
  );
  assert.deepEqual({ ...settings }, { commit: "on", zone: "UTC", timeout: "30s" });
});

test("transactions in the middle of others never wait for them, however many there are", async () => {
  const url = await freshUrl();
  await using database = openPostgres({ url, connectionsMax: 3 });
  // PostgreSQL's own workers, such as autovacuum, are not meant.
  const sql = `SELECT count(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'`;
  const counts = Array.from({ length: 20 }, (_, index) =>
    database[index % 2 === 0 ? "read" : "write"](async (outer) => {
      await outer.all("SELECT 1 AS one");
      const rows = [1, 2, 3].map(() =>
        database.inner.read((inner) => inner.get<{ count: number }>(sql)),
      );
      return Math.max(...(await Promise.all(rows)).map((row) => row!.count));
    }),
  );
  assert.ok(Math.max(...(await Promise.all(counts))) <= 3);
});

test("readers of several holders take turns at the connections", async () => {
  await using database = openPostgres({ url: await freshUrl(), connectionsMax: 2 });
  const done: string[] = [];
  const read = (holder: string) =>
    database.read(async () => void done.push(holder), { statementMs: 1_000, holder });
  await Promise.all(["acme", "acme", "acme", "acme", "rival", "other", "rival"].map(read));
  assert.deepEqual(done, ["acme", "acme", "rival", "other", "acme", "rival", "acme"]);
});

test("a holder leaves a connection to the others, however long its reads take", async () => {
  const limits = { connectionsMax: 4, holderMax: 2 };
  await using database = openPostgres({ url: await freshUrl(), ...limits });
  const over = Promise.withResolvers<void>();
  const read = (holder: string, work: () => Promise<void>) =>
    database.read(work, { statementMs: 60_000, holder });
  const long = Array.from({ length: 5 }, () => read("acme", () => over.promise));
  await read("rival", async () => undefined);
  over.resolve();
  await Promise.all(long);
});

test("a server that cannot be reached is unavailable", async () => {
  await using database = openPostgres({ url: "postgres://nobody@127.0.0.1:1/none" });
  await assert.rejects(
    database.read((reader) => reader.all("SELECT 1")),
    kindIs("unavailable"),
  );
});

test("a connection lost inside a transaction is unavailable; the next transaction connects anew", async () => {
  const url = await freshUrl();
  await using database = openPostgres({ url });
  await using other = openPostgres({ url });
  await migrate(database);
  const broken = database.write(async (transaction) => {
    const row = await transaction.get<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await other.read((reader) =>
      reader.all("SELECT pg_terminate_backend($1::int)::text AS done", row?.pid ?? 0),
    );
    await transaction.run("UPDATE installation SET value = 'broken' WHERE name = 'format'");
  });
  await assert.rejects(broken, kindIs("unavailable"));
  assert.equal(await migrate(database), newestFormat);
});

test("a deadlock is a conflict for one of the two, and nothing of it stays", async () => {
  const url = await freshUrl();
  await using database = openPostgres({ url });
  await migrate(database);
  const step = (first: string, second: string, mine: () => void, theirs: Promise<void>) =>
    database.write(async (transaction) => {
      const lock = `SELECT value FROM installation WHERE name = $1${transaction.forUpdate}`;
      await transaction.all(lock, first);
      mine();
      await theirs;
      await transaction.all(lock, second);
    });
  const a = Promise.withResolvers<void>();
  const b = Promise.withResolvers<void>();
  const outcomes = await Promise.allSettled([
    step("format", "hash_seed", a.resolve, b.promise),
    step("hash_seed", "format", b.resolve, a.promise),
  ]);
  const failures = outcomes.filter((outcome) => outcome.status === "rejected");
  assert.equal(failures.length, 1);
  assert.ok(kindIs("conflict")(failures[0].reason));
});

test("a connection lost during COMMIT leaves the outcome unknown", async (t) => {
  const url = await freshUrl();
  await using direct = openPostgres({ url });
  await migrate(direct);
  const proxy = await startProxy(t, Number(new URL(url).port));
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  await using database = openPostgres({ url: proxied.href });
  const insert = (name: string) =>
    database.write(async (transaction) => {
      await transaction.run("INSERT INTO installation (name, value) VALUES ($1, 'x')", name);
      if (name === "lost") proxy.cutReplies();
    });
  await insert("kept");
  await assert.rejects(insert("lost"), kindIs("unknown"));
  // This time the server did commit: only the reply was lost.
  const row = await direct.read((reader) =>
    reader.get<{ name: string }>("SELECT name FROM installation WHERE name = 'lost'"),
  );
  assert.equal(row?.name, "lost");
});

/** Forwards bytes to the server; after cutReplies() its next reply closes the connection. */
async function startProxy(t: TestContext, serverPort: number) {
  let isCutting = false;
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    const upstream = connect(serverPort, "127.0.0.1");
    sockets.push(socket, upstream);
    for (const one of [socket, upstream]) one.on("error", () => undefined);
    socket.pipe(upstream);
    upstream.on("data", (bytes) => (isCutting ? socket.destroy() : socket.write(bytes)));
    upstream.on("close", () => socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address() as { port: number };
  return { port: address.port, cutReplies: () => (isCutting = true) };
}

test("a statement that nobody waits for any more is cancelled, and its connection serves on", async () => {
  const url = await freshUrl();
  await using database = openPostgres({ url, connectionsMax: 3 });
  await using watching = openPostgres({ url });
  const running = (reader: Reader) =>
    reader.all<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
         AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`,
    );
  const left = new AbortController();
  const reads = [1, 2].map((number) =>
    database.read((reader) => reader.all(`SELECT pg_sleep(600), ${number}`), {
      statementMs: 600_000,
      left: left.signal,
    }),
  );
  while ((await watching.read(running)).length < 2) await setImmediate();
  left.abort();
  await Promise.all(reads.map((read) => assert.rejects(read, kindIs("late"))));
  assert.deepEqual(await watching.read(running), []);
  const asked = [1, 2, 3, 4].map((number) =>
    database.read((reader) => reader.get(`SELECT ${number} AS number`)),
  );
  assert.equal((await Promise.all(asked)).length, 4);
  const never = database.read((reader) => reader.all("SELECT 1"), {
    statementMs: 600_000,
    left: left.signal,
  });
  await assert.rejects(never, kindIs("late"));
});
