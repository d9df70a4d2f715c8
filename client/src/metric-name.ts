import { sha256Hex } from "./sha256.ts";
import { limits } from "./wire.ts";

export interface MetricName {
  name: string;
  /** An addition to the point's meta: the original name, where it was changed. */
  meta: { tag?: string };
}

const encoder = new TextEncoder();

/**
 * Makes a metric's name printable ASCII of at most 256 bytes. Others are written with %XX and cut,
 * with a part of their hash, as in the Python client and the TensorBoard import.
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

/** A lone surrogate becomes a question mark, as it cannot be encoded. */
function percented(character: string): string {
  const bytes = encoder.encode(character.isWellFormed() ? character : "?");
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
    "",
  );
}

/** Cuts a text to the length of a meta's value, in whole characters. */
function cut(text: string): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= limits.metricMetaValueBytesMax) return text;
  const decoder = new TextDecoder("utf-8");
  // An incomplete last character stays in the decoder, and is lost.
  return decoder.decode(bytes.subarray(0, limits.metricMetaValueBytesMax), { stream: true });
}
