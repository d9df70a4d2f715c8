import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import { type Comparator, type Condition, comparators, type Field } from "./condition.ts";
import { nameTag } from "./name.ts";
import { noteTag } from "./native.ts";
import type { OrderBy } from "./order.ts";
import { runsThatFit } from "./runs-that-fit.ts";
import { findPlaces } from "./search.ts";
import { fillSearched, numbers, texts, words } from "./search-fill.fixture.ts";
import { placesCompared } from "./search-others.ts";
import { type Search, searchStatement } from "./search-statement.ts";

const isNumeric = ({ kind, key }: Field) =>
  kind === "metric" || (kind === "attribute" && key.endsWith("_time"));

const field: fc.Arbitrary<Field> = fc.oneof(
  fc
    .constantFrom("run_id", "status", "user_id", "artifact_uri", "run_name")
    .map((key): Field => ({ kind: "attribute", key })),
  fc.constantFrom("start_time", "end_time").map((key): Field => ({ kind: "attribute", key })),
  fc.constantFrom("m", "n", "none").map((key): Field => ({ kind: "metric", key })),
  fc.constantFrom("p", "q.r", "none").map((key): Field => ({ kind: "param", key })),
  fc.constantFrom("t", nameTag, noteTag, "mlflow.user").map((key): Field => ({ kind: "tag", key })),
);
const dataset = fc
  .constantFrom("name", "digest", "context")
  .map((key): Field => ({ kind: "dataset", key }));
const text = fc.oneof(
  fc.constantFrom(...texts, ...words, "%", "%/artifacts", "e1%", "_", "a%", "%B", "\ud800"),
  fc.string({ unit: fc.constantFrom("a", "B", "%", "_", "*", "[", "?", "é"), maxLength: 5 }),
);

const condition: fc.Arbitrary<Condition> = fc
  .record({
    field: fc.oneof({ arbitrary: field, weight: 6 }, { arbitrary: dataset, weight: 1 }),
    ordered: fc.constantFrom<Comparator[]>("=", "!=", ">", ">=", "<", "<="),
    any: fc.constantFrom(...comparators.filter((one) => !/[<>]/.test(one))),
    text,
    list: fc.array(text, { maxLength: 3 }),
    number: fc.oneof(fc.constantFrom(...numbers.filter(Number.isFinite)), fc.double()),
  })
  .map(({ field: found, ordered, any, text: one, list, number }): Condition => {
    if (isNumeric(found)) return { field: found, comparator: ordered, value: number };
    const isNull = any.startsWith("IS");
    if (found.kind === "dataset" && isNull) return { field: found, comparator: "=", value: one };
    const value = isNull ? undefined : any.endsWith("IN") ? list : one;
    return { field: found, comparator: any, value };
  });

const orders: fc.Arbitrary<OrderBy[]> = fc.uniqueArray(
  fc.record({ field, isAscending: fc.boolean() }),
  { maxLength: 3, selector: (one) => JSON.stringify(one.field) },
);

const context: PointsReader = {
  snapshots: { take: () => Promise.reject(new Error("BUG: points were read")) },
};

onEachDatabase(({ node }) => {
  const filled = node();
  before(() => filled.database.write(fillSearched));

  test("what the database finds and sorts is what this code does, page by page", async () => {
    let said = 0;
    const search = fc.record({
      folderIds: fc.constantFrom(["0"], ["f"], ["0", "f"], []),
      stages: fc.constantFrom("active", "deleted", "all"),
      conditions: fc.array(condition, { maxLength: 2 }),
      clauses: orders,
      page: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(search, ({ page, ...asked }) =>
        filled.database.read(async (reader) => {
          const whole: Search = { organizationId: "org", ...asked, after: undefined, limit: 1_000 };
          if (searchStatement(reader, whole) !== undefined) said++;
          const expected = await placesCompared(reader, whole, "", context);
          assert.deepEqual(await findPlaces(reader, whole, context), expected);
          for (let at = page; at < expected.length; at += page) {
            const next = { ...whole, after: expected[at - 1], limit: page };
            const found = await findPlaces(reader, next, context);
            assert.deepEqual(found, expected.slice(at, at + page));
          }
        }),
      ),
      { numRuns: 400 },
    );
    assert.ok(said > 200, `the database said ${said} of 400`);
  });

  test("a page ends before its runs have more bytes than a reply may have", async () => {
    await filled.database.read(async (reader) => {
      const bytes = async (id: string) => {
        const texts = await reader.all<{ text: string }>(
          `SELECT key || value AS text FROM run_param WHERE experiment = $1
           UNION ALL SELECT key || value FROM run_tag WHERE experiment = $1
           UNION ALL SELECT meta || description FROM experiment WHERE id = $1`,
          id,
        );
        const datasets = await reader.all<{ bytes: number }>(
          `SELECT dataset.bytes FROM run_input JOIN dataset ON dataset.id = run_input.dataset
           WHERE run_input.experiment = $1`,
          id,
        );
        const sizes = texts.map(({ text: own }) => Buffer.byteLength(own));
        return [...sizes, ...datasets.map((one) => one.bytes)].reduce((sum, size) => sum + size, 0);
      };
      const rows = await reader.all<{ id: string }>("SELECT id FROM experiment ORDER BY id");
      const ids = rows.map(({ id }) => id);
      const all: number[] = [];
      for (const id of ids) all.push(await bytes(id));
      for (const count of [1, 2, 5, ids.length]) {
        const most = all.slice(0, count).reduce((sum, own) => sum + own, 0);
        assert.equal(await runsThatFit(reader, ids, most), count, `${count} runs`);
        const fewer = Math.max(1, count - 1);
        assert.equal(await runsThatFit(reader, ids, most - 1), fewer, `${count} runs less a byte`);
      }
    });
  });

  test("a place that no page has is compared here, and nothing is found twice", async () => {
    const clauses: OrderBy[] = [
      { field: { kind: "metric", key: "m" }, isAscending: true },
      { field: { kind: "param", key: "p" }, isAscending: false },
    ];
    const places: Search["after"][] = [
      { values: ["x", "x"], id: "e10" },
      { values: [1], id: "e10" },
      { values: [null, 3], id: "e10" },
      { values: [0, "a"], id: "\0" },
    ];
    await filled.database.read(async (reader) => {
      for (const after of places) {
        const search = { organizationId: "org", folderIds: ["0", "f"], conditions: [], clauses };
        const whole: Search = { ...search, stages: "all", after, limit: 1_000 };
        assert.equal(searchStatement(reader, whole), undefined);
        const expected = await placesCompared(reader, whole, "", context);
        assert.deepEqual(await findPlaces(reader, whole, context), expected);
      }
    });
  });
});
