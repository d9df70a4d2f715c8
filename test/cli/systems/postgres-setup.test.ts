import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { Client } from "pg";
import { sharedPostgres } from "../../postgres.ts";
import { run } from "../command-line.ts";

/** What people set up wrong, with words that say what to do about it. */
suite("a PostgreSQL that is set up wrong", () => {
  const role = `setup_${process.pid}`;
  let directory: string;
  let admin: Client;
  /** A database that is the administrator's, as the user that owns nothing reaches it. */
  let foreign: string;
  /** One without anything in it. */
  let empty: string;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "lossless-setup-"));
    const postgres = await sharedPostgres();
    empty = await postgres.createDatabase();
    const owned = new URL(await postgres.createDatabase());
    admin = new Client({ connectionString: owned.href });
    await admin.connect();
    await admin.query(`CREATE ROLE ${role} LOGIN`);
    await admin.query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    owned.username = role;
    foreign = owned.href;
  });
  after(async () => {
    await admin?.query(`DROP OWNED BY ${role}`);
    await admin?.query(`DROP ROLE ${role}`);
    await admin?.end();
    rmSync(directory, { recursive: true });
  });

  const ended = async (url: string, ...words: string[]) => {
    const { code, stdout, stderr } = await run("", ...words, "--database-url", url);
    return { code, told: stdout + stderr };
  };
  const serve = (url: string) =>
    ended(url, "serve", "--port", "0", "--data", join(directory, "data"));

  test("a user that may make no tables: exit 2, and what to grant", async () => {
    const { code, told } = await serve(foreign);
    assert.deepEqual([code, /GRANT USAGE, CREATE ON SCHEMA public/.test(told)], [2, true], told);
    assert.doesNotMatch(told, /\n\s+at /);
  });

  test("a search_path without a schema: exit 2, and what to set", async () => {
    await admin.query(`ALTER ROLE ${role} SET search_path = nowhere`);
    const { code, told } = await serve(foreign);
    await admin.query(`ALTER ROLE ${role} RESET search_path`);
    assert.deepEqual([code, /SET search_path/.test(told)], [2, true], told);
  });

  test("a database that is not in UTF8: exit 2, and how to make one", async () => {
    const name = `latin_${process.pid}`;
    await admin.query(
      `CREATE DATABASE ${name} ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    const url = new URL(empty);
    url.pathname = `/${name}`;
    const { code, told } = await serve(url.href);
    await admin.query(`DROP DATABASE ${name}`);
    assert.deepEqual([code, /ENCODING UTF8/.test(told)], [2, true], told);
  });

  for (const words of [["verify"], ["people", "list"], ["keys", "list"]]) {
    test(`lossless ${words.join(" ")} of a database without an installation: exit 2`, async () => {
      const { code, told } = await ended(empty, ...words);
      assert.deepEqual([code, /holds no installation of Lossless/.test(told)], [2, true], told);
      assert.doesNotMatch(told, /\n\s+at /);
    });
  }
});
