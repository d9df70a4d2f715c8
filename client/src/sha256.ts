/** SHA-256 in lowercase hex, synchronous: the browser's own is not. For short texts. */
export function sha256Hex(bytes: Uint8Array): string {
  const state = firstWords(8, (prime) => Math.sqrt(prime));
  const constants = firstWords(64, (prime) => Math.cbrt(prime));
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, 8n * BigInt(bytes.length));
  for (let start = 0; start < padded.length; start += 64) addBlock(state, constants, view, start);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function addBlock(state: Uint32Array, constants: Uint32Array, view: DataView, start: number): void {
  const words = new Uint32Array(64);
  for (let index = 0; index < 64; index++) {
    words[index] = index < 16 ? view.getUint32(start + 4 * index) : expanded(words, index);
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let index = 0; index < 64; index++) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + constants[index] + words[index]) >>> 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [
      g,
      f,
      e,
      (d + first) >>> 0,
      c,
      b,
      a,
      (first + sum0 + majority) >>> 0,
    ];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
}

function expanded(words: Uint32Array, index: number): number {
  const late = words[index - 2];
  const early = words[index - 15];
  const sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
  const sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
  return words[index - 16] + sigma0 + words[index - 7] + sigma1;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 fractional bits of a root of the first primes, as in the standard. */
function firstWords(count: number, root: (prime: number) => number): Uint32Array {
  const words = new Uint32Array(count);
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.some((prime) => number % prime === 0)) continue;
    words[primes.length] = Math.floor((root(number) % 1) * 2 ** 32);
    primes.push(number);
  }
  return words;
}
