import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "./databases.fixture.ts";
import { Errands } from "./errands.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("a number is given once, even by a directory that was put back", async () => {
    const organizationId = await node.newOrganization();
    const id = `experiment-${organizationId}`;
    await node.execute(
      `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms,
         updated_at_ms, status_at_ms, server)
       VALUES ($1, $2, '', '', '{}', 'running', 0, 0, 0, 1)`,
      id,
      organizationId,
    );
    const head = `INSERT INTO head (experiment, log_seq, seal_seq, manifest_seq, points,
      sealed_points, revision, appended_at_ms) VALUES ($1, 0, 0, 0, 0, 0, 0, 0)`;
    await node.execute(head, id);
    const given = new Set<number>();
    for (let turn = 0; turn < 6; turn++) {
      if (turn === 3) {
        await node.execute("UPDATE head SET errand = 0 WHERE experiment = $1", id);
        node.nowMs += 10;
      }
      await node.database.write((transaction) =>
        new Errands(transaction, node.nowMs, () => 0).leave(id, "mark", { trashed: 1 }),
      );
      const [{ number }] = await node.all<{ number: number }>(
        "SELECT max(number) AS number FROM errand WHERE experiment = $1",
        id,
      );
      assert.ok(!given.has(number));
      given.add(number);
      await node.execute("DELETE FROM errand WHERE experiment = $1", id);
    }
  });
});
