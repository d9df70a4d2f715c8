import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePostgresUrl, PostgresUrlError } from "./postgres-url.ts";
import { type PostgresTls, postgresTls } from "./postgres-tls.ts";

/** Returns the TLS settings of a URL, beside the variables that PostgreSQL's own clients read. */
function tlsOf(search: string, environment: Record<string, string> = {}): PostgresTls {
  return postgresTls(new Map(new URLSearchParams(search)), environment);
}

test("a mode means what it means to PostgreSQL's own clients", () => {
  const verified = { rejectUnauthorized: true };
  const encrypted = { rejectUnauthorized: false };
  const expected: [string, PostgresTls["ssl"]][] = [
    ["", false],
    ["sslmode=disable", false],
    ["sslmode=require", encrypted],
    ["sslmode=require&uselibpqcompat=true", encrypted],
    ["ssl=true", encrypted],
    ["sslmode=no-verify", encrypted],
    ["sslmode=verify-full", verified],
    ["sslmode=verify-full&sslrootcert=system", verified],
    ["sslrootcert=system", verified],
  ];
  for (const [search, ssl] of expected) assert.deepEqual(tlsOf(search), { ssl }, search);
  assert.deepEqual(tlsOf("sslmode=require&sslnegotiation=direct").sslnegotiation, "direct");
});

test("PGSSLMODE counts where the URL names no mode", () => {
  assert.deepEqual(tlsOf("", { PGSSLMODE: "require" }), { ssl: { rejectUnauthorized: false } });
  assert.deepEqual(tlsOf("sslmode=disable", { PGSSLMODE: "require" }), { ssl: false });
  assert.deepEqual(tlsOf("sslmode=verify-full", { PGSSLROOTCERT: "system" }), {
    ssl: { rejectUnauthorized: true },
  });
  assert.throws(() => tlsOf("", { PGSSLMODE: "prefer" }), /does not know PGSSLMODE=prefer/);
  // A file for psql alone encrypts nothing by itself.
  assert.deepEqual(tlsOf("", { PGSSLROOTCERT: "system" }), { ssl: false });
});

test("what cannot be meant is refused by a rule, without the text of the URL", () => {
  const refused: [string, RegExp][] = [
    ["sslmode=prefer", /sslmode=prefer, which continues without encryption/],
    ["sslmode=allow", /sslmode=allow, which continues without encryption/],
    ["sslmode=hunter22", /knows sslmode disable, require, no-verify, verify-ca, verify-full only/],
    ["sslmode=", /knows sslmode/],
    ["ssl=0", /accepts only ssl=true/],
    ["sslmode=verify-full&sslcrl=/nowhere/crl.pem", /does not know the parameter sslcrl$/],
    ["sslmode=verify-ca", /needs sslrootcert=FILE/],
    ["sslmode=require&sslrootcert=system", /needs sslmode=verify-full for sslrootcert=system/],
    ["sslmode=verify-full&sslrootcert=/nowhere/ca.pem", /sslrootcert that cannot be read: ENOENT/],
    [`sslmode=verify-full&sslrootcert=${import.meta.filename}`, /cannot be used/],
    ["sslmode=require&sslcert=a", /both sslcert and sslkey/],
    ["sslmode=require&sslnegotiation=hunter22", /sslnegotiation postgres, direct only/],
    ["sslnegotiation=direct", /needs sslmode=require or stronger/],
  ];
  for (const [search, rule] of refused) {
    assert.throws(
      () => parsePostgresUrl(`postgres://u:hunter22@h/name?${search}`),
      (error) => {
        assert.ok(error instanceof PostgresUrlError, search);
        assert.match(error.message, rule);
        assert.doesNotMatch(error.message, /hunter/);
        return true;
      },
    );
  }
});

test("the client gets none of these parameters, and a socket of this machine has no TLS", () => {
  const given = "postgres://a,b/name?sslmode=require&x=1&uselibpqcompat=true&ssl=true";
  const { servers } = parsePostgresUrl(given);
  const ssl = { rejectUnauthorized: false };
  assert.deepEqual(
    servers.map(({ url, tls }) => [url, tls]),
    [
      ["postgres://a/name?x=1", { ssl }],
      ["postgres://b/name?x=1", { ssl }],
    ],
  );
  for (const socket of ["postgres://%2Frun/name?x=1", "postgres:///name?host=/run"]) {
    const { tls, url } = parsePostgresUrl(`${socket}&sslmode=require`).servers[0];
    assert.deepEqual([url, tls], [socket, { ssl: false }]);
  }
});
