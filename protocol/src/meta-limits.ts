import { canonicalJson, utf8Bytes } from "./canonical-json.ts";
import { limits } from "./limits.ts";

/** A problem and its place in a request body: `[3].data.step`; "" is the whole value. */
export interface Problem {
  path: string;
  message: string;
}

/**
 * Checks the byte limits of a point's meta; the schema checks that it is a flat map of 32 strings.
 */
export function checkMetricMeta(meta: Record<string, string>, path: string): Problem | undefined {
  let longest = 2;
  for (const key in meta) {
    const value = meta[key];
    const problem = checkText(key, path, "key") ?? checkText(value, member(path, key), "value");
    if (problem !== undefined) return problem;
    if (exceeds(key, limits.metricMetaKeyBytesMax)) {
      return { path, message: `must have keys of at most ${limits.metricMetaKeyBytesMax} bytes` };
    }
    if (exceeds(value, limits.metricMetaValueBytesMax)) {
      const message = `must be at most ${limits.metricMetaValueBytesMax} bytes`;
      return { path: member(path, key), message };
    }
    // A control character is the worst case: one byte becomes six, `\u001f`.
    longest += 6 * (key.length + value.length) + 6;
  }
  if (longest <= limits.metricMetaBytesMax) return undefined;
  if (!exceeds(canonicalJson(meta), limits.metricMetaBytesMax)) return undefined;
  return { path, message: `must be at most ${limits.metricMetaBytesMax} bytes of canonical JSON` };
}

/**
 * Checks a free meta: every string is text, nesting is bounded, the compact JSON is at most 64 KiB.
 */
export function checkJsonMeta(meta: Record<string, unknown>, path: string): Problem | undefined {
  const problem = checkTexts(meta, path, 1);
  if (problem !== undefined) return problem;
  if (!exceeds(JSON.stringify(meta), limits.jsonMetaBytesMax)) return undefined;
  return metaTooLarge(path);
}

export function metaTooLarge(path: string): Problem {
  return { path, message: `must be at most ${limits.jsonMetaBytesMax} bytes of compact JSON` };
}

/**
 * Checks that a text is well formed and has no NUL: neither database could tell a lone surrogate or
 * a cut string from another, so two ids would become one.
 */
export function checkText(text: string, path: string, what: "key" | "value"): Problem | undefined {
  const subject = what === "key" ? "must have keys that are" : "must be";
  if (!text.isWellFormed()) {
    return { path, message: `${subject} well-formed Unicode without lone surrogates` };
  }
  if (text.includes("\0")) return { path, message: `${subject} text without the character U+0000` };
  return undefined;
}

/** Checks every key and string below a value. */
export function checkTexts(value: unknown, path: string, depth: number): Problem | undefined {
  if (typeof value === "string") return checkText(value, path, "value");
  if (value === null || typeof value !== "object") return undefined;
  if (depth > limits.jsonDepthCeiling) {
    return { path, message: `must not be nested deeper than ${limits.jsonDepthCeiling} levels` };
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = checkTexts(value[index], `${path}[${index}]`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  for (const [key, item] of Object.entries(value)) {
    const problem = checkText(key, path, "key") ?? checkTexts(item, member(path, key), depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Path of a member: `.name` for plain names, else `["any text"]`, cut to keep paths short. */
export function member(path: string, key: string): string {
  if (/^[A-Za-z_$][\w$]{0,63}$/.test(key)) return path === "" ? key : `${path}.${key}`;
  const short = key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key;
  return `${path}[${JSON.stringify(short)}]`;
}

function exceeds(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && utf8Bytes(text) > bytesMax;
}
