import assert from "node:assert/strict";
import { before, test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { TestArtifacts } from "../artifacts/rows/artifacts.fixture.ts";
import { commitUpload } from "../artifacts/rows/commit.ts";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { TestNode } from "../database/node.fixture.ts";
import { annotateExperiment } from "../experiments/annotate.ts";
import { readAnnotated } from "../experiments/annotated.ts";
import { wrongLineage } from "../experiments/lineage/check-lineage.ts";
import { useKind } from "../experiments/lineage/used-version.ts";
import { openExperiment } from "../experiments/open.ts";
import { ServiceError } from "../ground/errors.ts";
import { recordUse } from "./record-use.ts";

onEachDatabase((fresh) => {
  let node: TestNode;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
  });

  test("a run with as many uses as it may have is refused more, and keeps those", async () => {
    const artifacts = await TestArtifacts.open(node);
    const { organizationId } = artifacts;
    const data = { slug: "run", description: "", meta: "{}" };
    const { experimentId } = await node.write(openExperiment, { organizationId, data });
    const artifact = "data";
    const epoch = await artifacts.openNew(artifact);
    for (const version of ["1", "2"]) {
      const uploadId = await artifacts.begin(artifact, version, epoch);
      const decided = { committedAtMs: node.nowMs, storeVersions: [null] };
      await node.write(commitUpload, { organizationId, artifact, uploadId, ...decided });
    }
    const use = (version: string) =>
      node.write(recordUse, { organizationId, experimentId, artifact, version, role: "" });
    const annotate = (version: string) => {
      const meta = JSON.stringify({ kind: useKind, artifact, version });
      const told = { experimentId, annotation: "used", meta };
      return node.write(annotateExperiment, { organizationId, experimentId, data: told });
    };
    const stored = async () => {
      const uses = await node.all<{ subject: string }>("SELECT subject FROM lineage");
      const annotations = await node.all("SELECT number FROM annotation");
      return [uses.map(({ subject }) => subject).toSorted(), annotations.length];
    };
    const recorded = { artifact, version: "1", experimentId };
    assert.deepEqual(await use("1"), { ...recorded, isNew: true });
    await node.execute("UPDATE summarized SET uses = $1", limits.usesPerExperimentMax - 1);
    await annotate("9");
    await annotate("8");
    await annotate("9");
    assert.deepEqual(await stored(), [["data@1", "data@9"], 4]);
    const refused = (error: unknown) =>
      error instanceof ServiceError && error.code === "bad_request";
    for (let times = 0; times < 2; times++) await assert.rejects(use("2"), refused);
    assert.deepEqual(await use("1"), { ...recorded, isNew: false });
    assert.deepEqual(await stored(), [["data@1", "data@9"], 4]);
  });

  test("the check finds a use that is not in the lineage, and a wrong number of uses", async () => {
    const organizationId = await node.newOrganization();
    const data = { slug: "checked", description: "", meta: "{}" };
    const { experimentId } = await node.write(openExperiment, { organizationId, data });
    for (const version of ["1", "2"]) {
      const meta = JSON.stringify({ kind: useKind, artifact: "data", version });
      const told = { experimentId, annotation: "used", meta };
      await node.write(annotateExperiment, { organizationId, experimentId, data: told });
    }
    const wrong = () =>
      node.database.read(async (reader) =>
        wrongLineage(reader, experimentId, await readAnnotated(reader, experimentId)),
      );
    assert.deepEqual(await wrong(), []);
    const one = "experiment = $1 AND subject = 'data@1'";
    await node.execute(`DELETE FROM lineage WHERE ${one}`, experimentId);
    assert.deepEqual(await wrong(), [
      "counts 2 uses of versions, and has 1 in its lineage",
      "lacks the use of data@1 in its lineage",
    ]);
  });
});
