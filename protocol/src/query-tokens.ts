import { QueryError } from "./query-error.ts";

/** A piece of a query. Positions are UTF-16 units of the query, `end` is exclusive. */
export interface Token {
  kind: "word" | "text" | "symbol" | "end";
  /** For a quoted text: its content, without quotation marks and backslashes. */
  text: string;
  start: number;
  end: number;
}

export const wordCharacter = "\\p{L}\\p{M}\\p{N}_\\-/:@%+*.";
/** Characters that no stored text has: U+0000 and halves of surrogate pairs. */
const unstorable = "\\0\\p{Cs}";
const pieces = new RegExp(
  `\\s+|"((?:[^"\\\\${unstorable}]|\\\\[^${unstorable}])*)"|(!=|<=|>=|==|&&|\\|\\||[=<>~(),{}])|([${wordCharacter}]+)`,
  "suy",
);

/** Signs of programming languages, read as the language's own. */
const spelledAs: Readonly<Record<string, string>> = { "==": "=", "&&": "and", "||": "or" };

/** Splits a query into tokens; the last is of kind end. Throws QueryError. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0, end = 0; start < query.length; start = end) {
    pieces.lastIndex = start;
    const [piece, text, symbol, word] = pieces.exec(query) ?? unreadable(query, start);
    end = start + piece.length;
    if (text !== undefined)
      tokens.push({ kind: "text", text: text.replaceAll(/\\(.)/gsu, "$1"), start, end });
    else if (symbol !== undefined)
      tokens.push({ kind: "symbol", text: spelledAs[symbol] ?? symbol, start, end });
    else if (word !== undefined) tokens.push({ kind: "word", text: word, start, end });
  }
  tokens.push({ kind: "end", text: "", start: query.length, end: query.length });
  return tokens;
}

function unreadable(query: string, start: number): never {
  const character = String.fromCodePoint(query.codePointAt(start) ?? 0);
  if (character === '"') throw new QueryError(start, 'a closing " of the text that begins here');
  throw new QueryError(start, "a word, or a text in quotation marks", character);
}

/** Whether a text is a single word, which needs no quotation marks. */
export function isWord(text: string): boolean {
  return new RegExp(`^[${wordCharacter}]+$`, "u").test(text);
}

export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
