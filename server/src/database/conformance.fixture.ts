import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TextExpression } from "@lossless/protocol/text-expression";
import { escapedForLike, LikePattern } from "../ground/like-pattern.ts";
import {
  DatabaseError,
  type Database,
  type Reader,
  type Transaction,
  type Value,
} from "./database.ts";

/** Tests of every driver of `Database`. `open` returns one more object on one new database. */
export function databaseConformance(open: () => Promise<Database>): void {
  let database: Database;
  before(async () => {
    database = await open();
    await database.write(createTables);
  });
  after(() => database[Symbol.asyncDispose]());
  const use = () => database;
  describe("values", () => valueRules(use));
  describe("transactions", () => transactionRules(use, open));
  describe("failures", () => failureRules(use));
}

async function createTables(transaction: Transaction): Promise<void> {
  const isSqlite = transaction.dialect === "sqlite";
  const strict = isSqlite ? "STRICT" : "";
  const text = isSqlite ? "TEXT" : 'text COLLATE "C"';
  const [integer, blob] = isSqlite ? ["INTEGER", "BLOB"] : ["bigint", "bytea"];
  await transaction.run(
    `CREATE TABLE item (name ${text} PRIMARY KEY, amount ${integer}, content ${blob}) ${strict}`,
  );
  await transaction.run(
    `CREATE TABLE part (item ${text} NOT NULL REFERENCES item (name), amount ${integer} NOT NULL) ${strict}`,
  );
}

const insert = "INSERT INTO item (name, amount, content) VALUES ($1, $2, $3)";

function names(database: Database, like: string): Promise<string[]> {
  return database.read(async (reader) => {
    const rows = await reader.all<{ name: string }>(
      "SELECT name FROM item WHERE substr(name, 1, $2) = $1 ORDER BY name",
      like,
      like.length,
    );
    return rows.map((row) => row.name);
  });
}

