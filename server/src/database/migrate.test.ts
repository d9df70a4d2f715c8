import assert from "node:assert/strict";
import { test } from "node:test";
import { NewerFormat } from "../ground/newer-format.ts";
import { checkFormat, migrate, newestFormat } from "./migrate.ts";
import { onEachDatabase } from "./databases.fixture.ts";

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
      ["format", "hash_seed", "revision_jump"],
    );
    assert.match(rows[1].value, /^[0-9a-f]{32}$/);
  });

  test("data of a newer format is refused and left as it is", async () => {
    const database = await fresh.openMigrated();
    const setFormat = (value: number) =>
      database.write((transaction) =>
        transaction.run("UPDATE installation SET value = $1 WHERE name = 'format'", String(value)),
      );
    await setFormat(newestFormat + 1);
    await assert.rejects(migrate(database), NewerFormat);
    await assert.rejects(database.read(checkFormat), NewerFormat);
    await setFormat(newestFormat);
    await database.read(checkFormat);
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
