import assert from "node:assert/strict";
import { test } from "node:test";
import { describePostgresUrl, parsePostgresUrl, PostgresUrlError } from "./postgres-url.ts";

const urls = (text: string): string[] => parsePostgresUrl(text).servers.map(({ url }) => url);
const addresses = (text: string): string[] =>
  parsePostgresUrl(text).servers.map(({ address }) => address);

test("one address stays as it is, to the letter", () => {
  const kept = [
    "postgres://u:p%40%2C@host:5433/name?application_name=a%20b",
    "postgresql://host/name",
    "postgres:///name?host=/var/run/postgresql",
    "postgres://%2Fvar%2Frun%2Fpostgresql/name",
    "postgres://u:a,b@[::1]:5433/name",
    "postgres://x",
  ];
  for (const url of kept) assert.deepEqual(urls(url), [url]);
});

test("several addresses become a URL each, with the credentials, the name and the other parameters", () => {
  assert.deepEqual(urls("postgres://u:p,w@a:5432,b,[::1]:5433/name?y=%20&x=1"), [
    "postgres://u:p,w@a:5432/name?y=%20&x=1",
    "postgres://u:p,w@b/name?y=%20&x=1",
    "postgres://u:p,w@[::1]:5433/name?y=%20&x=1",
  ]);
  assert.deepEqual(addresses("postgres://u:p@a:5433,b,[::1]/name"), [
    "a:5433",
    "b:5432",
    "[::1]:5432",
  ]);
  assert.equal(
    describePostgresUrl("postgres://u:hunter22@a,b:5433/name?x=1"),
    "a:5432,b:5433/name",
  );
});

test("target_session_attrs is taken out; without it several have to take writes, one to be no standby", () => {
  const attribute = (text: string): string => parsePostgresUrl(text).attribute;
  assert.equal(attribute("postgres://a/name"), "primary");
  assert.equal(attribute("postgres://a,b/name"), "read-write");
  for (const one of ["read-write", "primary", "any"]) {
    assert.equal(attribute(`postgres://a/name?target_session_attrs=${one}`), one);
    assert.equal(attribute(`postgres://a,b/name?x=1&target_session_attrs=${one}`), one);
  }
  assert.deepEqual(urls("postgres://a/name?target_session_attrs=any&x=1"), [
    "postgres://a/name?x=1",
  ]);
  assert.deepEqual(urls("postgres://a/name?target_session_attrs=any"), ["postgres://a/name"]);
});

test("what is no such URL is refused by a rule, and a password is never in it", () => {
  const refused: [string, RegExp][] = [
    ["mysql://u:hunter22@h/name", /must start with postgres:\/\//],
    ["postgres:hunter22", /must start with/],
    ["postgres://u:hunter22@h:99999/name", /must/],
    ["postgres://u:hunter22@a:1,b:99999/name", /addresses like/],
    ["postgres://u:hunter22@a,,b/name", /addresses like/],
    ["postgres://u:hunter22@a,/name", /addresses like/],
    ["postgres://u:hunter22@a,b:x/name", /addresses like/],
    ["postgres://u:hunter22@a,a:5432/name", /each address once/],
    ["postgres://u:hunter22@/name?host=a,b", /before the name/],
    ["postgres://u:hunter#22@a/name", /%23/],
    [
      "postgres://u:hunter22@a,b/name?target_session_attrs=standby",
      /read-write, primary, any only/,
    ],
    ["postgres://u:hunter22@a/name?target_session_attrs=prefer-standby", /read-write/],
    ["postgres://u:hunter22@a/name?target_session_attrs=", /read-write/],
  ];
  for (const [text, rule] of refused) {
    assert.throws(
      () => parsePostgresUrl(text),
      (error) => {
        assert.ok(error instanceof PostgresUrlError, text);
        assert.match(error.message, rule);
        assert.doesNotMatch(error.message, /hunter/);
        return true;
      },
    );
  }
});