function valueRules(use: () => Database): void {
  test("integers up to 2^53 - 1, text and blobs come back as they were", async () => {
    const content = Uint8Array.from({ length: 256 }, (_, index) => index);
    const amounts = [0, 1, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)];
    for (const amount of amounts) {
      await use().write((transaction) => transaction.run(insert, `v${amount}`, amount, content));
      const row = await use().read((reader) =>
        reader.get("SELECT name, amount, content FROM item WHERE name = $1", `v${amount}`),
      );
      assert.deepEqual({ ...(row as object) }, { name: `v${amount}`, amount, content });
    }
  });

  test("NULL, the empty string and the empty blob are three things", async () => {
    await use().write(async (transaction) => {
      await transaction.run(insert, "", null, new Uint8Array(0));
      await transaction.run(insert, "null", null, null);
    });
    const rows = await use().read((reader) =>
      reader.all<object>(
        "SELECT name, amount, content FROM item WHERE name IN ('', 'null') ORDER BY name",
      ),
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { name: "", amount: null, content: new Uint8Array(0) },
        { name: "null", amount: null, content: null },
      ],
    );
  });

  test("a blob owns its buffer, so that it can be transferred, whatever its size", async () => {
    for (const size of [1, 100, 10_000, 5_000_000]) {
      const content = new Uint8Array(size).fill(171);
      await use().write((transaction) => transaction.run(insert, `blob${size}`, null, content));
      const row = await use().read((reader) =>
        reader.get<{ content: Uint8Array }>(
          "SELECT content FROM item WHERE name = $1",
          `blob${size}`,
        ),
      );
      assert.deepEqual(row?.content, content);
      assert.equal(row?.content.buffer.byteLength, size);
    }
  });

  test("a view on a part of a buffer is stored as that part", async () => {
    const view = Uint8Array.from([9, 1, 2, 3, 9]).subarray(1, 4);
    await use().write((transaction) => transaction.run(insert, "view", null, view));
    const row = await use().read((reader) =>
      reader.get<{ content: Uint8Array }>("SELECT content FROM item WHERE name = 'view'"),
    );
    assert.deepEqual(row?.content, Uint8Array.from([1, 2, 3]));
  });

  test("text sorts by its bytes: upper case first, an emoji after every letter of the first plane", async () => {
    const sorted = ["sort-A", "sort-Z", "sort-_", "sort-a", "sort-é", "sort-\uffee", "sort-😀"];
    await use().write(async (transaction) => {
      for (const name of sorted.toReversed()) await transaction.run(insert, name, 0, null);
    });
    assert.deepEqual(await names(use(), "sort-"), sorted);
  });

  test("text is compared by its bytes: no case folding, no normalisation, no trimming", async () => {
    const distinct = ["eq-é", "eq-e\u0301", "eq-É", "eq-e", "eq-e "];
    await use().write(async (transaction) => {
      for (const name of distinct) await transaction.run(insert, name, 0, null);
    });
    for (const name of distinct) {
      const rows = await use().read((reader) =>
        reader.all<{ name: string }>("SELECT name FROM item WHERE name = $1", name),
      );
      assert.deepEqual(
        rows.map((row) => row.name),
        [name],
      );
    }
  });

  test("isOneOf finds the rows of a JSON array of strings, also of an empty one", async () => {
    await use().write(async (transaction) => {
      for (const name of ["one-1", 'one-"2"', "one-3'"])
        await transaction.run(insert, name, 0, null);
    });
    const find = (wanted: string[]) =>
      use().read(async (reader) => {
        const sql = `SELECT name FROM item WHERE ${reader.isOneOf("name", "$1")} ORDER BY name`;
        const rows = await reader.all<{ name: string }>(sql, JSON.stringify(wanted));
        return rows.map((row) => row.name);
      });
    assert.deepEqual(await find(['one-"2"', "one-3'", "absent"]), ['one-"2"', "one-3'"]);
    assert.deepEqual(await find([]), []);
  });

  test("isOneOfBytes finds the rows of bytes in hexadecimal digits", async () => {
    const stored = ["00ff", "", "a0"].map((digits) => Buffer.from(digits, "hex"));
    await use().write(async (transaction) => {
      for (const [at, bytes] of stored.entries())
        await transaction.run(insert, `bytes-${at}`, 0, bytes);
    });
    const find = (wanted: string[]) =>
      use().read(async (reader) => {
        const sql = `SELECT name FROM item WHERE ${reader.isOneOfBytes("content", "$1")} ORDER BY name`;
        const rows = await reader.all<{ name: string }>(sql, JSON.stringify(wanted));
        return rows.map((row) => row.name);
      });
    assert.deepEqual(await find(["00FF", "a0", "ff00"]), ["bytes-0", "bytes-2"]);
    assert.deepEqual(await find([]), []);
  });

  test("listed gives the strings of a JSON array with their places", async () => {
    const rows = await use().read((reader) =>
      reader.all<object>(
        `SELECT position, value FROM ${reader.listed("$1")} ORDER BY position DESC`,
        JSON.stringify(['b"', "a"]),
      ),
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { position: 1, value: "a" },
        { position: 0, value: 'b"' },
      ],
    );
  });

  test("the database has a clock in milliseconds", async () => {
    const row = await use().read((reader) =>
      reader.get<{ now: number }>(`SELECT ${reader.nowMs} AS now`),
    );
    assert.ok(Number.isInteger(row!.now));
    assert.ok(Math.abs(row!.now - Date.now()) < 60_000, `${row!.now}`);
  });

  test("counts and sums are numbers; a parameter may stand twice and in any order", async () => {
    const row = await use().read((reader) =>
      reader.get<object>(
        `SELECT count(*) AS items, CAST(sum(amount) AS bigint) AS total
         FROM (SELECT amount FROM item WHERE amount = $2 OR amount = $1 OR amount = $2 LIMIT 1) AS one`,
        -1,
        2 ** 31,
      ),
    );
    assert.equal(typeof (row as { total: unknown }).total, "number");
    assert.equal((row as { items: unknown }).items, 1);
  });
}

