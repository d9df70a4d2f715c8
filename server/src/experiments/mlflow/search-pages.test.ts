import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import type { Reader, Transaction } from "../../database/database.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { TestNode } from "../../database/node.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { KeptOrders } from "../../ground/kept-orders.ts";
import type { WalkContext } from "../../ground/walk.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import type { Condition, Field } from "./condition.ts";
import { storedInteger } from "./metric.ts";
import { searchModels } from "./models/search.ts";
import type { OrderBy, PageEnd } from "./order.ts";
import { fillSearched, numbers, texts } from "./search-fill.fixture.ts";
import { searchFolders } from "./search-folders.ts";
import { searchRuns } from "./search.ts";

const organizationId = "org";
const ordersBytes = 32 * 1_048_576;

/** One of the searches of MLflow's clients. */
interface Searched {
  table: string;
  conditions: Condition[][];
  orders: OrderBy[][];
  read(
    reader: Reader,
    asked: Asked,
    context: PointsReader & WalkContext,
  ): Promise<{ ids: string[]; next: PageEnd | undefined }>;
  /** Statements that change what the row `$1` is found by, to one of a few values. */
  changes: ((value: number) => string)[];
  /** Statements that delete and restore the row `$1` in turn. */
  toggles: string[];
}

interface Asked {
  conditions: Condition[];
  orderBy: OrderBy[];
  limit: number;
  after: PageEnd | undefined;
}

const attribute = (key: string): Field => ({ kind: "attribute", key });
const metric: Field = { kind: "metric", key: "m" };
const tag: Field = { kind: "tag", key: "t" };
const param: Field = { kind: "param", key: "p" };
const rising = (field: Field): OrderBy => ({ field, isAscending: true });
const falling = (field: Field): OrderBy => ({ field, isAscending: false });
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
const folderIds = ["0", "f"];
const tagged: Condition = { field: tag, comparator: "LIKE", value: "a%" };
const toggle = (table: string, key: string, column = "deleted_at_ms") =>
  `UPDATE ${table} SET ${column} = CASE WHEN ${column} IS NULL THEN 1 END WHERE ${key} = $1`;

const searches: Record<string, Searched> = {
  runs: {
    table: "experiment",
    conditions: [
      [],
      [{ field: metric, comparator: ">", value: 0 }],
      [tagged],
      [{ field: param, comparator: "IS NULL", value: undefined }],
    ],
    orders: [[], [falling(metric)], [rising(tag), falling(param)], [rising(attribute("run_name"))]],
    read: async (reader, asked, context) => {
      const input = { organizationId, folderIds, stages: "active" as const, ...asked };
      const { runs, next } = await searchRuns(reader, input, context);
      return { ids: idsOf(runs), next };
    },
    changes: [
      (value) => `UPDATE run_tag SET value = '${"ab"[value % 2]}${value}' WHERE experiment = $1`,
      (value) => `UPDATE run_metric SET kind = 0, value = ${value} WHERE experiment = $1`,
      (value) => `UPDATE run SET start_time = ${value} WHERE experiment = $1`,
    ],
    toggles: [toggle("run", "experiment"), toggle("experiment", "id", "trashed_at_ms")],
  },
  experiments: {
    table: "folder",
    conditions: [[], [tagged], [{ field: attribute("name"), comparator: "LIKE", value: "f/%" }]],
    orders: [[falling(attribute("creation_time"))], [rising(tag)], [falling(attribute("name"))]],
    read: async (reader, asked, context) => {
      const input = { organizationId, stages: "active" as const, idAscending: true, ...asked };
      const { folders, next } = await searchFolders(reader, input, context);
      return { ids: idsOf(folders), next };
    },
    changes: [
      (value) => `UPDATE folder_tag SET value = '${"ab"[value % 2]}${value}' WHERE folder = $1`,
      (value) => `UPDATE folder SET created_at_ms = ${value} WHERE id = $1`,
    ],
    toggles: [toggle("run_folder", "folder")],
  },
  models: {
    table: "logged_model",
    conditions: [[], [tagged], [{ field: metric, comparator: ">", value: 0 }]],
    orders: [[], [falling(attribute("name"))], [rising(metric), rising(attribute("model_type"))]],
    read: async (reader, asked, context) => {
      const orderBy = asked.orderBy.map((one) => ({ ...one, dataset: undefined }));
      const input = { organizationId, folderIds, datasets: [], ...asked, orderBy };
      const { models, next } = await searchModels(reader, input, context);
      return { ids: idsOf(models), next };
    },
    changes: [
      (value) =>
        `UPDATE logged_model_tag SET value = '${"ab"[value % 2]}${value}' WHERE model = $1`,
      (value) => `UPDATE logged_model_metric SET kind = 0, value = ${value} WHERE model = $1`,
      (value) => `UPDATE logged_model SET name = 'm${value}' WHERE id = $1`,
    ],
    toggles: [toggle("logged_model", "id")],
  },
};

