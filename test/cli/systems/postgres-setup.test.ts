import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { Client } from "pg";
import { StandbyPair } from "../../failover/standby-pair.ts";
import { sharedPostgres } from "../../postgres.ts";
import { startPooler } from "../../transaction-pooler.ts";
import { run } from "../command-line.ts";
import { suiteDirectory } from "../../suite-service.ts";

/** Common set-up mistakes, and the words that say what to do about them. */
suite("a PostgreSQL that is set up wrong", () => {
  const role = `setup_${process.pid}`;
  const directory = suiteDirectory("setup");
  let admin: Client;
  /** A database that is the administrator's, as the user that owns nothing reaches it. */
  let foreign: string;
  /** One without anything in it. */
  let empty: string;
  before(async () => {
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
  });

  const ended = async (url: string, ...words: string[]) => {
    const { code, stdout, stderr } = await run("", ...words, "--database-url", url);
    return { code, told: stdout + stderr };
  };
  const serve = (url: string) =>
    ended(url, "serve", "--port", "0", "--data", join(directory, "data"));
  /** The service and a command end with 2 and a sentence; the doctor has the same as a problem. */
  const refused = async (url: string, words: RegExp) => {
    for (const { code, told } of [await serve(url), await ended(url, "verify")]) {
      assert.deepEqual([code, words.test(told)], [2, true], told);
      assert.doesNotMatch(told, /\n\s+at /);
    }
    await examined(url, words);
  };
  const examined = async (url: string, words: RegExp) => {
    const { code, told } = await ended(url, "doctor", "--data", join(directory, "none"));
    assert.equal(code, 1, told);
    // Each with what to do about it, on the line below.
    const problems = told.split(/^(?=\S)/m).filter((finding) => finding.startsWith("PROBLEM "));
    assert.ok(
      problems.some((finding) => words.test(finding)),
      told,
    );
  };
  const changed = (url: string, change: (url: URL) => void) => {
    const result = new URL(url);
    change(result);
    return result.href;
  };

  test("a user that may make no tables: exit 2, and what to grant; the doctor says it before", async () => {
    const { code, told } = await serve(foreign);
    assert.deepEqual([code, /GRANT USAGE, CREATE ON SCHEMA public/.test(told)], [2, true], told);
    assert.doesNotMatch(told, /\n\s+at /);
    await examined(foreign, /GRANT USAGE, CREATE ON SCHEMA public/);
  });

  test("a search_path without a schema: exit 2, and what to set", async () => {
    await admin.query(`ALTER ROLE ${role} SET search_path = nowhere`);
    const { code, told } = await serve(foreign);
    await examined(foreign, /SET search_path/);
    await admin.query(`ALTER ROLE ${role} RESET search_path`);
    assert.deepEqual([code, /SET search_path/.test(told)], [2, true], told);
  });

  test("a database that is not in UTF8: exit 2, and how to make one", async () => {
    const name = `latin_${process.pid}`;
    await admin.query(
      `CREATE DATABASE ${name} ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    await refused(
      changed(empty, (url) => (url.pathname = `/${name}`)),
      /ENCODING UTF8/,
    );
    await admin.query(`DROP DATABASE ${name}`);
  });

  test("a database or a role that is not there, or may not connect", async () => {
    await refused(
      changed(empty, (url) => (url.pathname = "/nowhere")),
      /"nowhere".*CREATE DATABASE/,
    );
    await refused(
      changed(empty, (url) => (url.username = "nobody")),
      /"nobody".*CREATE ROLE/,
    );
    const name = `closed_${process.pid}`;
    await admin.query(`CREATE DATABASE ${name}`);
    await admin.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
    await refused(
      changed(foreign, (url) => (url.pathname = `/${name}`)),
      /GRANT CONNECT/,
    );
    await admin.query(`DROP DATABASE ${name}`);
  });

  test("a server that speaks no TLS where it is asked for, and a file of it that is not there", async () => {
    await refused(`${empty}?sslmode=verify-full`, /does not support SSL.*sslmode=disable/);
    const { code, told } = await serve(`${empty}?sslrootcert=/nowhere/ca.pem`);
    assert.deepEqual([code, /sslrootcert that cannot be read/.test(told)], [2, true], told);
  });

  test("parameters that the server does not know", async () => {
    await refused(`${empty}?options=-c%20nosuch=1`, /"nosuch".*parameters of --database-url/);
  });

  test("too many connections are temporary: exit 6, and max_connections", async () => {
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    const { code, told } = await serve(foreign);
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    assert.deepEqual([code, /max_connections/.test(told)], [6, true], told);
  });

  test("a server that is too old", async () => {
    const name = `old_${process.pid}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = changed(empty, (one) => (one.pathname = `/${name}`));
    const client = new Client({ connectionString: url });
    await client.connect();
    // It says the version of another server.
    await client.query(
      `CREATE SCHEMA old CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT
         CASE $1 WHEN 'server_version_num' THEN '130022' WHEN 'server_version' THEN '13.22'
         ELSE pg_catalog.current_setting($1) END $$`.replace(
        " CREATE FUNCTION",
        "; CREATE FUNCTION",
      ),
    );
    await client.query(`ALTER DATABASE ${name} SET search_path = old, pg_catalog`);
    await client.end();
    await refused(url, /version 13\.22: upgrade it to 14/);
    await admin.query(`DROP DATABASE ${name}`);
  });

  test("a standby, or sessions that may not write: the primary is asked for", async () => {
    await using pair = await StandbyPair.start();
    const alone = `postgres://lossless@127.0.0.1:${pair.standbyPort}/postgres`;
    await refused(alone, /is a standby.*name the primary/);
    const { code, told } = await serve(`${alone}?target_session_attrs=any`);
    assert.deepEqual([code, /accepts no writes/.test(told)], [2, true], told);
    await admin.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    await admin.query(`GRANT CREATE ON SCHEMA public TO ${role}`);
    const readOnly = await serve(foreign);
    await refused(
      `${foreign}?target_session_attrs=read-write`,
      /accepts no writes.*name the primary/,
    );
    await admin.query(`ALTER ROLE ${role} RESET default_transaction_read_only`);
    await admin.query(`REVOKE CREATE ON SCHEMA public FROM ${role}`);
    assert.deepEqual(
      [readOnly.code, /default_transaction_read_only/.test(readOnly.told)],
      [2, true],
      readOnly.told,
    );
  });

  test("another program's database: no table is made", async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const client = new Client({ connectionString: url });
    await client.connect();
    const tables = async () => (await client.query("SELECT relname FROM pg_class")).rowCount;
    await client.query(
      "CREATE TABLE experiments (id integer); CREATE VIEW runs AS SELECT 1 AS one",
    );
    const found = await tables();
    await refused(url, /another program \(experiments, runs\)/);
    // Named like ours, and of another form; then of the same, with nothing of ours in it.
    await client.query("CREATE TABLE installation (id integer)");
    await refused(url, /another program/);
    await client.query(
      "DROP TABLE installation; CREATE TABLE installation (name text, value text)",
    );
    await refused(url, /another program/);
    await client.query("DROP TABLE installation");
    assert.equal(await tables(), found);
    // A schema of its own is a way out, and one before that of the installation would hide it.
    const lossless = `${url}?options=-c%20search_path%3Dlossless`;
    await client.query("CREATE SCHEMA lossless");
    assert.match((await ended(lossless, "verify")).told, /has no installation/);
    await client.query(
      "CREATE TABLE lossless.installation (name text, value text); INSERT INTO lossless.installation VALUES ('format', '1')",
    );
    await client.query("CREATE SCHEMA first");
    await refused(`${url}?options=-c%20search_path%3Dfirst,lossless`, /search_path = lossless/);
    await client.end();
  });

  for (const [what, pooler] of [
    ["in transaction mode", { order: "last" }],
    ["in transaction mode, sessions in turn", { order: "turn" }],
    ["in statement mode", { mode: "statement" }],
  ] as const) {
    test(`a pooler ${what}: exit 2, and the mode that it has to have`, async () => {
      const { port } = new URL(empty);
      await using running = await startPooler({ port: Number(port), ...pooler });
      await refused(
        changed(empty, (url) => (url.port = String(running.port))),
        /pool_mode = session/,
      );
    });
  }
});
