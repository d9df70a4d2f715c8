/** CRC-32 of zlib and gzip. Browsers have none; Node's is several times as fast. */
export function crc32(bytes: Uint8Array): number {
  return ofNode === undefined ? crc32InScript(bytes) : ofNode(bytes);
}

export function crc32InScript(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (let at = 0; at < bytes.length; at++) sum = table[(sum ^ bytes[at]) & 0xff] ^ (sum >>> 8);
  return ~sum >>> 0;
}

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 1 ? (sum >>> 1) ^ 0xedb8_8320 : sum >>> 1;
  return sum;
});

interface MaybeNode {
  process?: {
    getBuiltinModule?(name: string): { crc32?: (bytes: Uint8Array) => number } | undefined;
  };
}

const ofNode = (globalThis as MaybeNode).process?.getBuiltinModule?.("node:zlib")?.crc32;
