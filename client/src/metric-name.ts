import { sha256Hex } from "./sha256.ts";
import { limits } from "./wire.ts";

export interface MetricName {
  name: string;
  /** What goes into the point's meta: the name as it was given, where it is another one. */
  meta: { tag?: string };
}

const encoder = new TextEncoder();

/**
 * A metric's name is printable ASCII of at most 256 bytes. Another one is written with %XX, and cut
 * with a piece of its hash, as the Python client and the import from TensorBoard do.
 */
export function metricNamed(given: string): MetricName {
  if (given.length <= limits.metricNameBytesMax && /^[ -~]+$/.test(given)) {
    return { name: given, meta: {} };
  }
  const text = given.replaceAll(/\p{Cs}/gu, "?");
  let name = given.replaceAll(/[^ -~]/gu, percented);
  if (name.length > limits.metricNameBytesMax) {
    const hash = sha256Hex(encoder.encode(text)).slice(0, 8);
    name = `${name.slice(0, limits.metricNameBytesMax - 9)}~${hash}`;
  }
  return { name, meta: { tag: cut(text.replaceAll("\0", "\ufffd")) } };
}

/** A lone surrogate is a question mark: nothing says which one it was. */
function percented(character: string): string {
  const bytes = encoder.encode(character.isWellFormed() ? character : "?");
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
    "",
  );
}

/** As much of it as a value of a meta may have, in whole characters. */
function cut(text: string): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= limits.metricMetaValueBytesMax) return text;
  const decoder = new TextDecoder("utf-8");
  // A piece of a character is waited for, and does not come.
  return decoder.decode(bytes.subarray(0, limits.metricMetaValueBytesMax), { stream: true });
}
