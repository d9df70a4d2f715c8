import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readFields } from "./fields.ts";
import { FolderOrder, readFolderOrder } from "./folder-order.ts";
import { isLike } from "./like.ts";
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

test("what holds for a path holds for all below it", () => {
  fc.assert(
    fc.property(tree, fc.constantFrom("a", "a/b", "B", "*b", "a*", "none"), (rows, wanted) => {
      const order = new FolderOrder(rows);
      const above = (chain: string[]) => chain.map((_, at) => chain.slice(0, at + 1).join("/"));
      const idsOf = (holds: (path: string) => boolean) =>
        order.ids.filter((id) => above(chainOf(rows, id)).some(holds));
      const isWanted = (path: string) => path === wanted;
      const mayBe = (path: string) => wanted.startsWith(`${path}/`);
      assert.deepEqual(order.idsWhere(isWanted, mayBe), idsOf(isWanted));
      const isAlike = (path: string) => isLike(path, wanted);
      assert.deepEqual(
        order.idsWhere(isAlike, () => true),
        idsOf(isAlike),
      );
    }),
  );
});

test("no text is a place unless it is a list of names", () => {
  const order = new FolderOrder([{ id: "f", parent: null, name: "a" }]);
  for (const text of ["", "x", "{}", "[1]", "null"]) assert.equal(order.read(text), undefined);
});

onEachDatabase(({ node }) => {
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
        }
      }
    });
  }

  test("no statement carries the paths of many deep folders", async () => {
    await fill();
    const texts: string[] = [];
    const nowMs = 0;
    const path = `${longName}00000/${longName}00001`;
    const rows = await filled.database.read(async (reader) => {
      const watched = new Proxy(reader, {
        get(target, name) {
          if (name === "composed" || name === "all") {
            return (sql: string, ...values: never[]) => {
              texts.push(sql);
              return reader[name](sql, ...values);
            };
          }
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      const found: Record<string, unknown>[] = [];
      for (const body of [
        { query: `folder = "${path}"`, columns: ["folder"] },
        { query: 'folder ~ "*00001"', columns: [] },
        { sort: [{ field: "folder", descending: true }], columns: ["folder"] },
      ]) {
        const text = new ReplyText();
        const input = { organizationId: "org", body: { limit: 2, ...body } };
        await readTable(watched, input, text, { nowMs });
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

  test("a page goes on behind a folder that was deleted meanwhile", async () => {
    const read = (after?: string) =>
      filled.database.read(async (reader) => {
        const text = new ReplyText();
        const body = {
          limit: 1,
          sort: [{ field: "folder" }],
          ...(after !== undefined && { after }),
        };
        await readTable(reader, { organizationId: "org", body }, text, { nowMs: 0 });
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
