import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { StandbyPair } from "../../../test/failover/standby-pair.ts";
import { sharedPostgres } from "../../../test/postgres.ts";
import { DatabaseError, type Database, type DatabaseFailure } from "./database.ts";
import { openPostgres } from "./postgres.ts";

let pair: StandbyPair;
before(async () => void (pair = await StandbyPair.start()));
after(() => pair[Symbol.asyncDispose]());

function failsAs(kind: DatabaseFailure, message = /./) {
  return (error: unknown): boolean =>
    error instanceof DatabaseError && error.kind === kind && message.test(error.message);
}

const add = (database: Database, name: string): Promise<number> =>
  database.write((transaction) => transaction.run("INSERT INTO kept VALUES ($1)", name));
const names = async (database: Database): Promise<string[]> => {
  const rows = await database.read((reader) =>
    reader.all<{ name: string }>("SELECT name FROM kept ORDER BY name"),
  );
  return rows.map(({ name }) => name);
};

test("a write whose wait is cancelled is unknown, and so is one that found it done; both are answered when the standby is back", async () => {
  const url = await pair.createDatabase();
  await using database = openPostgres({ url });
  const name = new URL(url.replace(/,[^/]*/, "")).pathname.slice(1);
  await database.write(async (transaction) => {
    await transaction.run("CREATE TABLE kept (name text)");
    // The service's own sessions must hear warnings all the same.
    await transaction.run(`ALTER DATABASE ${name} SET client_min_messages = error`);
  });
  await using fresh = openPostgres({ url });
  await pair.cutOffStandby();
  const added = assert.rejects(add(fresh, "x"), failsAs("unknown", /COMMIT: cancel.*not known/));
  await cancelWait();
  await added;
  assert.deepEqual(await names(fresh), ["x"]);
  const find = () =>
    fresh.write((transaction) => transaction.get("SELECT name FROM kept WHERE name = 'x'"));
  const found = assert.rejects(find(), failsAs("unknown"));
  await cancelWait();
  await found;
  const nothing = assert.rejects(
    fresh.write((transaction) => transaction.run("DELETE FROM kept WHERE name = 'y'")),
    failsAs("unknown"),
  );
  await cancelWait();
  await nothing;
  await pair.killStandby();
  await pair.addStandby();
  assert.deepEqual(await find(), { name: "x" });
});

test("the standby is passed over, wherever it stands; after its promotion the incarnation is another", async () => {
  const url = await pair.createDatabase();
  await using database = openPostgres({ url });
  await using turned = openPostgres({ url: url.replace(/@([^,]*),([^/]*)/, "@$2,$1") });
  const incarnation = (one: Database) => one.write(async (transaction) => transaction.incarnation);
  await database.write((transaction) => transaction.run("CREATE TABLE kept (name text)"));
  await add(turned, "x");
  const first = await incarnation(database);
  assert.equal(await incarnation(turned), first);
  await pair.killPrimary();
  await pair.promote();
  await pair.addStandby();
  // The first transaction on each may find that its connection is gone.
  for (const one of [database, turned]) await names(one).catch(() => {});
  await add(database, "y");
  assert.deepEqual(await names(turned), ["x", "y"]);
  assert.notEqual(await incarnation(database), first);
  assert.equal(await incarnation(turned), await incarnation(database));
});

test("a standby alone is refused by name, unless any server will do", async () => {
  const url = await pair.createDatabase();
  await using database = openPostgres({ url });
  await database.write((transaction) => transaction.run("CREATE TABLE kept (name text)"));
  const alone = url.replace(/@[^/]*/, `@127.0.0.1:${pair.standbyPort}`);
  await using any = openPostgres({ url: `${alone}?target_session_attrs=any` });
  for (;;) {
    // The standby may be a moment behind.
    const isThere = await names(any).then(
      () => true,
      () => false,
    );
    if (isThere) break;
    await sleep(20);
  }
  await assert.rejects(add(any, "x"), failsAs("unavailable", /read-only/));
  await using refused = openPostgres({ url: alone });
  const isStandby = /127\.0\.0\.1:\d+: it is a standby.*name the primary/;
  await assert.rejects(names(refused), failsAs("misconfigured", isStandby));
  // With several, the primary may be the one that is away.
  await using several = openPostgres({ url: alone.replace("@", "@127.0.0.1:1,") });
  await assert.rejects(names(several), failsAs("unavailable", /it is a standby/));
});

test("an address that is silent or closed does not keep the other one from answering", async (t) => {
  const url = new URL(await (await sharedPostgres()).createDatabase());
  const silent = await silentServer(t);
  for (const before of [`127.0.0.1:${silent}`, "127.0.0.1:1", `127.0.0.1:1,127.0.0.1:${silent}`]) {
    await using database = openPostgres({ url: url.href.replace("@", `@${before},`) });
    const row = await database.read((reader) => reader.get("SELECT 1 AS one"));
    assert.deepEqual(row, { one: 1 });
  }
  await using none = openPostgres({ url: url.href.replace(url.host, "127.0.0.1:1,127.0.0.1:2") });
  await assert.rejects(
    none.read((reader) => reader.get("SELECT 1 AS one")),
    failsAs("unavailable", /127\.0\.0\.1:1: .*127\.0\.0\.1:2: /),
  );
});

test("a server that accepts no writes any more is left; it is the one again when it takes them", async () => {
  const url = new URL(await (await sharedPostgres()).createDatabase());
  const name = url.pathname.slice(1);
  const readOnly = (value: string) =>
    admin.write((one) =>
      one.run(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`),
    );
  await using admin = openPostgres({ url: url.href.replace(name, "postgres") });
  await using database = openPostgres({ url: `${url.href}?target_session_attrs=read-write` });
  await database.write((transaction) => transaction.run("CREATE TABLE kept (name text)"));
  await readOnly("on");
  const demoted = database.write(async (transaction) => {
    await transaction.run("SET LOCAL transaction_read_only = on");
    await transaction.run("INSERT INTO kept VALUES ('x')");
  });
  await assert.rejects(demoted, failsAs("unavailable", /read-only/));
  await assert.rejects(add(database, "x"), failsAs("unavailable", /accepts no writes/));
  await readOnly("off");
  await add(database, "x");
  assert.deepEqual(await names(database), ["x"]);
});

async function cancelWait(): Promise<void> {
  while ((await pair.cancelWaits()) === 0) await sleep(20);
}

/** Takes connections and says nothing. */
async function silentServer(t: TestContext): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
