import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IdentifierHasher } from "./hash.ts";

const hasher = new IdentifierHasher(Uint32Array.of(0x01234567, 0x89abcdef, 0xdeadbeef, 0));

function hashOf(id: string, using = hasher): string {
  const target = new Uint32Array(6);
  using.hash(id, target, 1);
  assert.equal(target[0], 0);
  assert.equal(target[5], 0);
  return Buffer.from(target.buffer, 4, 16).toString("hex");
}

test("the ASCII form gives the same hash as the string form", () => {
  const ascii = fc.string({
    unit: fc.integer({ min: 0, max: 127 }).map((unit) => String.fromCharCode(unit)),
  });
  fc.assert(
    fc.property(ascii, fc.nat(9), (id, offset) => {
      const bytes = Buffer.from(`${"#".repeat(offset)}${id}???`);
      const target = new Uint32Array(4);
      hasher.hashAscii(bytes, offset, offset + id.length, target, 0);
      assert.equal(Buffer.from(target.buffer).toString("hex"), hashOf(id));
    }),
    { numRuns: 2000 },
  );
});

test("stored hashes never change: golden values", () => {
  assert.equal(hashOf(""), goldenEmpty);
  assert.equal(hashOf("0b4ff9f6-8d51-4e4b-9a5e-3f6f6d8e2a10"), goldenUuid);
  assert.equal(hashOf("läuft-🏃-\u{1f3fd}"), goldenUnicode);
});

test("identifiers that differ in one unit, in length or in trailing NULs differ in every 32-bit word", () => {
  const ids = [
    "",
    "a",
    "a\0",
    "\0a",
    "\0",
    "\0\0",
    "\u0100",
    "ab",
    "ba",
    "abcdefgh",
    "abcdefgh\0",
    "abcdefghi",
    "\u6162",
  ];
  for (let word = 0; word < 4; word++) {
    assert.equal(
      new Set(ids.map((id) => hashOf(id).slice(8 * word, 8 * word + 8))).size,
      ids.length,
    );
  }
});

test("other seeds give other hashes", () => {
  for (let word = 0; word < 4; word++) {
    const seed = Uint32Array.of(0x01234567, 0x89abcdef, 0xdeadbeef, 0);
    seed[word] ^= 1;
    assert.notEqual(hashOf("point-1", new IdentifierHasher(seed)), hashOf("point-1"));
  }
});

test("a flipped input bit flips each output bit in about half of the cases", () => {
  const flips = new Float64Array(128);
  let trials = 0;
  for (let number = 0; number < 400; number++) {
    const id = `experiment/${number * 7919}/loss`;
    const before = Buffer.from(hashOf(id), "hex");
    for (let unit = 0; unit < id.length; unit++) {
      const changed =
        id.slice(0, unit) + String.fromCharCode(id.charCodeAt(unit) ^ 1) + id.slice(unit + 1);
      const after = Buffer.from(hashOf(changed), "hex");
      for (let bit = 0; bit < 128; bit++)
        flips[bit] += ((before[bit >> 3] ^ after[bit >> 3]) >> (bit & 7)) & 1;
      trials++;
    }
  }
  for (const count of flips)
    assert.ok(Math.abs(count / trials - 0.5) < 0.05, `${count} of ${trials}`);
});

test("no two of 300,000 similar identifiers share the first 64 bits", () => {
  const target = new Uint32Array(4);
  const seen = new Set<bigint>();
  for (let number = 0; number < 300_000; number++) {
    hasher.hash(`run-17/train/loss:${number}`, target, 0);
    seen.add((BigInt(target[0]) << 32n) | BigInt(target[1]));
  }
  assert.equal(seen.size, 300_000);
});

const goldenEmpty = "b2a23c266b8770480f4bdd4780ad7097";
const goldenUuid = "6eaa2047cc71703fae9c11a7c655c097";
const goldenUnicode = "dd93c69e66f428caa4e1ac996b3d2f36";
