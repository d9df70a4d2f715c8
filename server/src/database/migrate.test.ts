import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sharedPostgres } from "../../../test/postgres.ts";
import { NewerFormat } from "../ground/newer-format.ts";
import type { Database } from "./database.ts";
import { checkFormat, migrate, newestFormat, readFormat } from "./migrate.ts";
import { type Migration, migrations } from "./migrations.ts";
import { forgetNode, type Node } from "./nodes.ts";
import { onEachDatabase } from "./databases.fixture.ts";
import { openPostgres } from "./postgres.ts";

const expansion: Migration = {
  kind: "expansion",
  statements: (type) => [`ALTER TABLE head ADD COLUMN added ${type.integer}`],
};

const contraction = (leastFormat: number): Migration => ({
  kind: "contraction",
  leastFormat,
  statements: () => [],
});

onEachDatabase((fresh) => {
  test("several nodes migrate an empty database at once: all find it ready, one hash seed", async () => {
    const nodes = await Promise.all(
      Array.from({ length: fresh.dialect === "sqlite" ? 1 : 4 }, fresh.open),
    );
    await Promise.all(nodes.map((node) => migrate(node)));
    assert.equal(await migrate(nodes[0]), newestFormat);
    const rows = await nodes[0].read((reader) =>
      reader.all<{ name: string; value: string }>(
        "SELECT name, value FROM installation ORDER BY name",
      ),
    );
    assert.deepEqual(
      rows.map((row) => row.name),
      ["format", "hash_seed", "least_format", "revision_jump"],
    );
    assert.match(rows[1].value, /^[0-9a-f]{32}$/);
  });

  test("data of a newer format is refused and left as it is", async () => {
    const database = await fresh.openMigrated();
    const setFormats = (value: number) =>
      database.write((transaction) =>
        transaction.run(
          "UPDATE installation SET value = $1 WHERE name IN ('format', 'least_format')",
          String(value),
        ),
      );
    await setFormats(newestFormat + 1);
    await assert.rejects(migrate(database), NewerFormat);
    await assert.rejects(database.read(checkFormat), NewerFormat);
    await setFormats(newestFormat);
    await database.read(checkFormat);
  });

  test("an older program works on data that was only expanded, and not after a contraction", async () => {
    const database = await fresh.inFormat(newestFormat, await fresh.openMigrated());
    const expanded = [...migrations, expansion];
    const contracted = [...expanded, contraction(newestFormat + 1)];
    assert.equal(await migrate(database, { migrations: expanded }), newestFormat);
    assert.equal(await migrate(database), newestFormat + 1);
    await database.read(checkFormat);
    assert.equal(await migrate(database, { migrations: contracted }), newestFormat + 1);
    await assert.rejects(migrate(database), {
      name: "NewerFormat",
      message:
        `The data has format ${newestFormat + 2}, for programs that know format ${newestFormat + 1}, this version ` +
        `of Lossless knows formats up to ${newestFormat}. Nothing was changed; start a newer version.`,
    });
    await assert.rejects(database.read(checkFormat), NewerFormat);
    assert.equal(await migrate(database, { migrations: expanded }), newestFormat + 2);
  });

  test("a contraction waits for nodes that it would stop, and changes nothing while they run", async () => {
    const database = await fresh.inFormat(newestFormat, await fresh.openMigrated());
    const before: Node = { id: "before", version: "1.0", format: newestFormat };
    const next: Node = { id: "next", version: "1.1", format: newestFormat + 1 };
    const expanded = [...migrations, expansion];
    const contracted = [...expanded, contraction(newestFormat + 1)];
    await migrate(database, { node: before });
    await migrate(database, { migrations: expanded, node: next });
    const refused = migrate(database, { migrations: contracted, patienceMs: 20 });
    await assert.rejects(refused, { kind: "misconfigured", message: /^A node of version 1\.0 is/ });
    assert.equal(await database.read(readFormat), newestFormat + 1);
    const waiting = migrate(database, { migrations: contracted });
    await database.write((transaction) => forgetNode(transaction, "before"));
    assert.equal(await waiting, newestFormat + 1);
    assert.equal(await database.read(readFormat), newestFormat + 2);
    // One that was frozen and comes back finds that it may not go on.
    await assert.rejects(database.read(checkFormat), NewerFormat);
  });

  if (fresh.dialect === "postgres") {
    test("a migration that waits for a table lets others pass, and tries again", async () => {
      const url = await (await sharedPostgres()).createDatabase();
      await using database = openPostgres({ url });
      await using slow = openPostgres({ url });
      await using other = openPostgres({ url });
      await migrate(database);
      const isRead = Promise.withResolvers<void>();
      const isEnough = Promise.withResolvers<void>();
      const reading = slow.read(async (reader) => {
        await reader.all("SELECT experiment FROM head");
        isRead.resolve();
        await isEnough.promise;
      });
      await isRead.promise;
      const migrating = migrate(database, { migrations: [...migrations, expansion] });
      await isWaitedFor(other, "head");
      // Without a limit it would wait behind the migration, which waits for the slow read.
      await other.read((reader) => reader.all("SELECT experiment FROM head"));
      assert.equal(await other.read(readFormat), newestFormat);
      isEnough.resolve();
      await reading;
      assert.equal(await migrating, newestFormat);
      assert.equal(await other.read(readFormat), newestFormat + 1);
    });
  }

  test("nodes that were not seen for a minute count as ended", async () => {
    const database = await fresh.inFormat(newestFormat, await fresh.openMigrated());
    await migrate(database, { node: { id: "ended", version: "1.0", format: newestFormat } });
    await database.write((transaction) =>
      transaction.run("UPDATE node SET seen_at_ms = seen_at_ms - 60001"),
    );
    const contracted = [...migrations, contraction(newestFormat + 1)];
    await migrate(database, { migrations: contracted, patienceMs: 0 });
    assert.equal(await database.read(readFormat), newestFormat + 1);
  });

  test("a node of 0.1.0 is recognised by its lease of background work", async () => {
    const database = await fresh.inFormat(7, await fresh.openMigrated());
    await database.write((transaction) =>
      transaction.run(
        `INSERT INTO installation (name, value)
         VALUES ('background_lease', 'some-node ' || CAST(${transaction.nowMs} + 15000 AS TEXT))`,
      ),
    );
    const refused = migrate(database, { patienceMs: 0 });
    await assert.rejects(refused, {
      kind: "misconfigured",
      message: /^A node of an older version/,
    });
    assert.equal(await database.read(readFormat), 7);
    await database.write((transaction) =>
      transaction.run(
        "UPDATE installation SET value = 'some-node 1' WHERE name = 'background_lease'",
      ),
    );
    assert.equal(await migrate(database), 7);
  });

  test("experiments with unsealed points are found by an index where it costs commits nothing", async () => {
    const database = await fresh.openMigrated();
    const [explain, indexed] =
      fresh.dialect === "sqlite" ? ["EXPLAIN QUERY PLAN", true] : ["EXPLAIN", false];
    const plan = await database.read((reader) =>
      reader.all<object>(
        `${explain} SELECT experiment FROM head WHERE head.points > head.sealed_points`,
      ),
    );
    assert.equal(JSON.stringify(plan).includes("head_unsealed"), indexed);
  });
});

/** Resolves when a transaction waits for a table. */
async function isWaitedFor(database: Database, table: string): Promise<void> {
  for (;;) {
    const rows = await database.read((reader) =>
      reader.all<object>(
        "SELECT 1 AS waits FROM pg_locks WHERE relation = to_regclass($1) AND NOT granted",
        table,
      ),
    );
    if (rows.length > 0) return;
    await sleep(10);
  }
}
