import type { IncomingHttpHeaders } from "node:http";

/** The form of a reply to a GET of an object (RFC 9110, 13 and 14). */
export type ObjectReply =
  | { status: 200; offset: 0; length: number }
  | { status: 206; offset: number; length: number }
  | { status: 304 | 412 | 416 };

/**
 * Decides by If-Match, If-None-Match, Range and If-Range. Objects never change, so only entity tags
 * are compared; a date in If-Range matches nothing. Several ranges, and ranges of other units, mean
 * the whole.
 */
export function objectReply(
  headers: IncomingHttpHeaders,
  { sizeBytes, etag }: { sizeBytes: number; etag: string },
): ObjectReply {
  const whole = { status: 200, offset: 0, length: sizeBytes } as const;
  const { "if-match": match, "if-none-match": noneMatch, range, "if-range": ifRange } = headers;
  if (match !== undefined && !names(match, etag, false)) return { status: 412 };
  if (noneMatch !== undefined && names(noneMatch, etag, true)) return { status: 304 };
  if (range === undefined) return whole;
  if (typeof ifRange === "string" && ifRange.trim() !== etag) return whole;
  const found = /^bytes=[ \t]*(\d{0,16})-(\d{0,16})[ \t]*$/i.exec(range.trim());
  if (found === null || (found[1] === "" && found[2] === "")) return whole;
  return rangeReply(found[1], found[2], sizeBytes) ?? whole;
}

/** Returns the reply to a range; undefined when its end is before its start: it is ignored then. */
function rangeReply(first: string, last: string, sizeBytes: number): ObjectReply | undefined {
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    if (length === 0) return { status: 416 };
    return { status: 206, offset: sizeBytes - length, length };
  }
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return undefined;
  if (offset >= sizeBytes) return { status: 416 };
  const end = last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  return { status: 206, offset, length: end - offset };
}

/**
 * Whether a header is `*`, or a list of entity tags with this one in it. `weakly`: W/ is ignored.
 */
function names(header: string, etag: string, weakly: boolean): boolean {
  if (header.trim() === "*") return true;
  return header.split(",").some((word) => {
    const tag = word.trim();
    return tag === etag || (weakly && tag === `W/${etag}`);
  });
}
