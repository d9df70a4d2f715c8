/**
 * Rewrites a regular expression for a line so that it searches lines which stand together, a line
 * feed between them: each of its matches then lies within one line, and lies there exactly where
 * the expression matches the line by itself. No atom matches a line feed, and `^` and `$` hold
 * beside one. So a match that begins in a line sees nothing of others, looks ahead and behind
 * included: whatever consumes a character stays in the line, and every assertion says there what it
 * says at the ends of a text.
 *
 * Returns undefined for an expression with parts that are not known here: back references, octal
 * and control escapes, flags in groups, and escapes that are none; and for one that begins with
 * `^`, which is tried once a line and not at every character. The expression has to be valid,
 * without the flags u, v, m and s.
 */
export function joinedExpression(expression: RegExp): RegExp | undefined {
  const pieces: string[] = [];
  const { source, flags } = expression;
  if (source.startsWith("^")) return undefined;
  for (let at = 0; at < source.length;) {
    const piece = pieceAt(source, at, flags);
    if (piece === undefined) return undefined;
    pieces.push(piece.joined);
    at += piece.length;
  }
  return new RegExp(pieces.join(""), `${flags}g`);
}

interface Piece {
  /** Characters of the expression. */
  length: number;
  joined: string;
}

function pieceAt(source: string, at: number, flags: string): Piece | undefined {
  switch (source[at]) {
    case "^":
      return { length: 1, joined: lineBegins };
    case "$":
      return { length: 1, joined: lineEnds };
    case "[":
      return classAt(source, at, flags);
    case "(":
      return groupAt(source, at);
    case "\\":
      return escapeAt(source, at);
    default:
      return { length: 1, joined: source[at] };
  }
}

/** Not `^` and `$` with the flag m, which also hold beside other line ends. */
const lineBegins = String.raw`(?<![^\n])`;
const lineEnds = String.raw`(?![^\n])`;
const nothing = "[]";

function classAt(source: string, at: number, flags: string): Piece {
  const text = /\[(?:[^\]\\]|\\[^])*\]/y;
  text.lastIndex = at;
  const [own] = text.exec(source)!;
  const hasLineFeed = (written: string): boolean => new RegExp(written, flags).test("\n");
  if (!hasLineFeed(own)) return { length: own.length, joined: own };
  const without = `[^\\n${own.slice(2)}`;
  const isPlain = own.startsWith("[^") && own[2] !== "-" && !hasLineFeed(without);
  return { length: own.length, joined: isPlain ? without : butLineFeed(own) };
}

function butLineFeed(atom: string): string {
  return String.raw`(?:(?!\n)${atom})`;
}

const opening = /\((?:\?(?::|=|!|<=|<!|<[^>=!][^>]*>)|(?!\?))/y;

function groupAt(source: string, at: number): Piece | undefined {
  opening.lastIndex = at;
  const own = opening.exec(source)?.[0];
  return own === undefined ? undefined : { length: own.length, joined: own };
}

/** Escapes that mean the same in every line, and never a line feed. */
const same = /\\(?:[dwSbBtvfr]|[^A-Za-z0-9_\n]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})/y;
const others: ReadonlyMap<string, string> = new Map([
  ["n", nothing],
  ["s", String.raw`[^\S\n]`],
  ["D", String.raw`[^\d\n]`],
  ["W", String.raw`[^\w\n]`],
]);

function escapeAt(source: string, at: number): Piece | undefined {
  const other = others.get(source[at + 1]);
  if (other !== undefined) return { length: 2, joined: other };
  same.lastIndex = at;
  const own = same.exec(source)?.[0];
  if (own === undefined) return undefined;
  const isLineFeed = own.length > 2 && Number.parseInt(own.slice(2), 16) === lineFeed;
  return { length: own.length, joined: isLineFeed ? nothing : own };
}

const lineFeed = 0x0a;
