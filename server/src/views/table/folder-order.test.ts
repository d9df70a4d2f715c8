import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { watchedReader } from "../../database/watched-reader.fixture.ts";
import { KeptOrders } from "../../ground/kept-orders.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readFields } from "./fields.ts";
import { FolderOrder, readFolderOrder } from "./folder-order.ts";
import { TextPattern } from "../../ground/text-pattern.ts";
import { readTable } from "./table.ts";

const names = ["a", "a-b", "b", "B", "é", "a/b"];
const tree = fc
  .array(fc.record({ above: fc.nat(), name: fc.constantFrom(...names) }), { maxLength: 20 })
  .map((drawn) => {
    const rows: { id: string; parent: string | null; name: string }[] = [];
    for (const { above, name } of drawn) {
      const parent = above % (rows.length + 1);
      const row = { id: `f${rows.length}`, parent: rows[parent]?.id ?? null, name };
      const isTaken = rows.some((one) => one.parent === row.parent && one.name === name);
      if (!isTaken) rows.push(row);
    }
    return rows.toSorted((left, right) => compare(left.name, right.name));
  });

test("each folder stands before those below it, siblings bytewise by name", () => {
  fc.assert(
    fc.property(tree, (rows) => {
      const order = new FolderOrder(rows);
      const chains = order.ids.map((id) => chainOf(rows, id));
      const expected = rows.map(({ id }) => chainOf(rows, id)).toSorted(compareChains);
      assert.deepEqual(chains, expected);
      for (const [position, id] of order.ids.entries()) {
        assert.equal(order.pathOf(id), chains[position].join("/"));
        assert.equal(order.read(order.write(position)), position);
      }
    }),
  );
});

test("a folder that is gone still has its place between two others", () => {
  fc.assert(
    fc.property(tree, fc.nat(), (rows, at) => {
      const before = new FolderOrder(rows);
      const leaves = rows.filter(({ id }) => rows.every(({ parent }) => parent !== id));
      if (leaves.length === 0) return;
      const { id: gone } = leaves[at % leaves.length];
      const position = before.ids.indexOf(gone);
      const after = new FolderOrder(rows.filter(({ id }) => id !== gone));
      const place = after.read(before.write(position))!;
      assert.ok(!Number.isInteger(place));
      for (const [index, id] of after.ids.entries())
        assert.equal(index < place, before.ids.indexOf(id) < position);
    }),
  );
});

test("a folder fits by its path, or by that of one above it", async () => {
  const patterns = fc.oneof(
    fc.constantFrom("a", "a/b", "B", "*b", "a*", "a*a/b", "none").map(TextPattern.like),
    fc.constantFrom("a", "a/b", "a/b/a/b", "none").map(TextPattern.exactly),
  );
  await fc.assert(
    fc.asyncProperty(tree, patterns, async (rows, pattern) => {
      const order = new FolderOrder(rows);
      const fits = (chain: string[]) => pattern.fits(pattern.after(0, chain.join("/")));
      const above = (chain: string[]) => chain.map((_, at) => chain.slice(0, at + 1));
      const chains = order.ids.map((id) => chainOf(rows, id));
      const alone = await order.fitting(pattern, false);
      assert.deepEqual(
        [...alone],
        chains.map((chain) => Number(fits(chain))),
      );
      const below = await order.fitting(pattern, true);
      assert.deepEqual(
        [...below],
        chains.map((chain) => Number(above(chain).some(fits))),
      );
    }),
  );
});

test("others run while a pattern is compared with the names of many folders", async () => {
  const name = "n".repeat(limits.folderNameCharactersMax);
  const rows = Array.from({ length: 20_000 }, (_, number) => {
    return { id: String(number), parent: null, name: name + number };
  });
  const order = new FolderOrder(rows);
  let [turns, isOver] = [0, false];
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await order.fitting(TextPattern.like("*none*"), true);
  isOver = true;
  assert.ok(turns > 5, `${turns} turns`);
});

test("no text is a place unless it is a list of names", () => {
  const order = new FolderOrder([{ id: "f", parent: null, name: "a" }]);
  for (const text of ["", "x", "{}", "[1]", "null"]) assert.equal(order.read(text), undefined);
});

