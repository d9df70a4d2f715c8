import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { OrganizationCaller } from "../contract/callers.ts";
import { organizations } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { run } from "./command-line.ts";

suite("lossless delete and lossless trash", () => {
  const service = suiteService();

  const lossless = (...words: string[]) => run(service.baseUrl, ...words);
  const answer = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await lossless(...words);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  test("by slug and by folder, listed, restored; a key purges nothing", async () => {
    const target = { baseUrl: service.baseUrl, observe: () => undefined };
    const acme = new OrganizationCaller(target, organizations.acme.key);
    const parent = await acme.ask("folder.create", { name: "parent", parentFolderId: null });
    const child = { name: "child", parentFolderId: parent.folderId };
    const { folderId } = await acme.ask("folder.create", child);
    for (const slug of ["one", "two", "three"]) await acme.open(slug);
    await acme.ask("experiment.move", { experimentSlug: "three", folderId });
    const deleted = await answer("delete", "one", "two");
    assert.match(deleted, /^one is in the trash; it can be restored until \d{4}-/m);
    assert.match(deleted, /^two is in the trash;/m);
    assert.match(
      await answer("delete", "--folder", "parent/child"),
      /1 experiment moved to the trash, 1 folder removed/,
    );
    const listed = await answer("trash", "list");
    assert.match(listed, /^NAME .*\nthree +parent\/child /);
    assert.match(listed, /^two .*test/m);
    assert.doesNotMatch(await answer("experiments", "list"), /one|two|three/);
    assert.equal(
      await answer("trash", "restore", "three", "one"),
      "one is restored\nthree is restored\n",
    );
    assert.match(await answer("experiments", "tree"), /child/);
    const refused = await lossless("trash", "purge", "two");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /person/);
    assert.equal(await answer("trash", "keep"), "Deleted entries can be restored for 30 days.\n");
  });

  test("rules are tried by everybody, and listed", async () => {
    const rule = ["--folder", "/", "--older-than", "5", "--unless", "tag = keep"];
    const best = ["--best", "3", "--by", "metric.loss.min"];
    assert.equal(
      await answer("retention", "try", ...rule, ...best),
      "It would move nothing now.\n",
    );
    assert.equal(await answer("retention", "list"), "None.\n");
    const refused = await lossless("retention", "set", "old", ...rule);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /person/);
    const unknown = await lossless("retention", "try", "old");
    assert.match(unknown.stderr, /there is no rule old; retention list shows them/);
    for (const words of [
      ["set", "old"],
      ["try", "--folder", "/", "--artifacts", "/", "--keep", "1"],
      ["try", "--folder", "/"],
      ["try", ...rule, "--keep", "1"],
      ["try", ...rule, "--best", "3"],
      ["try", "--artifacts", "/", "--keep", "none"],
      ["try", "--artifacts", "/", "--keep", "1", "--never"],
    ])
      assert.equal((await lossless("retention", ...words)).code, 2, words.join(" "));
  });

  test("the space of what was deleted goes back to the disk while the service runs", async () => {
    const compacted = await answer("compact", "--data", service.dataDirectory);
    assert.match(compacted, /^\d\S* \S+ before, \d\S* \S+ now\n$/);
    assert.match(await answer("trash", "list"), /\S/);
    const elsewhere = await lossless(
      "compact",
      "--database-url",
      "postgres://nobody@127.0.0.1/none",
    );
    assert.equal(elsewhere.code, 2);
    assert.match(elsewhere.stderr, /autovacuum/);
  });

  test("what is not there is named, and words that do not fit are a mistake of usage", async () => {
    const unknown = await lossless("trash", "restore", "nothing");
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /nothing is not in the trash/);
    for (const words of [
      ["delete"],
      ["delete", "a", "--folder", "b"],
      ["delete", "--version", "1"],
      ["trash", "restore"],
      ["trash", "purge", "a", "--all"],
      ["trash", "keep", "soon"],
    ])
      assert.equal((await lossless(...words)).code, 2, words.join(" "));
  });

  test("a series by its name, which is told from its experiment in the trash", async () => {
    const target = { baseUrl: service.baseUrl, observe: () => undefined };
    const acme = new OrganizationCaller(target, organizations.acme.key);
    const experiment = await acme.open("with-series");
    await experiment.send(experiment.metric(), experiment.metric({ metricName: "acc" }));
    assert.match(
      await answer("delete", "with-series", "--series", "loss"),
      /^loss of with-series is in the trash; it can be restored until \d{4}-/,
    );
    assert.match(await answer("trash", "list"), /^with-series#loss /m);
    const unknown = await lossless(
      "delete",
      "with-series",
      "--series",
      "loss",
      "--series",
      "never",
    );
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /has no series \S*never/);
    assert.equal(
      await answer("trash", "restore", "with-series#loss"),
      "with-series#loss is restored\n",
    );
    assert.equal((await lossless("delete", "--series", "loss")).code, 2);
  });
});
