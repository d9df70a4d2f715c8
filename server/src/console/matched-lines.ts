import type { Lines } from "./lines.ts";

/** An expression for a line, and for lines that stand together; undefined: none is known. */
export interface LineExpression {
  alone: RegExp;
  joined: RegExp | undefined;
}

/** Time after which a search gives way; it is looked at after each piece. */
const sliceMs = 20;
/** Characters after which a piece ends with its line. */
const pieceCharacters = { alone: 1_024, joined: 16_384 };

/** Searches stretches for the lines that an expression matches by themselves, piece by piece. */
export class MatchedLines {
  /** Indexes of the lines found, ascending, of each stretch. */
  readonly found: number[][];
  readonly #expression: LineExpression;
  readonly #stretches: readonly Lines[];
  #stretch = 0;
  #text: string | undefined;
  /** Where the next piece begins in the text. */
  #at = 0;
  /** A line whose number is known, at or before the next piece. */
  #known: KnownLine = textBegins;

  constructor(expression: LineExpression, stretches: readonly Lines[]) {
    this.#expression = expression;
    this.#stretches = stretches;
    this.found = stretches.map(() => []);
  }

  /** Goes on for a slice of time. Returns whether all is searched. */
  search(): boolean {
    const endMs = performance.now() + sliceMs;
    while (this.#stretch < this.#stretches.length) {
      const text = (this.#text ??= this.#stretches[this.#stretch].text.toString("utf8"));
      while (this.#at <= text.length) {
        this.#searchPiece(text);
        if (performance.now() > endMs) return false;
      }
      this.#stretch++;
      this.#text = undefined;
      this.#at = 0;
      this.#known = textBegins;
    }
    return true;
  }

  /** May be interrupted anywhere before its last statements: then the piece is searched again. */
  #searchPiece(text: string): void {
    const { alone, joined } = this.#expression;
    const characters = joined === undefined ? pieceCharacters.alone : pieceCharacters.joined;
    const lineEnd = text.indexOf("\n", this.#at + characters);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const piece = text.slice(this.#at, end);
    let known = this.#known;
    const lines = (joined === undefined ? oneByOne(alone, piece) : atOnce(joined, piece)).map(
      (at) => (known = lineOf(text, this.#at + at, known)).number,
    );
    this.found[this.#stretch].push(...lines);
    this.#known = known;
    this.#at = end + 1;
  }
}

interface KnownLine {
  number: number;
  begin: number;
}

const textBegins: KnownLine = { number: 0, begin: 0 };

/** Returns the line with the character at `at`, or with the line feed there behind it. */
function lineOf(text: string, at: number, known: KnownLine): KnownLine {
  let { number, begin } = known;
  for (;;) {
    const end = text.indexOf("\n", begin);
    if (end < 0 || end >= at) return { number, begin };
    begin = end + 1;
    number++;
  }
}

/** Returns a place in each line that matches. */
function oneByOne(alone: RegExp, piece: string): number[] {
  const places: number[] = [];
  let begin = 0;
  for (const line of piece.split("\n")) {
    if (alone.test(line)) places.push(begin);
    begin += line.length + 1;
  }
  return places;
}

/** The same. A match may be empty, also behind the last character of a line. */
function atOnce(joined: RegExp, piece: string): number[] {
  const places: number[] = [];
  for (joined.lastIndex = 0; joined.test(piece);) {
    const at = joined.lastIndex;
    places.push(at);
    const lineEnd = piece.indexOf("\n", at);
    if (lineEnd < 0) break;
    joined.lastIndex = lineEnd + 1;
  }
  return places;
}
