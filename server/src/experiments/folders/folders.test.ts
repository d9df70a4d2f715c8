import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { FolderTree } from "@lossless/protocol";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith, type TestNode } from "../../database/node.fixture.ts";
import { moveExperiment } from "../move.ts";
import { openExperiment } from "../open.ts";
import { createFolder } from "./create.ts";
import { deleteFolder } from "./delete.ts";
import { readFolderTree } from "./tree.ts";
import { updateFolder } from "./update.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();
  const other = fresh.node();
  let organizationId: string;
  beforeEach(async () => {
    organizationId = await node.newOrganization();
  });

  const create = async (name: string, parentFolderId: string | null = null, on = node) =>
    (await on.write(createFolder, { organizationId, data: { name, parentFolderId } })).folderId;
  const update = (
    data: { folderId: string; name?: string; parentFolderId?: string | null },
    on = node,
  ) => on.write(updateFolder, { organizationId, data });
  const remove = (folderId: string) =>
    node.write(deleteFolder, { organizationId, data: { folderId } });
  const open = async (slug: string) =>
    (
      await node.write(openExperiment, {
        organizationId,
        data: { slug, description: "d", meta: "{}" },
      })
    ).experimentId;
  const move = (experimentId: string, folderId: string | null, on = node) =>
    on.write(moveExperiment, { organizationId, data: { experimentId, folderId } });
  const tree = () =>
    node.reply<{ organizationId: string }, FolderTree>(readFolderTree, { organizationId });
  // Both databases count by the same statements, and PostgreSQL takes long to write this many rows.
  if (fresh.dialect === "sqlite") {
    test("more than 100,000 folders, or experiments in a tree, are refused", async () => {
      const numbers = `WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 100000)`;
      const text = "CAST(n AS text)";
      await node.execute(
        `INSERT INTO folder (id, organization, parent, name, created_at_ms)
         ${numbers} SELECT $1 || ${text}, $1, NULL, ${text}, 0 FROM counter`,
        organizationId,
      );
      await assert.rejects(
        create("one more"),
        failsWith("limit_exceeded", { limit: "foldersPerOrganization", maximum: 100_000 }),
      );
      await assert.rejects(create("7"), failsWith("folder_already_exists"));
      await node.execute(
        `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms, updated_at_ms, status_at_ms)
         ${numbers} SELECT $1 || ${text}, $1, ${text}, '', '{}', 'running', 0, 0, 0 FROM counter`,
        organizationId,
      );
      const whole = await tree();
      assert.equal(whole.folders.length, 100_000);
      assert.equal(whole.experiments.length, 100_000);
      await open("one more");
      await assert.rejects(tree(), failsWith("result_too_large"));
    });
  }

  if (fresh.dialect === "postgres") {
    test("one name from many nodes at once: one folder, and everybody else is told its id", async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, (_, index) =>
          create("same", null, index % 2 === 0 ? node : other),
        ),
      );
      const created = outcomes.filter(({ status }) => status === "fulfilled");
      assert.equal(created.length, 1);
      const [{ folderId }] = (await tree()).folders;
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") {
          assert.ok(failsWith("folder_already_exists", { folderId })(outcome.reason));
        }
      }
    });

    test("two folders moved into each other from two nodes: one move is a cycle", async () => {
      for (let round = 0; round < 5; round++) {
        const a = await create(`a${round}`);
        const b = await create(`b${round}`);
        const outcomes = await Promise.allSettled([
          update({ folderId: a, parentFolderId: b }),
          update({ folderId: b, parentFolderId: a }, other),
        ]);
        const refused = outcomes.filter((outcome) => outcome.status === "rejected");
        assert.equal(refused.length, 1);
        assert.ok(failsWith("folder_cycle")(refused[0].reason));
      }
    });

    test("an experiment is moved into a folder that another node deletes: one of the two is refused", async () => {
      const experiment = await open("homeless");
      for (let round = 0; round < 10; round++) {
        const folder = await create(`f${round}`);
        const outcomes = await Promise.allSettled([
          remove(folder),
          move(experiment, folder, other),
        ]);
        const refused = outcomes.filter((outcome) => outcome.status === "rejected");
        assert.equal(refused.length, 1);
        assert.match(refused[0].reason.code, /^folder_not_(empty|found)$/);
        await move(experiment, null);
      }
    });

    test("folders and experiments made by two nodes at once do not wait for each other in a circle", async () => {
      const importing = async (on: TestNode, name: string) => {
        for (let index = 0; index < 10; index++) {
          await on.counted(async (transaction, at) => {
            const data = { slug: `${name}${index}`, description: "", meta: "{}" };
            await openExperiment(transaction, { organizationId, data }, at);
            const folder = { name: `${name}${index}`, parentFolderId: null };
            await createFolder(transaction, { organizationId, data: folder }, at);
          });
        }
      };
      await Promise.all([importing(node, "left"), importing(other, "right")]);
      assert.equal((await tree()).experiments.length, 20);
    });
  }
});
