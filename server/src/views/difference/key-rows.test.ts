import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { fillTable } from "../table/table-fill.fixture.ts";
import { KeyRows } from "./key-rows.ts";

const experiments = 2_100;
/** Number of experiments with lists, and of the elements of each. */
const [listing, elements] = [7, 4_000];
const listed = listing * (elements + 1);

onEachDatabase(({ node }) => {
  const filled = node();
  let ids: string[];
  let keys: number[];

  before(async () => {
    await filled.database.write((transaction) =>
      transaction.run(
        "INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)",
      ),
    );
    await fillTable(filled.database, "org", { experiments, metrics: 1, keys: 2 });
    const column = (sql: string) =>
      filled.database.read(async (reader) => {
        const rows = await reader.all<{ id: string | number }>(sql);
        return rows.map(({ id }) => id);
      });
    ids = (await column("SELECT id FROM experiment ORDER BY id")) as string[];
    keys = (await column("SELECT id FROM config_key ORDER BY id")) as number[];
    await filled.database.write(async (transaction) => {
      for (const id of ids.slice(0, listing)) {
        await transaction.run(
          `INSERT INTO config_value (key, experiment, element, kind, number, text)
           WITH RECURSIVE list (element) AS (
             SELECT CAST(0 AS BIGINT) UNION ALL SELECT element + 1 FROM list WHERE element < ${elements - 1})
           SELECT CAST($1 AS BIGINT), $2, element, 2, element, CAST(element AS TEXT) FROM list`,
          keys[1],
          id,
        );
      }
    });
  });

  for (const [name, count] of [
    ["experiments that are looked up", 40],
    ["a strip that is read", experiments],
  ] as const) {
    test(`of ${name} each is whole, and no more rows are read than may be`, async () => {
      const named = ids.slice(0, count);
      const all = listed + count - listing;
      const whole = await read(named, all);
      assert.deepEqual([whole.isSpent, whole.rowsRead], [false, all]);
      assert.deepEqual(
        whole.found.map((rows) => [rows[0].experiment, rows.length]),
        named.map((id, at) => [id, at < listing ? elements + 1 : 1]),
      );
      const cut = await read(named, all - 1);
      assert.deepEqual([cut.isSpent, cut.rowsRead], [true, all]);
      const early = await read(named, 12_000);
      assert.deepEqual([early.isSpent, early.rowsRead], [true, 12_001]);
    });
  }

  async function read(named: readonly string[], rowsMax: number) {
    return filled.database.read(async (reader) => {
      let rowsRead = 0;
      const seen = watchedReader(reader, { onRows: (rows) => (rowsRead += rows.length) });
      const rows = new KeyRows(seen, named, rowsMax);
      const found = await Array.fromAsync(rows.of(keys[1]));
      return { found: found.flat(), isSpent: rows.isSpent, rowsRead };
    });
  }
});
