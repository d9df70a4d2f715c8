import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { columnTypes } from "./column-types.ts";
import { notExpanding } from "./expansions.fixture.ts";
import { migrations, releasedFormats, sharedFormat } from "./migrations.ts";

const root = join(import.meta.dirname, "../../..");

test("expansions only add, on both databases", () => {
  for (const [index, migration] of migrations.entries()) {
    if (migration.kind !== "expansion") continue;
    for (const types of Object.values(columnTypes)) {
      const problems = notExpanding(migration.statements(types));
      assert.deepEqual(problems, [], `the migration to format ${index + 1}`);
    }
  }
});

test("a contraction leaves the programs of the release before at work", () => {
  for (const [index, migration] of migrations.entries()) {
    if (migration.kind !== "contraction" || index < sharedFormat) continue;
    const released = releasedFormats.filter(({ format }) => format <= index);
    const last = Math.max(...released.map(({ format }) => format));
    assert.ok(migration.leastFormat <= last, `the migration to format ${index + 1}`);
  }
});

test("no contraction lets older programs in again that an earlier one has ended", () => {
  const least = migrations.flatMap((one) => (one.kind === "contraction" ? one.leastFormat : []));
  assert.deepEqual(
    least,
    [...least].sort((a, b) => a - b),
  );
});

test("every release in the changelog has its format", () => {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const released = [...changelog.matchAll(/^## \[([\d.]+)\] - \d/gm)].map(([, version]) => version);
  assert.deepEqual(releasedFormats.map(({ version }) => version).reverse(), released);
});

test("no statement reads all columns of a table", () => {
  const source = join(root, "server/src");
  const names = readdirSync(source, { recursive: true, encoding: "utf8" });
  const read = names.filter((name) => name.endsWith(".ts") && !name.includes("test."));
  const found = read.filter((name) => {
    const text = readFileSync(join(source, name), "utf8");
    return /\bSELECT \* FROM (?:\w|\$\{table)/.test(text) || /\bRETURNING \*/.test(text);
  });
  assert.deepEqual(found, []);
});

test("what an older program would not go on with is found", () => {
  const refused = [
    "DROP TABLE head",
    "ALTER TABLE head DROP COLUMN points",
    "ALTER TABLE head RENAME COLUMN points TO all_points",
    "ALTER TABLE head ADD COLUMN added bigint NOT NULL",
    "ALTER TABLE head ADD COLUMN added bigint DEFAULT (random())",
    "ALTER TABLE head ADD COLUMN added text REFERENCES experiment (id)",
    "CREATE INDEX head_added ON head (added)",
    "CREATE TABLE added (experiment text NOT NULL REFERENCES experiment (id), PRIMARY KEY (experiment))",
    "UPDATE head SET points = 0",
    "DELETE FROM garbage",
    "INSERT INTO head (experiment) SELECT id FROM experiment",
  ];
  for (const sql of refused) assert.equal(notExpanding([sql]).length, 1, sql);
  const allowed = [
    `CREATE TABLE added (
      experiment text PRIMARY KEY REFERENCES experiment (id) ON DELETE CASCADE
    )`,
    "CREATE TABLE below (added text NOT NULL REFERENCES added (experiment))",
    "CREATE UNIQUE INDEX below_added ON below (added)",
    "INSERT INTO added (experiment) SELECT id FROM experiment",
    "ALTER TABLE head ADD COLUMN added bigint",
    "ALTER TABLE head ADD COLUMN counted bigint NOT NULL DEFAULT 0",
  ];
  assert.deepEqual(notExpanding(allowed), []);
});