const snapshots: PointsReader["snapshots"] = {
  take: () => Promise.reject(new Error("BUG: points were read")),
};

onEachDatabase(({ node }) => {
  const nodes = [node(), node()];
  const [first] = nodes;

  before(() =>
    first.database.write(async (transaction) => {
      await fillSearched(transaction);
      await addFoldersAndModels(transaction);
    }),
  );

  const page = ({ read }: Searched, asked: Asked, at: TestNode) => {
    const { nowMs, orders, database } = at;
    return database.read((reader) => read(reader, asked, { snapshots, nowMs, orders }));
  };
  const whole = async (searched: Searched, asked: Pick<Asked, "conditions" | "orderBy">) =>
    (await page(searched, { ...asked, limit: 1_000, after: undefined }, first)).ids;

  for (const [name, searched] of Object.entries(searches)) {
    const all = async () =>
      idsOf(await first.all<{ id: string }>(`SELECT id FROM ${searched.table}`));

    test(`a walk through ${name} looks at all as often whether it has few pages or many`, async () => {
      const known = (await all()).map((id) => `"${id}"`);
      for (const conditions of searched.conditions)
        for (const orderBy of searched.orders) {
          const expected = await whole(searched, { conditions, orderBy });
          const limit = Math.max(1, Math.floor(expected.length / 9));
          const context = { snapshots, nowMs: first.nowMs, orders: new KeptOrders(ordersBytes) };
          const seen: string[] = [];
          let passes = 0;
          const onStatement = (sql: string, values: readonly unknown[]) => {
            const isOfSome = known.some((id) =>
              values.some((value) => typeof value === "string" && value.includes(id)),
            );
            if (new RegExp(`FROM ${searched.table}\\b`).test(sql) && !isOfSome) passes++;
          };
          let pages = 0;
          for (let after: PageEnd | undefined; pages === 0 || after !== undefined; pages++) {
            const asked = { conditions, orderBy, limit, after };
            const { ids, next } = await first.database.read((reader) =>
              searched.read(watchedReader(reader, { onStatement }), asked, context),
            );
            seen.push(...ids);
            after = next;
          }
          const asked = JSON.stringify({ conditions, orderBy });
          assert.deepEqual(seen, expected);
          assert.ok(pages >= Math.min(9, expected.length), `${pages} pages: ${asked}`);
          assert.ok(passes > 0 && passes <= 6, `${passes} passes: ${asked}`);
        }
    });

    test(`of ${name}, one that is found no more is not shown, though it was when the walk began`, async () => {
      const asked = { conditions: [tagged], orderBy: [] };
      const expected = await whole(searched, asked);
      const seen: string[] = [];
      let after: PageEnd | undefined;
      for (let at = 0; at === 0 || after !== undefined; at++) {
        const { ids, next } = await page(searched, { ...asked, limit: 1, after }, first);
        seen.push(...ids);
        after = next;
        if (at === 1) await first.execute(searched.changes[0](1), expected.at(-1)!);
      }
      assert.ok(expected.length > 3);
      assert.deepEqual(seen, expected.slice(0, -1));
    });

    test(`${name} that nobody changes come once, in their order, whatever is written`, async () => {
      const steps = fc.record({
        node: fc.constantFrom(0, 0, 0, 1),
        isForgotten: fc.constantFrom(false, false, false, true),
        change: fc.constantFrom(undefined, ...searched.changes, ...searched.toggles),
        of: fc.nat(1_000),
      });
      const walks = fc.record({
        conditions: fc.constantFrom(...searched.conditions),
        orderBy: fc.constantFrom(...searched.orders),
        limit: fc.integer({ min: 3, max: 12 }),
        steps: fc.array(steps, { minLength: 3, maxLength: 8 }),
      });
      const ids = await all();
      await fc.assert(
        fc.asyncProperty(walks, async ({ conditions, orderBy, limit, steps: taken }) => {
          const asked = { conditions, orderBy };
          const expected = await whole(searched, asked);
          const changed = new Set<string>();
          const seen: string[] = [];
          let after: PageEnd | undefined;
          for (let at = 0; at < ids.length; at++) {
            const { node: there, isForgotten, change, of } = taken[at % taken.length];
            if (isForgotten) nodes[there].orders = new KeptOrders(ordersBytes);
            const reply = await page(searched, { ...asked, limit, after }, nodes[there]);
            const found = new Set(await whole(searched, asked));
            assert.deepEqual(
              reply.ids.filter((id) => !found.has(id)),
              [],
              "each is found now",
            );
            seen.push(...reply.ids);
            after = reply.next;
            if (after === undefined) break;
            if (change === undefined) continue;
            const isToggle = typeof change === "string";
            const some = isToggle || expected.length === 0 ? ids : expected;
            for (const more of [0, 31, 62]) {
              const id = some[(of * 17 + more + at) % some.length];
              await first.execute(isToggle ? change : change((of + more) % 9), id);
              changed.add(id);
            }
          }
          assert.equal(after, undefined);
          const same = (some: readonly string[]) => some.filter((id) => !changed.has(id));
          assert.deepEqual(same(seen), same(expected));
        }),
        { numRuns: 20, seed: 20_261_128, endOnFailure: true },
      );
    });
  }

  test("a token of an earlier version, which names no walk, goes on at its place", async () => {
    const asked = { conditions: [], orderBy: [], limit: 3 };
    for (const searched of Object.values(searches)) {
      const { ids, next } = await page(searched, { ...asked, after: undefined }, first);
      const { walk: _, ...place } = next!;
      const rest = await page(searched, { ...asked, limit: 1_000, after: place }, first);
      assert.deepEqual([...ids, ...rest.ids], await whole(searched, asked));
    }
  });
});

