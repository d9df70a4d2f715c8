import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { event, eventError, type OrganizationCaller, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

topic("folders", (system) => {
  test("a folder is created at the root and inside another", async () => {
    const name = uniqueName("root");
    const root = await system.acme.ask(
      "folder.create",
      { name, parentFolderId: null },
      "folder.created",
    );
    assert.deepEqual(root, { name, folderId: root.folderId!, parentFolderId: null });
    const parentFolderId = root.folderId;
    const child = await system.acme.ask("folder.create", { name: "child", parentFolderId });
    assert.deepEqual(child, { name: "child", folderId: child.folderId!, parentFolderId });
    assert.ok(String(root.folderId).length <= 64);
  });

  test("a taken name is refused and names the folder that has it, per parent and case-sensitive", async () => {
    const name = uniqueName("Taken");
    const { folderId } = await create(system.acme, name);
    const error = await system.acme.fails(
      "folder.create",
      { name, parentFolderId: null },
      409,
      "folder_already_exists",
    );
    assert.deepEqual(error.details, { folderId });
    const child = await create(system.acme, name, folderId);
    const again = await system.acme.fails(
      "folder.create",
      { name, parentFolderId: folderId! },
      409,
      "folder_already_exists",
    );
    assert.deepEqual(again.details, { folderId: child.folderId });
    await create(system.acme, name.toLowerCase());
    await create(system.acme, `${name} `);
    await create(system.acme, `${name}\u00e9`);
    await create(system.acme, `${name}e\u0301`);
  });

  test("an unknown or foreign parent is not found, in the same words", async () => {
    const mine = await create(system.rival, uniqueName("private"));
    const name = uniqueName("name");
    const messages = new Set<string>();
    for (const parentFolderId of ["nothing", mine.folderId!, "", "x".repeat(64)]) {
      const [reply] = await system.acme.send(event("folder.create", { name, parentFolderId }));
      const error = eventError(reply);
      assert.equal(error.code, "folder_not_found");
      assert.equal(error.status, 404);
      messages.add(error.message.replace(String(parentFolderId) || "''", ""));
    }
    assert.ok(messages.size <= 2, [...messages].join(" | "));
  });

  test("a name has 1 to 200 characters, no control characters, and is not only spaces", async () => {
    for (const name of [
      "",
      "   ",
      "a\tb",
      "a\nb",
      "a\u007fb",
      "a\u0085b",
      "x".repeat(201),
      1,
      null,
    ]) {
      await refused(
        system.acme.post(event("folder.create", { name, parentFolderId: null })),
        400,
        "validation_failed",
      );
    }
    for (const name of [
      "x",
      " y ",
      "ü".repeat(200),
      "😀".repeat(200),
      "a/b",
      "..",
      "%",
      "_",
      "'; --",
    ]) {
      const created = await create(system.acme, name);
      assert.equal(created.name, name, "stored as sent");
    }
  });

  test("folders nest 32 deep and no deeper", async () => {
    let parent: string | null = null;
    for (let depth = 1; depth <= 32; depth++) {
      parent = String((await create(system.acme, uniqueName(`depth ${depth}`), parent)).folderId);
    }
    await system.acme.fails(
      "folder.create",
      { name: "33", parentFolderId: parent },
      409,
      "limit_exceeded",
    );
  });

  test("the tree holds folders and experiments, sorted bytewise", async () => {
    const root = String((await create(system.acme, uniqueName("tree"))).folderId);
    const names = ["b", "B", "a", "é", "😀", "\uffee", "10", "9"];
    for (const name of names) await create(system.acme, name, root);
    const slugs = ["z", "Z", "\uffee", "😀"].map((word) => `${word}/${root}`);
    for (const slug of slugs) {
      await system.acme.open(slug, "described", { unused: 1 });
      await system.acme.ask("experiment.move", { experimentSlug: slug, folderId: root });
    }
    const folder = findFolder(await system.acme.ask("foldertree.read", {}), root)!;
    assert.deepEqual(Object.keys(folder).sort(), [
      "experiments",
      "folderId",
      "folders",
      "name",
      "parentFolderId",
    ]);
    assert.deepEqual(
      (folder.folders as JsonObject[]).map(({ name }) => name),
      bytewise(names),
    );
    const experiments = folder.experiments as JsonObject[];
    assert.deepEqual(
      experiments.map(({ slug }) => slug),
      bytewise(slugs),
    );
    for (const node of experiments) {
      const { experimentId, slug, createdAtMs, updatedAtMs } = node;
      assert.deepEqual(node, {
        experimentId,
        slug,
        description: "described",
        status: "running",
        createdAtMs,
        updatedAtMs,
      });
      const record = await system.acme.record(String(experimentId));
      assert.equal(record.folderId, root);
      assert.equal(record.createdAtMs, createdAtMs);
    }
  });

  test("experiments start at the root, and opening again does not move them", async () => {
    const slug = uniqueName("slug");
    await system.acme.open(slug);
    const tree = await system.acme.ask("foldertree.read", {});
    assert.ok((tree.experiments as JsonObject[]).some((node) => node.slug === slug));
    const { folderId } = await create(system.acme, uniqueName("folder"));
    const moved = await system.acme.ask(
      "experiment.move",
      { experimentSlug: slug, folderId: folderId! },
      "experiment.moved",
    );
    assert.equal(moved.folderId, folderId);
    const again = await system.acme.open(slug);
    assert.equal((await system.acme.record(again.experimentId)).folderId, folderId);
    await system.acme.ask("experiment.move", { experimentId: again.experimentId, folderId: null });
    assert.equal((await system.acme.record(again.experimentId)).folderId, null);
  });

  test("open and move fit one request", async () => {
    const { folderId } = await create(system.acme, uniqueName("folder"));
    const slug = uniqueName("slug");
    const replies = await system.acme.send(
      event("experiment.open", { slug, description: "", meta: {} }),
      event("experiment.move", { experimentSlug: slug, folderId: folderId! }),
    );
    assert.equal(replies[1].event, "svc.v2.experiment.moved");
    assert.equal(
      (await system.acme.record(String(replies[0].data.experimentId))).folderId,
      folderId,
    );
  });

  test("move wants exactly one identity, a known experiment and a known folder", async () => {
    const experiment = await system.acme.open();
    const { experimentId, slug } = experiment;
    const foreign = await create(system.rival, uniqueName("folder"));
    const both = { experimentId, experimentSlug: slug, folderId: null };
    await refused(system.acme.post(event("experiment.move", both)), 400, "validation_failed");
    await refused(
      system.acme.post(event("experiment.move", { folderId: null })),
      400,
      "validation_failed",
    );
    await system.acme.fails(
      "experiment.move",
      { experimentId, folderId: foreign.folderId! },
      404,
      "folder_not_found",
    );
    await system.acme.fails(
      "experiment.move",
      { experimentSlug: uniqueName("x"), folderId: null },
      404,
      "experiment_not_found",
    );
    await system.rival.fails(
      "experiment.move",
      { experimentId, folderId: foreign.folderId! },
      404,
      "experiment_not_found",
    );
  });

  test("the 100 parallel creations of one name make one folder", async () => {
    const name = uniqueName("race");
    const body = { name, parentFolderId: null };
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => system.acme.send(event("folder.create", body))),
    );
    const created = replies.filter(([reply]) => reply.event === "svc.v2.folder.created");
    assert.equal(created.length, 1);
    const { folderId } = created[0][0].data;
    for (const [reply] of replies.filter((one) => one !== created[0])) {
      assert.deepEqual(eventError(reply).details, { folderId });
    }
  });
});

function create(
  caller: OrganizationCaller,
  name: string,
  parentFolderId: JsonObject[string] = null,
): Promise<JsonObject> {
  return caller.ask("folder.create", { name, parentFolderId }, "folder.created");
}

function findFolder(node: JsonObject, folderId: string): JsonObject | undefined {
  for (const child of node.folders as JsonObject[]) {
    const found = child.folderId === folderId ? child : findFolder(child, folderId);
    if (found !== undefined) return found;
  }
  return undefined;
}

function bytewise(words: string[]): string[] {
  return words.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}
