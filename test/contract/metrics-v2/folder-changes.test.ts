import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../http.ts";
import { event, type OrganizationCaller, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

/** The extensions folder.update and folder.delete. */
topic("changing folders", (system) => {
  test("a folder is renamed and moved, one field or both at a time", async () => {
    const parent = await create(system.acme, uniqueName("parent"));
    const folderId = await create(system.acme, uniqueName("folder"));
    const name = uniqueName("renamed");
    const renamed = await system.acme.ask("folder.update", { folderId, name }, "folder.updated");
    assert.deepEqual(renamed, { folderId, name, parentFolderId: null });
    const moved = await system.acme.ask("folder.update", { folderId, parentFolderId: parent });
    assert.deepEqual(moved, { folderId, name, parentFolderId: parent });
    const both = await system.acme.ask("folder.update", {
      folderId,
      name: `${name}2`,
      parentFolderId: null,
    });
    assert.deepEqual(both, { folderId, name: `${name}2`, parentFolderId: null });
    await refused(system.acme.post(event("folder.update", { folderId })), 400, "validation_failed");
    await refused(
      system.acme.post(event("folder.update", { folderId, name: "" })),
      400,
      "validation_failed",
    );
    await refused(system.acme.post(event("folder.update", { name })), 400, "validation_failed");
  });

  test("a taken name is refused when renaming and when moving; its own name is not taken", async () => {
    const parent = await create(system.acme, uniqueName("parent"));
    const name = uniqueName("same");
    const first = await create(system.acme, name);
    const second = await create(system.acme, name, parent);
    const third = await create(system.acme, uniqueName("third"));
    for (const data of [
      { folderId: third, name },
      { folderId: second, parentFolderId: null },
    ]) {
      const error = await system.acme.fails("folder.update", data, 409, "folder_already_exists");
      assert.deepEqual(error.details, { folderId: first });
    }
    await system.acme.ask("folder.update", { folderId: first, name });
  });

  test("a folder cannot move into itself or below itself", async () => {
    const top = await create(system.acme, uniqueName("top"));
    const middle = await create(system.acme, "middle", top);
    const bottom = await create(system.acme, "bottom", middle);
    for (const parentFolderId of [top, middle, bottom]) {
      await system.acme.fails(
        "folder.update",
        { folderId: top, parentFolderId },
        409,
        "folder_cycle",
      );
    }
    await system.acme.ask("folder.update", { folderId: bottom, parentFolderId: null });
    await system.acme.ask("folder.update", { folderId: top, parentFolderId: bottom });
  });

  test("a move that would nest deeper than 32 is refused", async () => {
    let deep: string | null = null;
    for (let depth = 1; depth <= 31; depth++)
      deep = await create(system.acme, uniqueName("d"), deep);
    const folderId = await create(system.acme, uniqueName("two levels"));
    await create(system.acme, "below", folderId);
    await system.acme.fails(
      "folder.update",
      { folderId, parentFolderId: deep },
      409,
      "limit_exceeded",
    );
    const flat = await create(system.acme, uniqueName("one level"));
    await system.acme.ask("folder.update", { folderId: flat, parentFolderId: deep });
  });

  test("only an empty folder is deleted", async () => {
    const folderId = await create(system.acme, uniqueName("folder"));
    const child = await create(system.acme, "child", folderId);
    await system.acme.fails("folder.delete", { folderId }, 409, "folder_not_empty");
    await system.acme.ask("folder.delete", { folderId: child }, "folder.deleted");
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await system.acme.ask("experiment.move", { experimentId, folderId });
    await system.acme.fails("folder.delete", { folderId }, 409, "folder_not_empty");
    await system.acme.ask("experiment.move", { experimentId, folderId: null });
    assert.deepEqual(await system.acme.ask("folder.delete", { folderId }), { folderId });
    await system.acme.fails("folder.delete", { folderId }, 404, "folder_not_found");
    await system.acme.fails("folder.update", { folderId, name: "x" }, 404, "folder_not_found");
  });

  test("folders of another organization are not there", async () => {
    const folderId = await create(system.acme, uniqueName("folder"));
    const mine = await create(system.rival, uniqueName("folder"));
    await system.rival.fails("folder.delete", { folderId }, 404, "folder_not_found");
    await system.rival.fails("folder.update", { folderId, name: "x" }, 404, "folder_not_found");
    const into = { folderId: mine, parentFolderId: folderId };
    await system.rival.fails("folder.update", into, 404, "folder_not_found");
    const { experimentId } = await system.rival.open();
    const move = { experimentId, folderId };
    await system.rival.fails("experiment.move", move, 404, "folder_not_found");
    const tree = await system.acme.ask("foldertree.read", {});
    assert.ok((tree.folders as JsonObject[]).some((folder) => folder.folderId === folderId));
  });
});

async function create(
  caller: OrganizationCaller,
  name: string,
  parentFolderId: Json = null,
): Promise<string> {
  const { folderId } = await caller.ask(
    "folder.create",
    { name, parentFolderId },
    "folder.created",
  );
  return String(folderId);
}
