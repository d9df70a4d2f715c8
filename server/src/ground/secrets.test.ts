import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret, isApiKey, isOwnApiKey, isSecretOf, newSecret } from "./secrets.ts";

test("secrets have a prefix, 32 random characters and a checksum", () => {
  const token = newSecret("ik_");
  assert.match(token, /^ik_[0-9A-Za-z]{38}$/);
  assert.ok(isSecretOf(token, "ik_"));
  assert.ok(!isApiKey(token));
  assert.ok(isApiKey(newSecret("ak_")));
  assert.ok(!isSecretOf(newSecret("ak_"), "ik_"));
  assert.equal(new Set(Array.from({ length: 1000 }, () => newSecret("ik_"))).size, 1000);
});

test("one changed character of a token is noticed without a database", () => {
  const token = newSecret("ik_");
  for (let position = 3; position < token.length; position++) {
    const other = token[position] === "a" ? "b" : "a";
    assert.ok(!isSecretOf(token.slice(0, position) + other + token.slice(position + 1), "ik_"));
  }
  assert.ok(!isSecretOf(`${token} `, "ik_"));
  assert.ok(!isSecretOf(token.slice(0, -1), "ik_"));
});

test("operators' own keys need no checksum, only length and alphabet", () => {
  assert.ok(isOwnApiKey(`ak_${"Wq2_-".repeat(8)}`));
  assert.ok(isOwnApiKey(`ak_${"a".repeat(37)}`));
  assert.ok(!isOwnApiKey(`ak_${"a".repeat(36)}`));
  assert.ok(!isOwnApiKey(`ik_${"a".repeat(40)}`));
  assert.ok(!isOwnApiKey(`ak_${"a".repeat(40)}é`));
});

test("the hash is SHA-256 in 32 bytes that own their buffer", () => {
  const hash = hashSecret("abc");
  assert.equal(
    Buffer.from(hash).toString("hex"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  assert.equal(hash.buffer.byteLength, 32);
});
