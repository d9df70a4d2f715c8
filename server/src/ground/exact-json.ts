/**
 * JSON whose integers beyond 2^53 are read as bigint and printed with all their digits: seeds and ids of 64 bits are
 * common in metas, and JSON.parse rounds them. Unlike JSON.rawJSON, a bigint passes from thread to thread.
 */
export function parseExact(text: string): unknown {
  return holdsLongNumber(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

export function printExact(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "bigint" ? JSON.rawJSON(`${one}`) : one,
    );
  }
}

/** Whether JSON.parse may have rounded an integer below this value. */
export function holdsRoundedInteger(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsRoundedInteger);
}

/** Cheap, and true for a few texts too many. */
function holdsLongNumber(text: string): boolean {
  return /\d{16}/.test(text);
}

function exactInteger(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const isRounded = typeof value === "number" && holdsRoundedInteger(value);
  return isRounded && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

declare global {
  /** ECMAScript 2026: the types of the compiler do not have it yet. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
  }
}
