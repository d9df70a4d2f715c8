import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { listArtifacts, listVersions } from "./list.ts";
import { TestArtifacts } from "./artifacts.fixture.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();
  const numbered = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(5, "0")}`);

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
});