async function addFoldersAndModels(transaction: Transaction): Promise<void> {
  for (let at = 0; at < 60; at++) {
    const id = `f${String(at).padStart(2, "0")}`;
    const parent = at % 3 === 0 ? null : at % 3 === 1 ? "f" : `f${String(at - 1).padStart(2, "0")}`;
    const text = texts[at % texts.length];
    await transaction.run(
      `INSERT INTO folder (id, organization, parent, name, created_at_ms)
       VALUES ($1, 'org', $2, $1, $3)`,
      id,
      parent,
      at % 4,
    );
    await transaction.run(
      `INSERT INTO run_folder (organization, folder, artifact_location, created_at_ms,
         updated_at_ms, deleted_at_ms) VALUES ('org', $1, NULL, 0, 0, NULL)`,
      id,
    );
    await transaction.run(
      "INSERT INTO folder_tag (organization, folder, key, value) VALUES ('org', $1, 't', $2)",
      id,
      text,
    );
    const model = `l${id}`;
    await transaction.run(
      `INSERT INTO logged_model (id, organization, folder, name, model_type, source_run, status,
         artifact_location, created_at_ms, updated_at_ms, deleted_at_ms)
       VALUES ($1, 'org', $2, $3, '', '', 1, NULL, $4, 0, NULL)`,
      model,
      folderIds[at % 2],
      text,
      at % 5,
    );
    await transaction.run(
      "INSERT INTO logged_model_tag (model, key, value) VALUES ($1, 't', $2)",
      model,
      text,
    );
    const value = numbers.filter(Number.isFinite)[at % 4];
    await transaction.run(
      `INSERT INTO logged_model_metric (model, key, timestamp, step, id, kind, value, experiment,
         dataset_name, dataset_digest)
       VALUES ($1, 'm', $3, $3, '1', 0, $2, 'e10', NULL, NULL)`,
      model,
      value,
      storedInteger(1n),
    );
  }
}
