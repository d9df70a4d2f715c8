import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Database } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import { openSqlite } from "../../database/sqlite.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { openTableCsv } from "./table-csv.ts";
import { fillTable } from "./table-fill.fixture.ts";

const experiments = 1_700;
const asked = { organizationId: "org", query: { sort: "metric.metric-0.last" } };
let directory: string;
let database: Database;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "lossless-table-csv-"));
  database = openSqlite({ directory });
  await migrate(database);
  await database.write((transaction) =>
    transaction.run("INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)"),
  );
  await fillTable(database, "org", { experiments, metrics: 1, keys: 1 });
});

after(async () => {
  await database[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test("one search of each part finds all rows, and each page is read when it is taken", async () => {
  let searches = 0;
  let pages = 0;
  await database.read(async (reader) => {
    const seen = watchedReader(reader, {
      onStatement(sql) {
        searches += Number(sql.includes("ORDER BY"));
        pages += Number(sql.includes("FROM experiment e JOIN head"));
      },
    });
    const { chunks, timeMs } = await openTableCsv(seen, asked, { nowMs: 0 });
    assert.ok(timeMs >= 30_000 + experiments);
    const taken: string[] = [];
    for await (const chunk of chunks) {
      taken.push(new TextDecoder().decode(chunk));
      assert.equal(pages, Math.max(0, taken.length - 2));
    }
    const [count, , ...rows] = taken;
    const lines = rows.join("").trimEnd().split("\r\n");
    assert.deepEqual([count, lines.length], [String(experiments), experiments]);
    assert.equal(new Set(lines).size, experiments);
  });
  assert.equal(searches, 2, "those that have the metric, and those that have not");
});
