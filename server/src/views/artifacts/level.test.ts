import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { readLevel } from "./level.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("the pages of any prefix are what a walk over all paths finds", async () => {
    const organizationId = await node.newOrganization();
    const words = ["a", "a-b", "a0", "é", "\u{10ffff}", "𝒳", "z"];
    const paths = new Set<string>();
    // Enough side by side and below one folder for several reads of either.
    for (let at = 0; at < 70; at++) paths.add(`flat${at}`).add(`deep/${at}`);
    // No walk finds those all of whose versions were deleted.
    const gone = new Set<string>();
    for (let at = 0; at < 70; at++) gone.add(`empty/${at}`).add(`deep/${at}-gone`).add(`a/${at}`);
    for (const one of words)
      for (const other of words) paths.add(one).add(`${one}/${other}`).add(`${one}/${other}/x`);
    await node.database.write(async (transaction) => {
      for (const path of [...paths, ...gone]) {
        const isGone = gone.has(path);
        await transaction.run(
          `INSERT INTO artifact (id, organization, path, epoch, versions, bytes, latest, latest_at_ms,
             latest_source, highest) VALUES ($1, $2, $3, 1, $4, $5, $6, $7, '', 'v')`,
          `${organizationId}/${path}`,
          organizationId,
          path,
          isGone ? 0 : 2,
          isGone ? 0 : 3,
          isGone ? null : "v",
          isGone ? null : path.length,
        );
      }
    });
    for (const under of ["", "a", "a/", "a/é/", "deep/", "fl", "\u{10ffff}/", "none/"]) {
      for (const limit of [1, 3, 50, 1_000]) {
        const found = { paths: [] as string[], folders: [] as object[] };
        for (let after = ""; ;) {
          const page = await node.read(readLevel, { organizationId, under, after, limit });
          assert.ok(page.paths.length + page.folders.length <= limit);
          found.paths.push(...page.paths);
          found.folders.push(...page.folders);
          if (page.next === null) break;
          after = page.next;
        }
        assert.deepEqual(found, walked([...paths], under), JSON.stringify([under, limit]));
      }
    }
  });
});

function walked(paths: readonly string[], under: string) {
  const below = paths.filter((path) => path.startsWith(under)).toSorted(byBytes);
  const folders = new Map<string, string[]>();
  const plain: string[] = [];
  for (const path of below) {
    const slash = path.indexOf("/", under.length);
    if (slash === -1) plain.push(path);
    else {
      const folder = path.slice(0, slash + 1);
      folders.set(folder, [...(folders.get(folder) ?? []), path]);
    }
  }
  return {
    paths: plain,
    folders: [...folders].map(([path, inIt]) => ({
      path,
      artifacts: inIt.length,
      versions: 2 * inIt.length,
      bytes: 3 * inIt.length,
      lastCommitAtMs: Math.max(...inIt.map(({ length }) => length)),
    })),
  };
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
