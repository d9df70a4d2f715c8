import assert from "node:assert/strict";
import { before, test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { compareBytes } from "../ground/byte-order.ts";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith, TestNode } from "../database/node.fixture.ts";
import { listArtifacts, listVersions, type StoredVersionsPage } from "./list.ts";
import { readNote, writeNote } from "./note.ts";
import { TestArtifacts } from "./artifacts.fixture.ts";

onEachDatabase((fresh) => {
  let node: TestNode;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
  });
  const numbered = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(5, "0")}`);

  test("a page of versions has at most 200, and nothing is left out between pages", async () => {
    const artifacts = await TestArtifacts.open(node);
    const names = numbered(2 * limits.versionsPerPageMax + 1, "v");
    await artifacts.commitAll("a", Object.fromEntries(names.map((name) => [name, ["f"]])));
    const { organizationId } = artifacts;
    const pages: string[][] = [];
    let after: string | null = null;
    do {
      const input = { organizationId, artifact: "a", after };
      const page: StoredVersionsPage = await node.read(listVersions, input);
      pages.push(page.versions.map(({ version }) => version));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [200, 200, 1],
    );
    assert.deepEqual(pages.flat(), names);
  });

  test("a page of versions has at most 5,000 files; a version is never split", async () => {
    const artifacts = await TestArtifacts.open(node);
    await artifacts.commitAll("a", {
      "1": numbered(2_500, "f"),
      "2": numbered(2_500, "f"),
      "3": numbered(1, "f"),
      "4": numbered(5_000, "f"),
      "5": numbered(1, "f"),
    });
    const { organizationId } = artifacts;
    const page = async (after: string | null) => {
      const { versions, next } = await node.read(listVersions, {
        organizationId,
        artifact: "a",
        after,
      });
      return [versions.map(({ version }) => version).join(), next];
    };
    assert.deepEqual(await page(null), ["1,2", "2"]);
    assert.deepEqual(await page("2"), ["3", "3"]);
    assert.deepEqual(await page("3"), ["4", "4"]);
    assert.deepEqual(await page("4"), ["5", null]);
  });

  test("a page of versions has at most 4 MiB of metas, and one version at least", async () => {
    const artifacts = await TestArtifacts.open(node);
    const names = numbered(130, "v");
    await artifacts.commitAll("a", Object.fromEntries(names.map((name) => [name, ["f"]])));
    const { organizationId } = artifacts;
    const metaText = `{"a":"${"é".repeat((limits.jsonMetaBytesMax - 8) / 2)}"}`;
    assert.equal(Buffer.byteLength(metaText), limits.jsonMetaBytesMax);
    await node.execute(
      "UPDATE version SET meta = $2 WHERE artifact = (SELECT id FROM artifact WHERE organization = $1)",
      organizationId,
      metaText,
    );
    const page = (after: string | null) =>
      node.read(listVersions, { organizationId, artifact: "a", after });
    const [first, second, third] = [await page(null), await page("v00063"), await page("v00127")];
    assert.deepEqual([first.versions.length, first.next], [64, "v00063"]);
    assert.deepEqual([second.versions.length, second.next], [64, "v00127"]);
    assert.deepEqual([third.versions.length, third.next], [2, null]);
    assert.equal(third.versions[0]?.metaText, metaText);
  });

  test("artifacts are found by the beginning of their path, byte for byte", async () => {
    const artifacts = await TestArtifacts.open(node);
    const rival = await TestArtifacts.open(node);
    const paths = [
      "a",
      "a%",
      "a_b",
      "aXb",
      "ab",
      "b/\u{ffff}",
      "b/\u{10000}",
      "b/\u{10ffff}x",
      "É",
      "é",
    ];
    for (const path of paths) await artifacts.commitAll(path, { "1": ["f"] });
    await rival.commitAll("a", { "1": ["f"] });
    // Neither an open one nor one with a note alone has versions.
    await artifacts.openNew("ac");
    const { organizationId } = artifacts;
    const content = Buffer.from("x");
    await node.write(writeNote, { organizationId, artifact: "ad", note: "n", content });
    const list = async (under: string, after: string | null = null) =>
      (await node.read(listArtifacts, { organizationId, under, after })).artifacts.map(
        ({ artifact }) => artifact,
      );
    const sorted = [...paths].sort(compareBytes);
    assert.deepEqual(await list(""), sorted);
    for (const under of [
      "a",
      "a%",
      "a_",
      "b/",
      "b/\u{10ffff}",
      "B",
      "é",
      "nothing",
      "a\u{10ffff}",
    ]) {
      assert.deepEqual(
        await list(under),
        sorted.filter((path) => path.startsWith(under)),
        under,
      );
    }
    assert.deepEqual(await list("a", "a_b"), ["ab"]);
    assert.deepEqual(await list("", sorted.at(-2)), [sorted.at(-1)]);
    const [entry] = (await node.read(listArtifacts, { organizationId, under: "a", after: null }))
      .artifacts;
    const { lastCommit, ...rest } = entry;
    assert.deepEqual(rest, { artifact: "a", versions: 1, bytes: 1, latest: "1", source: "test" });
    assert.match(lastCommit, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("a page of artifacts has at most 1,000", async () => {
    const artifacts = await TestArtifacts.open(node);
    const { organizationId } = artifacts;
    await node.database.write(async (transaction) => {
      for (const path of numbered(limits.artifactsPerPageMax + 1, "p")) {
        await transaction.run(
          `INSERT INTO artifact (id, organization, path, epoch, versions, bytes, latest, latest_at_ms, latest_source)
           VALUES ($1, $2, $3, 1, 1, 1, 'v', 0, '')`,
          `${organizationId}/${path}`,
          organizationId,
          path,
        );
      }
    });
    const first = await node.read(listArtifacts, { organizationId, under: "p", after: null });
    assert.equal(first.artifacts.length, 1_000);
    assert.equal(first.next, "p00999");
    const second = await node.read(listArtifacts, {
      organizationId,
      under: "p",
      after: first.next,
    });
    assert.deepEqual([second.artifacts.length, second.next], [1, null]);
  });

  test("notes are bytes by name, the last one wins, 1,000 for each artifact", async () => {
    const artifacts = await TestArtifacts.open(node);
    const { organizationId } = artifacts;
    const name = { organizationId, artifact: "a", note: ".." };
    await assert.rejects(node.read(readNote, name), failsWith("not_found"));
    for (const content of [Buffer.from([0, 255, 10]), Buffer.alloc(0), Buffer.alloc(65_536, 1)]) {
      await node.write(writeNote, { ...name, content });
      assert.ok(content.equals(await node.read(readNote, name)));
    }
    await assert.rejects(node.read(readNote, { ...name, note: "." }), failsWith("not_found"));
    await assert.rejects(node.read(readNote, { ...name, artifact: "b" }), failsWith("not_found"));
    const rival = await TestArtifacts.open(node);
    const foreign = { ...name, organizationId: rival.organizationId };
    await assert.rejects(node.read(readNote, foreign), failsWith("not_found"));
    const content = Buffer.from("x");
    await node.counted(async (transaction, context) => {
      for (const note of numbered(limits.notesPerArtifactMax - 1, "n")) {
        await writeNote(transaction, { ...name, note, content }, context);
      }
    });
    const more = { ...name, note: "one-more", content };
    await assert.rejects(node.write(writeNote, more), failsWith("conflict"));
    await node.write(writeNote, { ...name, content });
    assert.equal(await artifacts.openNew("a"), 1);
  });
});
