import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { DifferenceReply } from "@lossless/protocol";
import { migrate } from "../../database/migrate.ts";
import { openSqlite } from "../../database/sqlite.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { fillTable } from "../table/table-fill.fixture.ts";
import { countFound } from "../table/table-search.ts";
import { openTable } from "../table/table.ts";
import { readDifference } from "./difference.ts";

/** More than are looked up one by one, and more rows than one read has. */
const experiments = 10_500;
const organizationId = "org";

test("among many experiments every value is counted once", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-apart-"));
  const database = openSqlite({ directory });
  after(async () => {
    await database[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  await migrate(database);
  await database.write((transaction) =>
    transaction.run("INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)"),
  );
  await fillTable(database, organizationId, { experiments, metrics: 1, keys: 5 });
  await database.read(async (reader) => {
    const rows = await reader.all<{ id: string }>(
      "SELECT experiment AS id FROM config_value JOIN config_key ON id = key WHERE path = 'key-3' AND text = 'word-7' LIMIT 50",
    );
    const experimentIds = rows.map(({ id }) => id);
    const text = new ReplyText();
    const body = { experimentIds, apart: true };
    await readDifference(reader, { organizationId, body }, text, { nowMs: 0 });
    const { apart } = JSON.parse(text.end().toString()) as DifferenceReply;
    assert.equal(apart?.others, experiments - experimentIds.length);
    assert.equal(apart.keys.length, 5);
    assert.ok(apart.keys.some((key) => key.test === "meta.key-3 = word-7"));
    for (const { test: found, named, others } of apart.keys) {
      const { search } = await openTable(reader, organizationId, { query: found }, 0);
      assert.equal(await countFound(reader, search, {}), named + others, found);
    }
  });
});
