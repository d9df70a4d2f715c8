import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { TableBody } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { migrate } from "../../database/migrate.ts";
import { openSqlite } from "../../database/sqlite.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readTable } from "./table.ts";
import { fillTable } from "./table-fill.fixture.ts";

const bodies: Partial<TableBody>[] = [
  {},
  { sort: [{ field: "status" }] },
  { sort: [{ field: "done", descending: true }] },
  { sort: [{ field: "metric.metric-3.mean" }, { field: "created" }] },
  { query: "status = done", sort: [{ field: "points" }] },
  { query: "meta.key-1 > 0.5 status = done created > 2026-01-01", sort: [{ field: "meta.key-0" }] },
  { query: "not meta.key-3 = word-7 or metric.metric-2 > 0.9", sort: [{ field: "slug" }] },
];

test("no query passes over the metas of experiments to find the rows of a page", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-plans-"));
  const database = openSqlite({ directory });
  after(async () => {
    await database[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  await migrate(database);
  await database.write((transaction) =>
    transaction.run("INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)"),
  );
  await fillTable(database, "org", { experiments: 2_000, metrics: 4, keys: 4 });
  for (const body of bodies) {
    const steps: string[] = [];
    await database.read(async (reader) => {
      const input = { organizationId: "org", body: { limit: 50, ...body } };
      await readTable(explained(reader, steps), input, new ReplyText(), { nowMs: Date.now() });
    });
    assert.ok(steps.length > 0);
    const passes = steps.filter((step) => /^SCAN e\b(?!.*COVERING)/.test(step));
    assert.deepEqual(passes, [], JSON.stringify(body));
  }
});

/** The reader, which notes the plan of every statement that is made for a request. */
function explained(reader: Reader, steps: string[]): Reader {
  const composed: Reader["composed"] = async (sql, ...values) => {
    const plan = await reader.composed<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    steps.push(...plan.map(({ detail }) => detail));
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
