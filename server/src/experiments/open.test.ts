import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { TestNode } from "../database/node.fixture.ts";
import { openExperiment } from "./open.ts";

onEachDatabase((fresh) => {
  if (fresh.dialect !== "postgres") return;

  test("one new slug from many nodes at once is one experiment", async () => {
    const nodes = [new TestNode(await fresh.openMigrated()), new TestNode(await fresh.open())];
    const organizationId = await nodes[0].newOrganization();
    const opened = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const data = { slug: "race", description: `${index}`, meta: "{}" };
        return nodes[index % 2].write(openExperiment, { organizationId, data });
      }),
    );
    assert.equal(new Set(opened.map(({ experimentId }) => experimentId)).size, 1);
    assert.equal(new Set(opened.map(({ experimentToken }) => experimentToken)).size, 40);
    const heads = await nodes[0].all("SELECT revision FROM head");
    assert.partialDeepStrictEqual(heads, [{ revision: 40 }]);
  });
});
