import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExperimentsRule } from "@lossless/protocol";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { openExperiment } from "../../experiments/open.ts";
import { createRule } from "./set.ts";
import { type DueRule, experimentsOf, readFinds, takeFinds } from "./take.ts";

const dayMs = 24 * 60 * 60_000;

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("what went on after it was found stays, wherever its points are", async () => {
    const organizationId = await node.newOrganization();
    const runs: string[] = [];
    for (const slug of ["still", "here", "elsewhere"]) {
      const data = { slug, description: "", meta: "{}" };
      runs.push((await node.write(openExperiment, { organizationId, data })).experimentId);
    }
    const [still, here, elsewhere] = runs;
    await node.execute("UPDATE experiment SET server = 1 WHERE id IN ($1, $2)", still, elsewhere);
    await node.execute("UPDATE head SET told_revision = 7 WHERE experiment <> $1", here);
    await node.execute("UPDATE summarized SET indexed_version = meta_version");
    node.nowMs += 10 * dayMs;
    const rule = await dueRuleOf(organizationId);
    const finds = await node.database.read((reader) => readFinds(reader, rule, 10, node));
    assert.deepEqual(experimentsOf({ rule, finds, daysDefault: 30 }), runs.toSorted());
    await node.execute("UPDATE head SET revision = revision + 1 WHERE experiment = $1", here);
    // Its worker has told of another point.
    await node.execute("UPDATE head SET told_revision = 8 WHERE experiment = $1", elsewhere);
    assert.equal(await node.write(takeFinds, { rule, finds, daysDefault: 30 }), 1);
    const trash = await node.all<{ subject: string }>(
      "SELECT subject FROM trash WHERE organization = $1",
      organizationId,
    );
    assert.deepEqual(
      trash.map(({ subject }) => subject),
      [still],
    );
  });

  async function dueRuleOf(organizationId: string): Promise<DueRule> {
    const content: ExperimentsRule = {
      kind: "experiments",
      folderId: null,
      olderThanDays: 5,
      statuses: ["running"],
    };
    const by = { actor: await node.addMember(organizationId, "admin"), address: null };
    const made = await node.write(createRule, { organizationId, by, name: "old", rule: content });
    return { id: made.id, organizationId, name: "old", revision: made.revision, content };
  }
});
