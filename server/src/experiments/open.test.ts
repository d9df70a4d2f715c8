import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import type { ExperimentRecord } from "@lossless/protocol";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith, TestNode } from "../database/node.fixture.ts";
import { createFolder } from "../folders/create.ts";
import { completeExperiment } from "./done.ts";
import { moveExperiment } from "./move.ts";
import { openExperiment } from "./open.ts";
import { queryExperiment, type QueryExperiment } from "./query-experiment.ts";

onEachDatabase((fresh) => {
  let node: TestNode;
  let other: TestNode;
  let organizationId: string;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
    other = new TestNode(await fresh.open());
  });
  beforeEach(async () => {
    organizationId = await node.newOrganization();
  });

  const open = (slug: string, description = "", meta: Record<string, unknown> = {}, on = node) =>
    on.write(openExperiment, {
      organizationId,
      data: { slug, description, meta: JSON.stringify(meta) },
    });
  const query = (data: { experimentId?: string; experimentSlug?: string }) =>
    node.reply<QueryExperiment, ExperimentRecord>(queryExperiment, { organizationId, data });
  const revision = async (experimentId: string) => {
    const rows = await node.all<{ revision: number }>(
      "SELECT revision FROM head WHERE experiment = $1",
      experimentId,
    );
    return rows[0].revision;
  };

  test("a known slug keeps its id, status, times and folder; description and meta are replaced", async () => {
    const first = await open("s", "one", { a: 1 });
    const { folderId } = await node.write(createFolder, {
      organizationId,
      data: { name: "f", parentFolderId: null },
    });
    await node.write(moveExperiment, { organizationId, data: { experimentSlug: "s", folderId } });
    await node.write(completeExperiment, { experimentId: first.experimentId });
    const before = await query({ experimentSlug: "s" });
    const revisionBefore = await revision(first.experimentId);
    node.nowMs += 5_000;
    const second = await open("s", "two", { b: 2 });
    assert.equal(second.experimentId, first.experimentId);
    assert.notEqual(second.experimentToken, first.experimentToken);
    assert.deepEqual(await query({ experimentSlug: "s" }), {
      ...before,
      description: "two",
      meta: { b: 2 },
      updatedAtMs: node.nowMs,
    });
    assert.equal(await revision(first.experimentId), revisionBefore + 1);
  });

  test("move takes id or slug, null is the root, and counts as a change", async () => {
    const { experimentId } = await open("moving");
    const { folderId } = await node.write(createFolder, {
      organizationId,
      data: { name: "f", parentFolderId: null },
    });
    const revisionBefore = await revision(experimentId);
    node.nowMs += 1;
    const move = (data: {
      experimentId?: string;
      experimentSlug?: string;
      folderId: string | null;
    }) => node.write(moveExperiment, { organizationId, data });
    assert.deepEqual(await move({ experimentSlug: "moving", folderId }), {
      experimentId,
      folderId,
    });
    const moved = await query({ experimentId });
    assert.equal(moved.folderId, folderId);
    assert.equal(moved.updatedAtMs, node.nowMs);
    assert.deepEqual(await move({ experimentId, folderId: null }), {
      experimentId,
      folderId: null,
    });
    assert.equal((await query({ experimentId })).folderId, null);
    assert.equal(await revision(experimentId), revisionBefore + 2);
    await assert.rejects(
      move({ experimentSlug: "nowhere", folderId }),
      failsWith("experiment_not_found"),
    );
    await assert.rejects(
      move({ experimentId, folderId: "nowhere" }),
      failsWith("folder_not_found"),
    );
  });

  if (fresh.dialect === "postgres") {
    test("one new slug from many nodes at once is one experiment", async () => {
      const opened = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          open("race", `${index}`, {}, index % 2 === 0 ? node : other),
        ),
      );
      assert.equal(new Set(opened.map(({ experimentId }) => experimentId)).size, 1);
      assert.equal(new Set(opened.map(({ experimentToken }) => experimentToken)).size, 40);
      assert.equal(await revision(opened[0].experimentId), 40);
    });
  }
});
