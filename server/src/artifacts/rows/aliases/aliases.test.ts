import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../../database/databases.fixture.ts";
import { migrate } from "../../../database/migrate.ts";
import { TestNode } from "../../../database/node.fixture.ts";
import { wrongCounters } from "../../../database/quotas/recount.ts";
import { newId } from "../../../ground/ids.ts";
import { TestArtifacts } from "../artifacts.fixture.ts";
import { writeNote } from "../note.ts";
import { listAliases, readAliasHistory, removeAlias, setAlias } from "./artifact-aliases.ts";
import { wrongAliases } from "./check.ts";

/** The format before there were aliases. */
const formatBefore = 34;

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("the check finds aliases that differ from their history, and gaps in it", async () => {
    const artifacts = await TestArtifacts.open(node);
    const { organizationId } = artifacts;
    const artifact = `checked-${newId(0)}`;
    await artifacts.commitAll(artifact, { 1: ["f"], 2: ["f"] });
    const by = { actor: "service", address: null };
    const name = { organizationId, artifact, by, expected: undefined };
    await node.write(setAlias, { ...name, alias: "best", version: "1" });
    await node.write(setAlias, { ...name, alias: "best", version: "2" });
    await node.write(setAlias, { ...name, alias: "gone", version: "1" });
    await node.write(removeAlias, { ...name, alias: "gone" });
    const wrong = async () =>
      (await node.read(wrongAliases, {}))
        .filter(({ id }) => id === artifact)
        .map(({ sentence }) => sentence);
    assert.deepEqual(await wrong(), []);
    const owner = "owner = (SELECT id FROM artifact WHERE path = $1)";
    await node.execute(`UPDATE alias SET version = '1' WHERE ${owner}`, artifact);
    assert.deepEqual(await wrong(), [
      "the alias best does not point to where its last change moved it",
    ]);
    await node.execute(`UPDATE alias SET version = '2' WHERE ${owner}`, artifact);
    await node.execute(`DELETE FROM alias_change WHERE number = 1 AND ${owner}`, artifact);
    assert.deepEqual(await wrong(), ["the history of the alias best has a gap"]);
    await node.execute(`DELETE FROM alias_change WHERE ${owner}`, artifact);
    await node.execute(`DELETE FROM alias WHERE ${owner}`, artifact);
  });

  test("notes by which the Python client kept aliases become aliases, if they name a version", async () => {
    const artifacts = await TestArtifacts.open(node);
    const { organizationId } = artifacts;
    const artifact = `noted-${newId(0)}`;
    await artifacts.commitAll(artifact, { 1: ["f"], 2: ["f"] });
    const notes = {
      best: "2",
      "v1.0": "1",
      latest: "1",
      "-x": "1",
      gone: "3",
      odd: "\u00e9",
      "": "1",
    };
    for (const [alias, version] of Object.entries(notes)) {
      const content = alias === "odd" ? Buffer.from([0xff, 0]) : Buffer.from(version);
      await node.write(writeNote, { organizationId, artifact, note: `alias.${alias}`, content });
      node.nowMs++;
    }
    await node.write(writeNote, {
      organizationId,
      artifact,
      note: "Alias.no",
      content: Buffer.from("1"),
    });
    const older = new TestNode(await fresh.inFormat(formatBefore, node.database));
    assert.equal(await migrate(older.database), formatBefore);
    const { aliases } = await older.read(listAliases, { organizationId, artifact });
    assert.deepEqual(
      aliases.map(({ alias, version, state, changedBy }) => [alias, version, state, changedBy]),
      [
        ["best", "2", "present", "service"],
        ["v1.0", "1", "present", "service"],
      ],
    );
    const { changes } = await older.read(readAliasHistory, {
      organizationId,
      artifact,
      alias: null,
      before: null,
    });
    assert.deepEqual(
      changes.map(({ number, alias, previous, version }) => [number, alias, previous, version]),
      [
        [2, "v1.0", null, "1"],
        [1, "best", null, "2"],
      ],
    );
    assert.deepEqual(await older.read(wrongAliases, {}), []);
    const counters = await older.read(wrongCounters, undefined);
    assert.deepEqual(
      counters.filter(({ organization }) => organization === organizationId),
      [],
    );
  });
});
