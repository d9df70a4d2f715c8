/** Object identifiers of the column types that our tables and queries use (catalog pg_type). */
const bytea = 17;
const integers = [20, 21, 23]; // int8, int2, int4
const numeric = 1700; // what sum(bigint) gives
const texts = [18, 19, 25, 1043, 2278]; // char, name, text, varchar, void
const float8 = 701;

/**
 * Parsers of columns to JS values, by type. Results come in text form: `pg` 8.23 decodes a result
 * row as UTF-8 before it looks at the format, so binary results arrive damaged (parameters do go
 * out in binary form).
 */
export const columnParsers = {
  getTypeParser(type: number): (text: string) => never {
    return parserOf(type) as (text: string) => never;
  },
};

function parserOf(type: number): (text: string) => string | number | Uint8Array {
  if (type === bytea) return parseBytes;
  if (integers.includes(type) || type === numeric) return parseInteger;
  if (texts.includes(type)) return (text) => text;
  if (type === float8) return Number;
  // Thrown from the parser, where `pg` expects errors, not while it reads the row's description.
  return () => {
    throw new Error(`BUG: column of PostgreSQL type ${type}, cast it in the query`);
  };
}

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`BUG: integer beyond 2^53 got ${text}`);
  return value;
}

/** `\x` and hexadecimal digits. The result owns its buffer, and can be transferred to a thread. */
function parseBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), "hex");
  const ownsBuffer = bytes.byteLength === bytes.buffer.byteLength;
  return ownsBuffer ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes);
}