function transactionRules(use: () => Database, open: () => Promise<Database>): void {
  test("run tells the number of changed rows, also of none; RETURNING gives the rows", async () => {
    await use().write(async (transaction) => {
      assert.equal(await transaction.run(insert, "run-1", 1, null), 1);
      assert.equal(
        await transaction.run(`${insert} ON CONFLICT (name) DO NOTHING`, "run-1", 2, null),
        0,
      );
      assert.equal(await transaction.run("UPDATE item SET amount = 3 WHERE name = 'absent'"), 0);
      const rows = await transaction.all<{ amount: number }>(
        "UPDATE item SET amount = amount + 1 WHERE name = 'run-1' RETURNING amount",
      );
      assert.deepEqual(
        rows.map((row) => row.amount),
        [2],
      );
    });
  });

  test("work that throws leaves nothing", async () => {
    const failing = use().write(async (transaction) => {
      await transaction.run(insert, "gone-1", 1, null);
      throw new Error("no");
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.deepEqual(await names(use(), "gone-"), []);
  });

  test("an attempt that throws is undone alone, nested ones too, and the transaction goes on", async () => {
    await use().write(async (transaction) => {
      await transaction.run(insert, "try-1", 1, null);
      const outer = transaction.attempt(async () => {
        await transaction.run(insert, "try-2", 1, null);
        await assert.rejects(transaction.attempt(() => transaction.run(insert, "try-1", 1, null)));
        await transaction.attempt(() => transaction.run(insert, "try-3", 1, null));
        throw new Error("undo both");
      });
      await assert.rejects(outer, /undo both/);
      await transaction.attempt(() => transaction.run(insert, "try-4", 1, null));
    });
    assert.deepEqual(await names(use(), "try-"), ["try-1", "try-4"]);
  });

  test("a pattern sees case, whatever signs it has and however long it is", async () => {
    const long = `${"a".repeat(40)}.b\\`;
    const texts = [
      "aB[c",
      "ab[c",
      "a*b",
      "a?b",
      "a\\b",
      "a%b",
      "😀x",
      "",
      "a\nb",
      `x${long}\ny`,
      long,
    ];
    const patterns = ["aB[%", "a_[c", "%*%", "a?_", "a\\\\%", "%\\_", "_x", "%", "a_b", "[", "%]%"];
    const longer = ["%@%", "@", "_@%", "%@_y", "%@.%", "x%@%"];
    patterns.push(...longer.map((one) => one.replace("@", escapedForLike(long))));
    await use().read(async (reader) => {
      for (const pattern of patterns) {
        const fitting = new LikePattern(pattern);
        for (const text of texts) {
          const values: Value[] = [text];
          const bind = (value: Value) => `$${values.push(value)}` as const;
          const isLike = reader.isLike("CAST($1 AS TEXT)", pattern, bind);
          const sql = `SELECT CASE WHEN ${isLike} THEN 1 ELSE 0 END AS found`;
          const { found } = (await reader.get<{ found: unknown }>(sql, ...values))!;
          assert.equal(Boolean(found), fitting.fits(text), `${text} LIKE ${pattern}`);
        }
      }
    });
  });

  test("a text contains what the language's regular expressions find in it", async () => {
    const texts = ["", "a", "ab\nc", "layer12/attn", "x{2}", "\\d.^$[]", "é😀", "a-b_c d", "\t9,5"];
    const expressions = [
      "^$",
      "^a?$",
      "b.c",
      "layer1[0-5]/attn",
      "x\\{2\\}",
      "[\\]\\[\\\\^.-]",
      "[^\\w\\s]",
      "é|[😀-😂]",
      "(?:a|b|){2,3}$",
      "\\s\\d,\\S",
      "(a+)+$",
      "[B-D]|Z",
      "^(^a|b$)",
      "(a?){255}$",
      "(?:a?b?){140}c",
      "(?:[^a]{17}){17}",
      "(?:a|b|cd){100}",
    ];
    await use().read(async (reader) => {
      for (const expression of expressions) {
        const own = TextExpression.parse(expression);
        for (const text of texts) {
          const values: Value[] = [text];
          const bind = (value: Value) => `$${values.push(value)}` as const;
          const contains = reader.contains("CAST($1 AS TEXT)", expression, bind);
          const sql = `SELECT CASE WHEN ${contains} THEN 1 ELSE 0 END AS found`;
          const { found } = (await reader.get<{ found: unknown }>(sql, ...values))!;
          assert.equal(Boolean(found), own.holds(text), `/${expression}/ in ${text}`);
        }
      }
    });
  });

  test("a read that takes longer than it may is ended, and those behind it are not", async () => {
    const rows = (reader: Reader, count: number) =>
      reader.get<{ passed: number }>(
        `WITH RECURSIVE n (rowid) AS (SELECT 1 UNION ALL SELECT rowid + 1 FROM n WHERE rowid < ${count})
         SELECT count(*) AS passed FROM n WHERE ${reader.inTime("n")}`,
      );
    const ended = use().read((reader) => rows(reader, 1e9), { statementMs: 20 });
    await assert.rejects(ended, { name: "DatabaseError", kind: "late" });
    const many = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000)
      SELECT i FROM n`;
    const given = use().read((reader) => reader.all(many), { statementMs: 20 });
    await assert.rejects(given, { kind: "late" });
    const swallowed = use().read((reader) => rows(reader, 1e9).catch(() => rows(reader, 1)), {
      statementMs: 20,
    });
    await assert.rejects(swallowed, { kind: "late" });
    const after = await use().read((reader) => rows(reader, 1_000));
    assert.equal(after?.passed, 1_000);
    const soon = use().read((reader) => rows(reader, 1_000), { statementMs: 60_000 });
    assert.equal((await soon)?.passed, 1_000);
  });

  test("letters of A to Z alone are lowered", async () => {
    const texts = ["aBZ", "ÉÄİßΣЖ", "\u212a", "😀 X_1"];
    await use().read(async (reader) => {
      for (const text of texts) {
        const sql = `SELECT ${reader.lowered("CAST($1 AS TEXT)")} AS lowered`;
        const { lowered } = (await reader.get<{ lowered: string }>(sql, text))!;
        assert.equal(
          lowered,
          text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
        );
      }
    });
  });

  test("a read sees one state while writes go on, and afterwards the new one", async () => {
    await using reading = await open();
    await use().write((transaction) => transaction.run(insert, "snap-1", 1, null));
    await reading.read(async (reader) => {
      const sql = "SELECT name FROM item WHERE name LIKE 'snap-%'";
      assert.equal((await reader.all(sql)).length, 1);
      await use().write((transaction) => transaction.run(insert, "snap-2", 1, null));
      assert.equal((await reader.all(sql)).length, 1);
    });
    assert.deepEqual(await names(reading, "snap-"), ["snap-1", "snap-2"]);
  });

  test("concurrent transactions on one object do not mix", async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        use()
          .write(async (transaction) => {
            await transaction.run(insert, `mix-${index}`, index, null);
            await new Promise(setImmediate);
            if (index % 2 === 1) throw new Error("odd");
          })
          .catch(() => undefined),
      ),
    );
    assert.equal((await names(use(), "mix-")).length, 10);
  });

  test("a statement after the end of its transaction is a bug, not a stray write", async () => {
    let leaked: Transaction | undefined;
    await use().write(async (transaction) => void (leaked = transaction));
    await assert.rejects(async () => leaked?.run(insert, "leak-1", 1, null), /BUG/);
    assert.deepEqual(await names(use(), "leak-"), []);
  });
}

function failureRules(use: () => Database): void {
  test("constraints are checked, and their errors are no failure of the database", async () => {
    const violations = [
      [insert, "dup", 1, null],
      ["INSERT INTO part (item, amount) VALUES ($1, $2)", "absent", 1],
      ["INSERT INTO part (item, amount) VALUES ($1, $2)", "dup", null],
    ] as const;
    await use().write((transaction) => transaction.run(insert, "dup", 1, null));
    for (const [sql, ...values] of violations) {
      await assert.rejects(
        use().write((transaction) => transaction.run(sql, ...values)),
        (error) => error instanceof Error && !(error instanceof DatabaseError),
      );
    }
  });

  test("a value of the wrong type is refused and not stored as it is", async () => {
    await assert.rejects(
      use().write((transaction) =>
        transaction.run("INSERT INTO item (name, amount) VALUES ('type-1', 'not a number')"),
      ),
    );
    await assert.rejects(
      use().write((transaction) => transaction.run(insert, "type-2", 1.5, null)),
    );
    assert.deepEqual(await names(use(), "type-"), []);
  });

  test("after a failed statement whose error was swallowed outside an attempt, nothing stays half", async () => {
    const swallowing = use().write(async (transaction) => {
      await transaction.run(insert, "half-1", 1, null);
      await transaction.run(insert, "half-1", 1, null).catch(() => undefined);
    });
    const outcome = await swallowing.then(
      () => "committed",
      () => "refused",
    );
    assert.deepEqual(await names(use(), "half-"), outcome === "committed" ? ["half-1"] : []);
  });
}
