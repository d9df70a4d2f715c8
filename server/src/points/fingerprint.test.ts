import assert from "node:assert/strict";
import { test } from "node:test";
import { payloadFingerprint, shortFingerprint } from "./fingerprint.ts";

test("stored fingerprints never change: golden values", () => {
  assert.equal(payloadFingerprint(0, 0, 0, 0), 311102858);
  assert.equal(payloadFingerprint(7, 1000, 1_700_000_000_000, 0.1), 1985132151);
  assert.equal(shortFingerprint(0xffffffff), 0xffffff);
});

test("a change of any part, down to the last bit of the value, changes it", () => {
  const base: [number, number, number, number] = [3, 1000, 1_700_000_000_000, 0.1];
  const before = payloadFingerprint(...base);
  for (let part = 0; part < 4; part++) {
    const changed: [number, number, number, number] = [...base];
    changed[part] = part === 3 ? 0.1 + 2 ** -56 : base[part] + 1;
    assert.notEqual(payloadFingerprint(...changed), before);
  }
});

test("100,000 neighbouring payloads have about as many fingerprints, short ones too", () => {
  const seen = new Set<number>();
  const short = new Set<number>();
  for (let step = 0; step < 100_000; step++) {
    const fingerprint = payloadFingerprint(
      step % 100,
      step,
      1_700_000_000_000 + step * 50,
      step / 512,
    );
    seen.add(fingerprint);
    short.add(shortFingerprint(fingerprint));
  }
  assert.ok(seen.size > 99_990, `${seen.size}`);
  assert.ok(short.size > 99_500, `${short.size}`);
});
