import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { masterKeyId, SealBroken, Sealing, sealedKeyId } from "./sealing.ts";

const masterKey = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);
const sealing = new Sealing(masterKey);

suite("sealing", () => {
  test("opens what it sealed, and seals the same text differently each time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
        const sealed = sealing.seal(text, context);
        assert.equal(sealing.open(sealed, context), text);
        assert.notDeepEqual(sealing.seal(text, context), sealed);
      }),
      { numRuns: 100 },
    );
  });

  test("holds nothing of the text, and the id of the master key", () => {
    const sealed = sealing.seal("wJalrXUtnFEMI", "a/b");
    assert.equal(Buffer.from(sealed).includes("wJalrXUtnFEMI"), false);
    assert.equal(sealedKeyId(sealed), masterKeyId(masterKey));
    assert.equal(sealing.keyId, masterKeyId(masterKey));
  });

  test("does not open in another row (T63)", () => {
    const sealed = sealing.seal("secret", "organization/location");
    for (const context of ["organization/other", "other/location", ""]) {
      assert.throws(() => sealing.open(sealed, context), SealBroken);
    }
  });

  test("does not open after any flipped bit or at any other length", () => {
    const sealed = sealing.seal("secret", "x");
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flipped = sealed.slice();
      flipped[bit >> 3] ^= 1 << (bit & 7);
      assert.throws(() => sealing.open(flipped, "x"), SealBroken);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      assert.throws(() => sealing.open(sealed.slice(0, length), "x"), SealBroken);
    }
  });

  test("another master key does not open it, one that knows the previous key does", () => {
    const sealed = sealing.seal("secret", "x");
    assert.throws(() => new Sealing(otherKey).open(sealed, "x"), /sealed under the master key/);
    const changed = new Sealing(otherKey, masterKey);
    assert.equal(changed.open(sealed, "x"), "secret");
    assert.equal(sealedKeyId(changed.seal("secret", "x")), masterKeyId(otherKey));
  });

  test("derived keys depend on the master key and the label alone", () => {
    assert.deepEqual(sealing.deriveKey("a"), new Sealing(masterKey).deriveKey("a"));
    assert.equal(sealing.deriveKey("a").length, 32);
    assert.notDeepEqual(sealing.deriveKey("a"), sealing.deriveKey("b"));
    assert.notDeepEqual(sealing.deriveKey("a"), new Sealing(otherKey).deriveKey("a"));
  });
});
