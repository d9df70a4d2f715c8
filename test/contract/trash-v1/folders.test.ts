import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../callers.ts";
import { refusedV1 } from "../people.ts";
import { topic } from "../topic.ts";
import { askTrash, entriesOf, trashList } from "./trash-calls.ts";

topic("folders that are deleted with what is in them", (system) => {
  const folder = async (name: string, parentFolderId: string | null): Promise<string> =>
    (await system.acme.ask("folder.create", { name, parentFolderId })).folderId as string;

  test("every experiment below goes to the trash, more than a step has, and comes back in place", async () => {
    const name = uniqueName("folder");
    const top = await folder(name, null);
    const below = await folder("below", top);
    await folder("empty", below);
    const slugs: string[] = [];
    for (let at = 0; at < 103; at++) {
      const { experimentId, slug } = await system.acme.open();
      await system.acme.ask("experiment.move", { experimentId, folderId: at % 2 ? top : below });
      slugs.push(slug);
    }
    const other = await system.acme.open();
    const reply = await askTrash(system, "folders", { body: { folderId: top } });
    assert.equal(reply.text, '{"experiments":103,"folders":3}');
    assert.ok(!JSON.stringify(await system.acme.ask("foldertree.read", {})).includes(name));
    await system.acme.record(other.experimentId);
    const entries = (await trashList(system)).filter((entry) => slugs.includes(entry.name));
    assert.equal(entries.length, 103);
    const ids = entries.map(({ id }) => id);
    await entriesOf(askTrash(system, "restore", { body: { ids } }));
    const { folders } = (await system.acme.ask("foldertree.read", {})) as unknown as {
      folders: TreeFolder[];
    };
    const made = folders.find((one) => one.name === name)!;
    assert.equal(made.experiments.length, 51);
    assert.deepEqual(
      made.folders.map((one) => [one.name, one.experiments.length, one.folders.length]),
      [["below", 52, 0]],
    );
  });

  test("a folder that is not there, or another organization's, is not found", async () => {
    const folderId = await folder(uniqueName("folder"), null);
    const unknown = { body: { folderId: "unknown" } };
    await refusedV1(askTrash(system, "folders", unknown), 404, "not_found");
    const foreign = { body: { folderId }, credential: system.rival.credential };
    await refusedV1(askTrash(system, "folders", foreign), 404, "not_found");
  });
});

interface TreeFolder {
  name: string;
  folders: TreeFolder[];
  experiments: unknown[];
}
