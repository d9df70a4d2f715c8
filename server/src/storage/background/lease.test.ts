import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { takeLease } from "./lease.ts";

const leaseMs = 15_000;
const work = "background";

onEachDatabase((fresh) => {
  test("one node at a time holds the lease, however far their clocks are apart", async () => {
    const database = await fresh.openMigrated();
    const [late, early] = [new TestNode(database), new TestNode(database)];
    late.nowMs = Date.now() - 3_600_000;
    early.nowMs = Date.now() + 3_600_000;
    assert.deepEqual(await late.write(takeLease, { work, node: "late", leaseMs }), { held: true });
    assert.deepEqual(await early.write(takeLease, { work, node: "early", leaseMs }), {
      held: false,
    });
    assert.deepEqual(await late.write(takeLease, { work, node: "late", leaseMs }), { held: true });
    const set = (untilMs: number) =>
      late.execute(
        "UPDATE installation SET value = $1 WHERE name = 'background_lease'",
        `late ${untilMs}`,
      );
    const sweep = { work: "sweep", node: "early", leaseMs } as const;
    assert.deepEqual(await early.write(takeLease, sweep), { held: true });
    await set(Date.now() - 60_000);
    assert.deepEqual(await early.write(takeLease, { work, node: "early", leaseMs }), {
      held: true,
    });
    // The clock of the database was an hour ahead when this was written.
    await set(Date.now() + 3_600_000);
    assert.deepEqual(await early.write(takeLease, { work, node: "early", leaseMs }), {
      held: true,
    });
  });
});