onEachDatabase(({ node }) => {
  const orders = new KeptOrders(0);
  const filled = node();
  const longName = "n".repeat(limits.folderNameCharactersMax - 5);

  /** 3,200 folders, a hundred chains as deep as may be; each has an experiment. */
  async function fill(): Promise<void> {
    const text = (number: number) => String(number).padStart(5, "0");
    await filled.database.write(async (transaction) => {
      await transaction.run(
        "INSERT INTO organization (id, name, created_at_ms) VALUES ('org', 'org', 0)",
      );
      for (let chain = 0; chain < 100; chain++) {
        for (let depth = 0; depth < limits.folderDepthMax; depth++) {
          const id = text(chain * limits.folderDepthMax + depth);
          const parent = depth === 0 ? null : text(Number(id) - 1);
          await transaction.run(
            "INSERT INTO folder (id, organization, parent, name, created_at_ms) VALUES ($1, 'org', $2, $3, 0)",
            id,
            parent,
            longName + id,
          );
          await transaction.run(
            `INSERT INTO experiment (id, organization, slug, description, meta, folder, status, created_at_ms, updated_at_ms, status_at_ms)
             VALUES ($1, 'org', $1, '', '{}', $1, 'done', 0, 0, 0)`,
            id,
          );
          await transaction.run(
            `INSERT INTO head (experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision, appended_at_ms)
             VALUES ($1, 0, 0, 0, 0, 0, 1, 0)`,
            id,
          );
          await transaction.run(
            `INSERT INTO summarized (experiment, counted, folded_seq, folded_points, folded_at_ms, meta_version, indexed_version)
             VALUES ($1, 1, 0, 0, 0, 1, 1)`,
            id,
          );
        }
      }
      await transaction.run(
        `INSERT INTO stored_amount (organization, writer, bytes, experiments, partitions, uploads)
         SELECT 'org', 0, 0, count(*), 0, 0 FROM experiment WHERE organization = 'org'`,
      );
    });
  }

  test("no statement carries the paths of many deep folders", async () => {
    await fill();
    const texts: string[] = [];
    const nowMs = 0;
    const path = `${longName}00000/${longName}00001`;
    const rows = await filled.database.read(async (reader) => {
      const watched = watchedReader(reader, { onStatement: (sql) => texts.push(sql) });
      const found: Record<string, unknown>[] = [];
      for (const body of [
        { query: `folder = "${path}"`, columns: ["folder"] },
        { query: 'folder ~ "*00001"', columns: [] },
        { sort: [{ field: "folder", descending: true }], columns: ["folder"] },
      ]) {
        const text = new ReplyText();
        const input = { organizationId: "org", body: { limit: 2, ...body } };
        await readTable(watched, input, text, { nowMs, orders });
        found.push(JSON.parse(text.end().toString()) as Record<string, unknown>);
      }
      const text = new ReplyText();
      const body = { field: "folder", text: "00031", limit: 1 };
      await readFields(watched, { organizationId: "org", body }, text);
      found.push(JSON.parse(text.end().toString()) as Record<string, unknown>);
      return found;
    });
    const [equal, alike, sorted, values] = rows;
    assert.deepEqual([equal["total"], alike["total"], sorted["total"]], [31, 31, 3_200]);
    assert.deepEqual(slugsOf(sorted), ["03199", "03198"]);
    const [first] = equal["rows"] as { values: string[] }[];
    assert.ok(first.values[0].startsWith(path));
    const [{ value }] = values["values"] as { value: string }[];
    assert.equal(value.split("/").length, limits.folderDepthMax);
    const joining = texts.filter((sql) => sql.includes("'/'"));
    assert.deepEqual(joining, []);
  });

  test("tests that each find all folders carry these once", async () => {
    const letters = longName.slice(0, 24).split("");
    const tests = letters.map((letter, at) => `folder ~ ${letter.repeat(at + 1)}`);
    let carried = 0;
    const total = await filled.database.read(async (reader) => {
      const watched = watchedReader(reader, {
        onStatement: (_, values) => (carried = Math.max(carried, values.join("").length)),
      });
      const text = new ReplyText();
      const body = { query: tests.join(" "), limit: 1 };
      await readTable(watched, { organizationId: "org", body }, text, { nowMs: 0, orders });
      return (JSON.parse(text.end().toString()) as { total: number }).total;
    });
    assert.equal(total, 3_200);
    assert.ok(carried < 3_200 * 20, `${carried} characters in one statement`);
  });

  test("a page goes on behind a folder that was deleted meanwhile", async () => {
    const read = (after?: string) =>
      filled.database.read(async (reader) => {
        const text = new ReplyText();
        const body = {
          limit: 1,
          sort: [{ field: "folder" }],
          ...(after !== undefined && { after }),
        };
        await readTable(reader, { organizationId: "org", body }, text, { nowMs: 0, orders });
        return JSON.parse(text.end().toString()) as { rows: { slug: string }[]; next: string };
      });
    let page = await read();
    for (let at = 1; at < limits.folderDepthMax; at++) page = await read(page.next);
    assert.equal(page.rows[0].slug, "00031");
    await filled.database.write(async (transaction) => {
      await transaction.run("UPDATE experiment SET folder = NULL WHERE id = '00031'");
      await transaction.run("DELETE FROM folder WHERE id = '00031'");
    });
    const order = await filled.database.read((reader) => readFolderOrder(reader, "org"));
    assert.equal(order.ids.length, 3_199);
    assert.equal((await read(page.next)).rows[0].slug, "00032");
  });
});

function slugsOf(reply: Record<string, unknown>): string[] {
  return (reply["rows"] as { slug: string }[]).map(({ slug }) => slug);
}

function chainOf(rows: { id: string; parent: string | null; name: string }[], id: string) {
  const chain: string[] = [];
  for (let row = rows.find((one) => one.id === id); row !== undefined;) {
    chain.unshift(row.name);
    const { parent } = row;
    row = rows.find((one) => one.id === parent);
  }
  return chain;
}

function compareChains(left: string[], right: string[]): number {
  const at = left.findIndex((name, depth) => name !== right[depth]);
  if (at < 0) return left.length - right.length;
  return right[at] === undefined ? 1 : compare(left[at], right[at]);
}

function compare(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
