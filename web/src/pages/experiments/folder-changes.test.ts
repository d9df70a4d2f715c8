import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { EventError, type LosslessClient } from "@lossless/client";
import { contentOf, removeFolder, renameFolder, trashFolder } from "./folder-changes.ts";
import { Folders } from "./folder-lines.ts";

suite("changes of a folder", () => {
  const folders = new Folders([
    { folderId: "a", parentFolderId: null, name: "a", experiments: 1_199, experimentsBelow: 1_200 },
    { folderId: "b", parentFolderId: "a", name: "b", experiments: 1, experimentsBelow: 1 },
    { folderId: "c", parentFolderId: "b", name: "c", experiments: 0, experimentsBelow: 0 },
  ]);

  test("what is in a folder is counted, however deep", () => {
    assert.equal(contentOf(folders, "a"), "1,200 experiments and 2 folders");
    assert.equal(contentOf(folders, "b"), "1 experiment and 1 folder");
    assert.equal(contentOf(folders, "c"), undefined);
  });

  test("a name that is taken is told, and a folder that is not empty any more", async () => {
    const taken = renameFolder(refusing("folder_already_exists"), "b", "c");
    await assert.rejects(taken, {
      message: "There is already a folder named c in the same place.",
    });
    const filled = removeFolder(refusing("folder_not_empty"), folders, "c");
    await assert.rejects(filled, { message: /^The folder is no longer empty/ });
    const other = renameFolder(refusing("folder_not_found"), "b", "c");
    await assert.rejects(other, { message: "refused: folder_not_found" });
  });

  test("what was done is told", async () => {
    const done = async () => undefined;
    const counts = [
      { experiments: 1_200, folders: 3 },
      { experiments: 1, folders: 1 },
      { experiments: 0, folders: 2 },
    ];
    const trash = { folder: async () => counts.shift() };
    const client = { folders: { update: done, delete: done }, trash } as unknown as LosslessClient;
    assert.equal(await renameFolder({ client }, "b", "d"), "The folder was renamed to d.");
    assert.equal(await removeFolder({ client }, folders, "c"), "The folder a/b/c was removed.");
    assert.equal(
      await trashFolder({ client }, folders, "a"),
      "The folder a was removed with 2 folders below it, and 1,200 experiments were moved to the trash.",
    );
    assert.equal(
      await trashFolder({ client }, folders, "b"),
      "The folder a/b was removed, and 1 experiment was moved to the trash.",
    );
    assert.equal(
      await trashFolder({ client }, folders, "b"),
      "The folder a/b was removed with 1 folder below it.",
    );
  });
});

function refusing(code: string): { client: LosslessClient } {
  const refuse = async () => {
    const message = `refused: ${code}`;
    throw new EventError({ code, message, status: 409, retryable: false, details: {} });
  };
  return { client: { folders: { update: refuse, delete: refuse } } as unknown as LosslessClient };
}
