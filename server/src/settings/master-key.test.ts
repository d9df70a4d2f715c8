import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { ensureMasterKey, masterKeyFileName, readMasterKey } from "./master-key.ts";
import { ConfigError } from "./options.ts";

const directory = mkdtempSync(join(tmpdir(), "lossless-key-"));
after(() => rmSync(directory, { recursive: true }));

suite("master key", () => {
  test("is made once, for its owner alone", () => {
    const made = ensureMasterKey(directory);
    assert.equal(made.length, 32);
    assert.deepEqual(ensureMasterKey(directory), made);
    assert.equal(statSync(join(directory, masterKeyFileName)).mode & 0o777, 0o600);
  });

  test("a file that is no key is refused without its content", () => {
    const path = join(directory, "other.key");
    for (const content of ["", "abcd", "z".repeat(64), "a".repeat(66)]) {
      writeFileSync(path, content, { mode: 0o600 });
      assert.throws(() => readMasterKey(path), ConfigError);
    }
    writeFileSync(path, `${"AB".repeat(32)}\n`);
    assert.deepEqual(readMasterKey(path), new Uint8Array(32).fill(0xab));
    chmodSync(path, 0o644);
    assert.throws(() => readMasterKey(path), /0600/);
    assert.throws(() => readMasterKey(join(directory, "none")), /ENOENT/);
  });
});
