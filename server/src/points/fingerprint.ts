/**
 * 32 bits that tell whether two points with the same identifier have the same payload (decision
 * M45: same id and same payload is acknowledged again, another payload is a conflict). Taken over
 * the exact bits of the three numbers; -0 was normalised to 0 before (M7).
 */
export function payloadFingerprint(
  partition: number,
  step: number,
  timestamp: number,
  value: number,
): number {
  floats[0] = step;
  floats[1] = timestamp;
  floats[2] = value;
  let h = imul(partition ^ 0x2545f491, 0x9e3779b1);
  h = absorb(h, words[0]);
  h = absorb(h, words[1]);
  h = absorb(h, words[2]);
  h = absorb(h, words[3]);
  h = absorb(h, words[4]);
  h = absorb(h, words[5]);
  h ^= h >>> 16;
  h = imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Returns the bits of a fingerprint that an identifier run keeps. Another payload has the same bits
 * once in 2^24.
 */
export function shortFingerprint(fingerprint: number): number {
  return fingerprint >>> 8;
}

const imul = Math.imul;

function absorb(h: number, word: number): number {
  let k = imul(word, 0xcc9e2d51);
  k = imul((k << 15) | (k >>> 17), 0x1b873593) ^ h;
  return (imul((k << 13) | (k >>> 19), 5) + 0xe6546b64) | 0;
}

/**
 * Scratch: written and read within one call, which never yields; an allocation per point would cost
 * more than the hash.
 */
const floats = new Float64Array(3);
const words = new Int32Array(floats.buffer);
