import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { TableBody, TableReply } from "@lossless/protocol";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { KeptOrders } from "../../ground/kept-orders.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readDifference } from "../difference/difference.ts";
import { fillTable } from "./table-fill.fixture.ts";
import { readTable } from "./table.ts";

/** Stored data of experiments that are behind is the earlier one; the later one is unknown. */
onEachDatabase(({ node }) => {
  const filled = node();
  let ids: string[];

  before(async () => {
    await filled.execute(
      "INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)",
    );
    await fillTable(filled.database, "org", { experiments: 100, metrics: 1, keys: 4 });
    ids = (await filled.all<{ id: string }>("SELECT id FROM experiment ORDER BY id")).map(
      ({ id }) => id,
    );
    await filled.execute(
      "UPDATE head SET points = points + 1, log_seq = 1 WHERE experiment = $1",
      ids[metrics],
    );
    await filled.database.write((transaction) =>
      transaction.run(
        "INSERT INTO log (experiment, seq, points, record) VALUES ($1, 1, 1, $2)",
        ids[metrics],
        new Uint8Array(1),
      ),
    );
    await filled.execute("UPDATE summarized SET meta_version = 2 WHERE experiment = $1", ids[meta]);
    await filled.execute(
      "INSERT INTO folder (id, organization, parent, name, created_at_ms) VALUES ('f', 'org', NULL, 'f', 0)",
    );
    await filled.execute("UPDATE experiment SET folder = 'f' WHERE id = $1", ids[meta]);
  });

  /** The experiment whose metrics are behind is done, the one whose meta is behind runs. */
  const [metrics, meta] = [3, 50];
  const behindOf = async (body: Partial<TableBody>) => {
    const input = { organizationId: "org", body: { limit: 10, ...body } };
    const { behind } = await filled.reply<typeof input, TableReply>(readTable, input);
    return behind;
  };

  test("what a query may have missed is counted, and nothing else", async () => {
    const slug = (at: number) => `slug = project/run-${(at * 7919) % 100_003}`;
    for (const [query, expected] of [
      ["", 2],
      ["status = done", 1],
      ["status = running", 1],
      ["status = error", 0],
      [slug(metrics), 1],
      [slug(7), 0],
      // Known of one, of the other not.
      ["meta.key-0 = nowhere", 1],
      ["meta.none > 5", 1],
      ["not meta.key-0 = nowhere", 2],
      ["not meta.key-0", 1],
      ["metric.metric-0.last > 1e9", 1],
      ["metric.none.last > 1e9", 1],
      ["not metric.metric-0.last > 1e9", 2],
      ["meta.none > 5 status = done", 0],
      ["meta.none > 5 metric.none > 5", 0],
      ["meta.none > 5 or metric.none > 5", 2],
      ["not (meta.none > 5 or metric.none > 5)", 2],
      ["not (meta.key-0 or metric.metric-0) status = done", 0],
      // Both are computed from points, which are not all counted.
      ["began < 1970-01-02", 1],
      ["not (began < 1970-01-02 or duration < 0s)", 2],
      ["duration > 1000d status = done", 1],
      ["points < 0", 0],
      ["tag = baseline", 1],
      ["wherever", 1],
      ["artifact = a", 0],
      ["folder = f", 1],
      ["not folder = f meta.none > 5", 0],
    ] as const)
      assert.equal(await behindOf({ query }), expected, query);
    assert.equal(await behindOf({ folderId: "f" }), 1);
    assert.equal(await behindOf({ folderId: "f", query: "not meta.none > 5" }), 1);
    assert.equal(await behindOf({ folderId: "f", query: "status = done" }), 0);
  });

  test("a comparison counts those that it compares", async () => {
    const behind = async (body: object) => {
      const input = { organizationId: "org", body };
      return (await filled.reply<typeof input, { behind: number }>(readDifference, input)).behind;
    };
    const [other, others] = [[ids[7]], ids.slice(10, 20)];
    assert.equal(await behind({ experimentIds: others }), 0);
    assert.equal(await behind({ experimentIds: [ids[metrics], ...others] }), 1);
    // Its meta is read as it was recorded.
    assert.equal(await behind({ experimentIds: [ids[meta], ...others] }), 0);
    assert.equal(await behind({ experimentIds: [ids[meta]], apart: true, query: "points < 0" }), 1);
    assert.equal(await behind({ experimentIds: other, apart: true }), 2);
    assert.equal(await behind({ experimentIds: other, apart: true, query: "status = done" }), 1);
    assert.equal(await behind({ query: "meta.key-0 = nowhere" }), 1);
    assert.equal(await behind({ query: "status = error" }), 0);
  });

  test("each is looked up, and no strip is read again", async () => {
    const query = "meta.key-0 = word-1 or not metric.metric-0.last > 0.5";
    let rows = 0;
    const onRows = (read: readonly unknown[]) => (rows += read.length);
    await filled.database.read((reader) =>
      readTable(
        watchedReader(reader, { onRows }),
        { organizationId: "org", body: { query, limit: 0 } },
        new ReplyText(),
        { nowMs: 0, orders: new KeptOrders(0) },
      ),
    );
    assert.ok(rows < 20, `${rows} rows`);
  });
});
