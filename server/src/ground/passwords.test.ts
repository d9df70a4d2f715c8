import assert from "node:assert/strict";
import { test } from "node:test";
import { Passwords } from "./passwords.ts";

const passwords = new Passwords();

test("a password matches its own hash, and no other", async () => {
  const stored = await passwords.hash("correct horse");
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$=]{22}\$[^$=]{43}$/);
  assert.ok(await passwords.matches("correct horse", stored));
  assert.ok(!(await passwords.matches("correct horse ", stored)));
  assert.ok(!(await passwords.matches("correct horse", await passwords.hash("battery"))));
  assert.ok(!(await passwords.matches("correct horse", undefined)));
  assert.notEqual(await passwords.hash("correct horse"), stored);
});

test("both forms of one letter are one password", async () => {
  assert.ok(await passwords.matches("caf\u00e9", await passwords.hash("cafe\u0301")));
});

test("a hash of another cost, as other programs make it, is still right", async () => {
  // Made with the reference implementation's test vector form: m=64, t=1, p=1.
  const stored = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$";
  const { argon2Sync } = await import("node:crypto");
  const hash = argon2Sync("argon2id", {
    message: "old",
    nonce: Buffer.from("somesaltsomesalt"),
    parallelism: 1,
    tagLength: 24,
    memory: 64,
    passes: 1,
  });
  assert.ok(await passwords.matches("old", stored + hash.toString("base64")));
});

test("more than can wait are refused at once, and of one holder at most half wait", async () => {
  const refusedOf = async (holders: number): Promise<number> => {
    const all = Array.from({ length: 60 }, (_, index) =>
      passwords.matches("x", undefined, `p${index % holders}`),
    );
    const settled = await Promise.allSettled(all);
    const refused = settled.filter(({ status }) => status === "rejected");
    for (const one of refused) {
      assert.equal((one as PromiseRejectedResult).reason.code, "overloaded");
    }
    return refused.length;
  };
  assert.equal(await refusedOf(60), 60 - 52);
  assert.equal(await refusedOf(1), 60 - 27);
  assert.equal(await passwords.matches("x", undefined), false);
});

test("those who wait for many have their turns between those of others", async () => {
  const ended: string[] = [];
  const matches = async (holder: string) => {
    await passwords.matches("x", undefined, holder);
    ended.push(holder);
  };
  await Promise.all([...Array.from({ length: 20 }, () => matches("flood")), matches("other")]);
  assert.ok(ended.indexOf("other") < 8, ended.join(" "));
});
