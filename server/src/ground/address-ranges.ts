import { BlockList, isIP, isIPv4 } from "node:net";

/** `10.0.0.0/8`, `fd00::/8`; a single address is its own range. Undefined for anything else. */
export function rangeOf(
  text: string,
): { address: string; bits: number; family: "ipv4" | "ipv6" } | undefined {
  const [address = "", bits, ...more] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || more.length > 0) return undefined;
  const [family, most] = isIPv4(address) ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
  if (bits === undefined) return { address, bits: most, family };
  // Number("") is 0, which would be every address there is.
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) return undefined;
  return { address, bits: Number(bits), family };
}

/**
 * Returns the ranges as a list. Throws on texts that rangeOf does not accept; checked at
 * configuration.
 */
export function listOfRanges(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const range = rangeOf(text);
    if (range === undefined) throw new Error(`BUG: a range was not checked, got ${text}`);
    list.addSubnet(range.address, range.bits, range.family);
  }
  return list;
}
