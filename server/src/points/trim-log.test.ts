import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { openExperiment } from "../experiments/open.ts";
import { trimLog } from "./manifest.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("a step of a trim ends with the row that has the last of its points, and says whether more is left", async () => {
    const organizationId = await node.newOrganization();
    const data = { slug: "s", description: "", meta: "{}" };
    await node.write(openExperiment, { organizationId, data });
    const [{ id: experimentId }] = await node.all<{ id: string }>(
      "SELECT id FROM experiment WHERE organization = $1",
      organizationId,
    );
    const record = fresh.dialect === "sqlite" ? "x'01'" : "'\\x01'";
    for (let seq = 1; seq <= 6; seq++)
      await node.execute(
        `INSERT INTO log (experiment, seq, points, record) VALUES ($1, $2, 40, ${record})`,
        experimentId,
        seq,
      );
    await node.execute(
      "UPDATE head SET log_seq = 6, seal_seq = 5 WHERE experiment = $1",
      experimentId,
    );
    await node.execute("UPDATE summarized SET folded_seq = 6 WHERE experiment = $1", experimentId);
    const left = async (): Promise<number[]> => {
      const rows = await node.all<{ seq: number }>(
        "SELECT seq FROM log WHERE experiment = $1 ORDER BY seq",
        experimentId,
      );
      return rows.map(({ seq }) => seq);
    };
    const trim = () => node.write(trimLog, { experimentId, rows: 10, points: 100 });
    assert.deepEqual(await trim(), { mayHaveMore: true });
    assert.deepEqual(await left(), [4, 5, 6]);
    assert.deepEqual(await trim(), { mayHaveMore: false });
    assert.deepEqual(await left(), [6]);
    assert.deepEqual(await trim(), { mayHaveMore: false });
  });
});
