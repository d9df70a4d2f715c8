import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Database, Reader } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import { openSqlite } from "../../database/sqlite.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readTableCsv } from "./table-csv.ts";
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

test("one search of each part finds all rows", async () => {
  const text = new ReplyText();
  let searches = 0;
  await database.read((reader) =>
    readTableCsv(
      watched(reader, (sql) => (searches += Number(sql.includes("ORDER BY")))),
      asked,
      text,
      { nowMs: 0 },
    ),
  );
  const [count, , ...rows] = text.end().toString().trimEnd().split("\n");
  assert.deepEqual([count, rows.length], [String(experiments), experiments]);
  assert.equal(new Set(rows).size, experiments);
  assert.equal(searches, 2, "those that have the metric, and those that have not");
});

test("a page later it notices that nobody waits", async () => {
  const left = new AbortController();
  const context = { nowMs: 0, signal: left.signal };
  const leave = (sql: string) => sql.includes("FROM experiment e JOIN head") && left.abort();
  const read = database.read((reader) =>
    readTableCsv(watched(reader, leave), asked, new ReplyText(), context),
  );
  await assert.rejects(read, { name: "AbortError" });
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
