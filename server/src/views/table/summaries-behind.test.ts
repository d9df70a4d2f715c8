import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { readBehind } from "./summaries-behind.ts";
import { fillTable } from "./table-fill.fixture.ts";

onEachDatabase(({ node }) => {
  const filled = node();
  const behindBy = (steps: number, listed?: number) =>
    filled.database.read((reader) => readBehind(reader, "org", 11_050, { steps, listed }));

  before(async () => {
    await filled.database.write(async (transaction) => {
      for (const id of ["org", "other"]) {
        await transaction.run(
          "INSERT INTO organization (id, name, created_at_ms) VALUES ($1, $1, 0)",
          id,
        );
      }
    });
    await fillTable(filled.database, "org", { experiments: 100, metrics: 0, keys: 0 });
  });

  test("what is behind is found by the log and by the heads, however far the log was read", async () => {
    const upToDate = await behindBy(1_000_000);
    assert.deepEqual(upToDate, { behind: 0, late: 0, asOfMs: 11_050 });
    assert.deepEqual(await behindBy(0), upToDate);
    await filled.database.write(async (transaction) => {
      const ids = await transaction.all<{ id: string }>("SELECT id FROM experiment ORDER BY id");
      for (const [at, { id }] of ids.entries()) {
        if (at % 4 !== 0) continue;
        // All of these are in the log; each second is not folded, each sixth is of another
        // organization.
        await transaction.run(
          "INSERT INTO log (experiment, seq, points, record) VALUES ($1, 1, 1, $2), ($1, 2, 1, $2)",
          id,
          new Uint8Array(1),
        );
        await transaction.run(
          "UPDATE head SET points = points + 2, log_seq = 2 WHERE experiment = $1",
          id,
        );
        await transaction.run(
          "UPDATE summarized SET folded_seq = $2, folded_at_ms = $3 WHERE experiment = $1",
          id,
          at % 8 === 0 ? 0 : 2,
          1_000 + at,
        );
        if (at % 24 === 0)
          await transaction.run("UPDATE experiment SET organization = 'other' WHERE id = $1", id);
      }
      await transaction.run("UPDATE summarized SET counted = 0 WHERE experiment = $1", ids[1].id);
      await transaction.run(
        "UPDATE summarized SET meta_version = 2 WHERE experiment IN ($1, $2)",
        ids[2].id,
        ids[8].id,
      );
      await transaction.run("UPDATE experiment SET trashed_at_ms = 1 WHERE id = $1", ids[16].id);
    });
    // 13 are not folded, but 5 are of another organization and one is in the trash; two more are
    // late. Three of them for longer than ten seconds.
    const expected = { behind: 9, late: 3, asOfMs: 1_008 };
    for (const steps of [1_000_000, 26, 25, 2, 1, 0])
      for (const listed of [9, 8, 1])
        assert.deepEqual(await behindBy(steps, listed), expected, `${steps} steps, ${listed}`);
  });
});
