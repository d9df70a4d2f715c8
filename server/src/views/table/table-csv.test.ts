import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Database, Reader } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import { openSqlite } from "../../database/sqlite.ts";
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
    const seen = watched(reader, (sql) => {
      searches += Number(sql.includes("ORDER BY"));
      pages += Number(sql.includes("FROM experiment e JOIN head"));
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

/** The reader, which tells the statements that are made for a request. */
function watched(reader: Reader, onStatement: (sql: string) => void): Reader {
  const composed: Reader["composed"] = (sql, ...values) => {
    onStatement(sql);
    return reader.composed(sql, ...values);
  };
  return new Proxy(reader, {
    get(target, name) {
      if (name === "composed") return composed;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
