import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { newId } from "../../ground/ids.ts";
import { Slices, takeSlices } from "./slices.ts";

const leaseMs = 15_000;
const all = [0, 1, 2, 3, 4, 5, 6, 7];

onEachDatabase((fresh) => {
  const nodeOf = async () => {
    const node = new TestNode(await fresh.openMigrated());
    await node.execute("DELETE FROM slice_node");
    await node.execute("DELETE FROM slice");
    const take = async (id: string) => (await node.write(takeSlices, { node: id, leaseMs })).slices;
    return { node, take };
  };

  test("any number of nodes has all slices, each as many as the others but for one", async () => {
    const { take } = await nodeOf();
    for (let nodes = 1; nodes <= 10; nodes++) {
      const ids = Array.from({ length: nodes }, (_, number) => `node ${number}`);
      let shares: number[][] = [];
      // A new one gets its slices when the others, who ask each second, have given them back.
      for (let round = 0; round < 3; round++) {
        shares = [];
        for (const id of ids) shares.push(await take(id));
      }
      const sizes = shares.map(({ length }) => length);
      assert.deepEqual(shares.flat().sort(), all, `${nodes} nodes`);
      assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, sizes.join());
    }
  });

  test("the slices of a node that asks no more go to the others", async () => {
    const { node, take } = await nodeOf();
    for (const id of ["one", "two", "one", "two"]) await take(id);
    assert.deepEqual([...(await take("one")), ...(await take("two"))].sort(), all);
    await node.execute("UPDATE slice SET until_ms = 1 WHERE node = 'two'");
    assert.equal((await take("one")).length, 4, "it may only be late");
    await node.execute("UPDATE slice_node SET asked_at_ms = 1 WHERE node = 'two'");
    assert.deepEqual(await take("one"), all);
  });

  test("what was written before the clock was set back holds nothing", async () => {
    const { node, take } = await nodeOf();
    await take("dead");
    const hour = Date.now() + 3_600_000;
    await node.execute("UPDATE slice SET until_ms = $1", hour);
    await node.execute("UPDATE slice_node SET asked_at_ms = $1", hour);
    assert.deepEqual(await take("one"), all);
  });

  test("each experiment is of one node, by its id in code and in SQL", async () => {
    const { node } = await nodeOf();
    const ids = Array.from({ length: 200 }, () => newId(Date.now()));
    // Ids that a client chose.
    ids.push("Z", "é", "run-_");
    const listed = ids.map((id) => `SELECT '${id}' AS id`).join(" UNION ALL ");
    for (const mine of [all, [0], [1, 6], [0, 2, 3, 4, 5, 6, 7], [7]]) {
      const slices = new Slices(leaseMs, async () => ({ slices: mine }));
      assert.equal(await slices.held(), true);
      assert.equal(slices.share, mine.length / 8);
      const found = await node.all<{ id: string }>(
        `SELECT id FROM (${listed}) AS listed WHERE ${slices.condition("id")}`,
      );
      const expected = ids.filter((id) => slices.has(id));
      assert.deepEqual(found.map(({ id }) => id).sort(), expected.sort());
    }
    const [one, others] = [[3], all.filter((slice) => slice !== 3)].map((slices) => {
      return new Slices(leaseMs, async () => ({ slices }));
    });
    await Promise.all([one.held(), others.held()]);
    for (const id of ids) assert.notEqual(one.has(id), others.has(id), id);
  });
});
