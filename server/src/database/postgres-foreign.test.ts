import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { freePort } from "../../../test/free-port.ts";
import { sharedPostgres } from "../../../test/postgres.ts";
import { ForeignPostgres } from "./postgres-foreign.ts";

test("it is read and never written, whatever its address says, and a refusal is told", async () => {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query("CREATE TABLE numbers AS SELECT 9007199254740993 AS big, NULL AS nothing");
  await owner.query("CREATE TABLE secrets (word text)");
  await owner.query("CREATE ROLE stranger LOGIN");
  await owner.query("GRANT SELECT ON numbers TO stranger");
  try {
    for (const search of ["", "?options=-csearch_path%3Dpublic"]) {
      await using found = new ForeignPostgres(url + search);
      const rows = await found.rows("SELECT * FROM numbers WHERE big::text LIKE $1", ["90%"]);
      assert.deepEqual(rows, [{ big: "9007199254740993", nothing: null }]);
      await assert.rejects(
        found.rows("INSERT INTO secrets VALUES ($1)", ["a"]),
        /^DatabaseError: cannot execute INSERT in a read-only transaction$/,
      );
      // The connection is of use still.
      assert.equal((await found.rows("SELECT 1 AS one", [])).length, 1);
    }
    const dead = `127.0.0.1:${await freePort()}`;
    const { host, pathname } = new URL(url);
    await using second = new ForeignPostgres(`postgres://stranger:pass@${dead},${host}${pathname}`);
    assert.equal(second.name, `PostgreSQL at ${dead},${host}${pathname}`);
    assert.equal((await second.rows("SELECT * FROM numbers", [])).length, 1);
    await assert.rejects(
      second.rows("SELECT * FROM secrets", []),
      /^DatabaseError: permission denied for table secrets$/,
    );
  } finally {
    await owner.query("DROP OWNED BY stranger; DROP ROLE stranger");
    await owner.end();
  }
});
