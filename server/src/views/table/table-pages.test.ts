import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { TableBody, TableReply } from "@lossless/protocol";
import fc from "fast-check";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { TestNode } from "../../database/node.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { KeptOrders } from "../../ground/kept-orders.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { fillTable } from "./table-fill.fixture.ts";
import { readTable } from "./table.ts";

const organizationId = "org";
const experiments = 600;

type Asked = Pick<TableBody, "query" | "sort" | "columns">;

const sorts: NonNullable<TableBody["sort"]>[] = [
  [{ field: "created", descending: true }],
  [{ field: "metric.metric-0.min", descending: true }],
  [{ field: "meta.key-0" }],
  [{ field: "status" }, { field: "metric.metric-0.min" }],
  [{ field: "silent" }],
  [{ field: "duration" }, { field: "slug" }],
];
const queries = ["", "meta.key-1 > 0.3", "not status = running or metric.metric-0 > 0.5", "run-1"];

onEachDatabase(({ node }) => {
  const nodes = [node(), node()];
  const [first] = nodes;

  before(async () => {
    await first.execute(
      "INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)",
    );
    await fillTable(first.database, organizationId, { experiments, metrics: 2, keys: 3 });
    // Few values: most places differ by the id alone.
    await first.execute("UPDATE metric_summary SET min = round(min * 8)");
  });

  const page = (at: TestNode, asked: Asked, limit: number, after?: string) => {
    const body = { ...asked, limit, ...(after !== undefined && { after }) };
    return at.reply<object, TableReply>(readTable as never, { organizationId, body });
  };
  const idsOf = ({ rows }: TableReply) => rows.map(({ experimentId }) => experimentId);

  test("a walk sorts all rows as often whether it has few pages or many", async () => {
    const sortings = async (asked: Asked, limit: number) => {
      let sorted = 0;
      const onStatement = (sql: string) => {
        if (sql.includes("ORDER BY") && sql.includes(" AS total")) sorted++;
      };
      const seen: string[] = [];
      const orders = new KeptOrders(32 * 1_048_576);
      for (let after: string | undefined, pages = 0; pages < experiments; pages++) {
        const text = new ReplyText();
        await first.database.read((reader) =>
          readTable(
            watchedReader(reader, { onStatement }),
            { organizationId, body: { ...asked, limit, ...(after !== undefined && { after }) } },
            text,
            { nowMs: first.nowMs, orders },
          ),
        );
        const reply = JSON.parse(text.end().toString()) as TableReply;
        seen.push(...idsOf(reply));
        after = reply.next;
        if (after === undefined) break;
      }
      return { seen, sorted };
    };
    for (const sort of sorts)
      for (const query of queries) {
        const asked = { sort, query };
        const many = await sortings(asked, 20);
        assert.deepEqual(many.seen, idsOf(await page(first, asked, 1_000)));
        assert.ok(many.sorted <= 6, `${many.sorted} sortings: ${JSON.stringify(asked)}`);
      }
  });

  test("rows that nobody changes come once, in their order, whatever else is written", async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ sort, query, limit, steps }) => {
        const asked = { sort, query };
        const expected = idsOf(await page(first, asked, 1_000));
        const changed = new Set<string>();
        const seen: string[] = [];
        let after: string | undefined;
        for (let at = 0; at < experiments; at++) {
          const step = steps[at % steps.length];
          const there = nodes[step.node];
          if (step.isForgotten) there.orders = new KeptOrders(32 * 1_048_576);
          const reply = await page(there, asked, limit, after);
          const shown = idsOf(reply);
          assert.deepEqual(shown, await stillFound(asked, shown), "each is found now");
          seen.push(...shown);
          after = reply.next;
          if (after === undefined) break;
          for (const id of await change(step.change, expected, step.of)) changed.add(id);
        }
        assert.equal(after, undefined);
        const same = (ids: readonly string[]) => ids.filter((id) => !changed.has(id));
        assert.deepEqual(same(seen), same(expected));
      }),
      { numRuns: 25, seed: 20_261_128, endOnFailure: true },
    );
  });

  test("a walk that begins later has what came before it", async () => {
    const asked = { sort: [{ field: "slug" }] };
    const [{ id }] = await first.all<{ id: string }>(
      "SELECT id FROM experiment WHERE trashed_at_ms IS NULL ORDER BY slug LIMIT 1 OFFSET 300",
    );
    await first.execute("UPDATE experiment SET trashed_at_ms = 1 WHERE id = $1", id);
    const { next: early } = await page(first, asked, 50);
    await page(first, asked, 50, early);
    await first.execute("UPDATE experiment SET trashed_at_ms = NULL WHERE id = $1", id);
    const rest: string[] = [];
    for (let { next } = await page(first, asked, 100); next !== undefined;) {
      const reply: TableReply = await page(first, asked, 50, next);
      rest.push(...idsOf(reply));
      next = reply.next;
    }
    assert.ok(rest.includes(id));
  });

  test("behind the end of an order comes what was written since", async () => {
    const asked = { sort: [{ field: "created" }] };
    const { total, next } = await page(first, asked, 50);
    const second = await page(first, asked, 50, next);
    const at = 4_000_000_000_000;
    const [{ id }] = await first.all<{ id: string }>(
      "SELECT id FROM experiment WHERE trashed_at_ms IS NULL ORDER BY created_at_ms, id LIMIT 1",
    );
    await first.execute("UPDATE experiment SET created_at_ms = $1 WHERE id = $2", at, id);
    const rest: string[] = [];
    for (let after = second.next; after !== undefined;) {
      const reply = await page(first, asked, 50, after);
      rest.push(...idsOf(reply));
      after = reply.next;
    }
    assert.equal(rest.at(-1), id);
    assert.equal(rest.length, total - 100 + 1);
  });

  async function stillFound(asked: Asked, shown: readonly string[]): Promise<string[]> {
    const found = new Set(idsOf(await page(first, asked, 1_000)));
    return shown.filter((id) => found.has(id));
  }

  let changes = 0;

  /** Writes one of several kinds of changes; gives whose. */
  async function change(kind: string, ids: readonly string[], of: number): Promise<string[]> {
    if (ids.length === 0) return [];
    if (kind === "restore") {
      const restored = await first.all<{ id: string }>(
        "SELECT id FROM experiment WHERE trashed_at_ms IS NOT NULL ORDER BY id LIMIT 1",
      );
      const back = restored.map(({ id }) => id);
      await first.execute(
        "UPDATE experiment SET trashed_at_ms = NULL WHERE id = $1",
        back[0] ?? "",
      );
      return back;
    }
    const some = [...new Set([0, 1, 2].map((more) => ids[(of * 17 + more * 31) % ids.length]))];
    for (const id of some) {
      changes++;
      if (kind === "metric")
        await first.execute(
          "UPDATE metric_summary SET min = $1 WHERE experiment = $2",
          changes % 9,
          id,
        );
      else if (kind === "meta")
        await first.execute(
          "UPDATE config_value SET text = $1, number = CASE WHEN number IS NULL THEN NULL ELSE 0.1 END WHERE experiment = $2",
          `word-${changes % 100}`,
          id,
        );
      else if (kind === "status")
        await first.execute(
          "UPDATE experiment SET status = CASE WHEN status = 'done' THEN 'running' ELSE 'done' END WHERE id = $1",
          id,
        );
      else if (kind === "trash" && changes % 5 === 0)
        await first.execute("UPDATE experiment SET trashed_at_ms = 1 WHERE id = $1", id);
    }
    return some;
  }
});

const walks = fc.record({
  sort: fc.constantFrom(...sorts),
  query: fc.constantFrom(...queries),
  limit: fc.integer({ min: 7, max: 90 }),
  steps: fc.array(
    fc.record({
      node: fc.constantFrom(0, 0, 0, 1),
      isForgotten: fc.constantFrom(false, false, false, true),
      change: fc.constantFrom("metric", "meta", "status", "trash", "restore", "nothing"),
      of: fc.nat(1_000),
    }),
    { minLength: 3, maxLength: 8 },
  ),
});
