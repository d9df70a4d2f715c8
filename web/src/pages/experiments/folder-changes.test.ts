import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { EventError, type LosslessClient } from "@lossless/client";
import { removeFolder, renameFolder } from "./folder-changes.ts";
import { Folders } from "./folder-lines.ts";

suite("changes of a folder", () => {
  const folders = new Folders([
    { folderId: "a", parentFolderId: null, name: "a", experiments: 1_200, experimentsBelow: 1_201 },
    { folderId: "b", parentFolderId: "a", name: "b", experiments: 1, experimentsBelow: 1 },
    { folderId: "c", parentFolderId: "a", name: "c", experiments: 0, experimentsBelow: 0 },
  ]);

  test("a folder that is not empty says what is in it", async () => {
    const service = refusing("folder_not_empty");
    const left = "Move what is in it elsewhere first.";
    const words: [string, string][] = [
      ["a", `It is not empty: 1,200 experiments and 2 folders are in it. ${left}`],
      ["b", `It is not empty: 1 experiment is in it. ${left}`],
      ["c", `It is not empty. ${left}`],
    ];
    for (const [folderId, message] of words)
      await assert.rejects(removeFolder(service, folders, folderId), { message });
  });

  test("a name that is taken is told; other refusals are the service's", async () => {
    const taken = renameFolder(refusing("folder_already_exists"), "b", "c");
    await assert.rejects(taken, { message: "A folder beside it is called c already." });
    const other = renameFolder(refusing("folder_not_found"), "b", "c");
    await assert.rejects(other, { message: "refused: folder_not_found" });
  });

  test("what was done is told", async () => {
    const done = async () => undefined;
    const client = { folders: { update: done, delete: done } } as unknown as LosslessClient;
    assert.equal(await renameFolder({ client }, "b", "d"), "The folder is called d now.");
    assert.equal(await removeFolder({ client }, folders, "c"), "The folder a/c is removed.");
  });
});

function refusing(code: string): { client: LosslessClient } {
  const refuse = async () => {
    const message = `refused: ${code}`;
    throw new EventError({ code, message, status: 409, retryable: false, details: {} });
  };
  return { client: { folders: { update: refuse, delete: refuse } } as unknown as LosslessClient };
}
