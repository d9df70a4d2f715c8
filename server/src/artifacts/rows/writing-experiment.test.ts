import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { openExperiment } from "../../experiments/open.ts";
import { TestArtifacts } from "./artifacts.fixture.ts";
import { commitUpload } from "./commit.ts";
import { noteExperiments } from "./writing-experiment.ts";

onEachDatabase((fresh) => {
  let node: TestNode;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
  });

  test("a version is its experiment's whose slug its meta names, new or from before", async () => {
    const artifacts = await TestArtifacts.open(node);
    const other = await node.newOrganization();
    const { organizationId } = artifacts;
    const data = { slug: "run", description: "", meta: "{}" };
    const { experimentId } = await node.write(openExperiment, { organizationId, data });
    const theirs = { organizationId: other, data: { ...data, slug: "theirs" } };
    await node.write(openExperiment, theirs);
    const artifact = "run/model";
    const epoch = await artifacts.openNew(artifact);
    const commit = async (version: string, meta: object) => {
      const uploadId = await artifacts.begin(artifact, version, epoch);
      await node.execute(
        "UPDATE upload SET meta = $2 WHERE id = $1",
        uploadId,
        JSON.stringify(meta),
      );
      const decided = { committedAtMs: node.nowMs, storeVersions: [null] };
      await node.write(commitUpload, { organizationId, artifact, uploadId, ...decided });
    };
    const metas = [
      { experiment: "run", step: 7 },
      { experiment: "run", step: "x" },
      { experiment: "theirs" },
      { experiment: ["run"] },
      { experiment: "a\0b" },
      {},
    ];
    for (const [at, meta] of metas.entries()) await commit(`v0${at}`, meta);
    for (let version = 10; version < 70; version++)
      await commit(`v${version}`, { experiment: "run" });
    const noted = () =>
      node.all<{ experiment: string; version: string; step: number | null }>(
        "SELECT experiment, version, step FROM version_experiment ORDER BY version",
      );
    const expected = [
      { experiment: experimentId, version: "v00", step: 7 },
      { experiment: experimentId, version: "v01", step: null },
    ];
    const rows = (await noted()).map((row) => ({ ...row }));
    assert.deepEqual([rows.slice(0, 2), rows.length], [expected, 62]);
    // As the migration leaves older rows.
    await node.execute("DELETE FROM version_experiment");
    await node.execute("INSERT INTO installation (name, value) VALUES ('unindexed_versions', '')");
    const steps: boolean[] = [];
    do steps.push((await node.write(noteExperiments, undefined)).more);
    while (steps.at(-1));
    assert.deepEqual(steps, [true, false]);
    assert.deepEqual(
      (await noted()).map((row) => ({ ...row })),
      rows,
    );
    assert.deepEqual(await node.write(noteExperiments, undefined), { more: false });
  });
});
