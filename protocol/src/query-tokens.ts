import { QueryError } from "./query-error.ts";

/** A piece of a query. Positions are UTF-16 units of the query, `end` is exclusive. */
export interface Token {
  kind: "word" | "text" | "expression" | "symbol" | "end";
  /**
   * For a quoted text: its content, without quotation marks and backslashes. For a regular
   * expression: with its slashes.
   */
  text: string;
  start: number;
  end: number;
}

export const wordCharacter = "\\p{L}\\p{M}\\p{N}_\\-/:@%+*.";
/** Characters that no stored text has: U+0000 and halves of surrogate pairs. */
const unstorable = "\\0\\p{Cs}";
const pieces = new RegExp(
  `\\s+|"((?:[^"\\\\${unstorable}]|\\\\[^${unstorable}])*)"|'((?:[^'\\\\${unstorable}]|\\\\[^${unstorable}])*)'|(!=|<=|>=|==|&&|\\|\\||[=<>~(),{}\\[\\]])|([${wordCharacter}]+)`,
  "suy",
);

/**
 * A regular expression between slashes, the second at the end of a word. With further slashes it is
 * one without spaces, as `/data/x and y/` is two words.
 */
const expressions = [
  String.raw`/(?:\\\S|\[(?:\\\S|[^\]\\\s])*\]|[^\\\[\s])+?/(?=[\s),]|$)`,
  String.raw`/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\\[/])+/(?=[\s),]|$)`,
].map((source) => new RegExp(source, "suy"));

/** Signs of programming languages, read as the language's own. */
const spelledAs: Readonly<Record<string, string>> = { "==": "=", "&&": "and", "||": "or" };

/** Splits a query into tokens; the last is of kind end. Throws QueryError. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  for (let start = 0, end = 0; start < query.length; start = end) {
    const expression = expressionAt(query, tokens.at(-1), start);
    if (expression !== undefined) {
      end = start + expression.length;
      tokens.push({ kind: "expression", text: expression, start, end });
      continue;
    }
    pieces.lastIndex = start;
    const [piece, double, single, symbol, word] = pieces.exec(query) ?? unreadable(query, start);
    const text = double ?? single;
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

function expressionAt(query: string, before: Token | undefined, start: number) {
  if (query[start] !== "/") return undefined;
  if (before !== undefined && before.kind !== "symbol" && before.end === start) return undefined;
  for (const expression of expressions) {
    expression.lastIndex = start;
    const found = expression.exec(query)?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

function unreadable(query: string, start: number): never {
  const character = String.fromCodePoint(query.codePointAt(start) ?? 0);
  if (character === '"' || character === "'")
    throw new QueryError(start, `a closing ${character} of the text that begins here`);
  throw new QueryError(start, "a word, or a text in quotation marks", character);
}

/**
 * Whether a text is a single word, which needs no quotation marks. A slash at its beginning may be
 * that of a regular expression.
 */
export function isWord(text: string): boolean {
  return isWordOrExpression(text) && !text.startsWith("/");
}

/** Whether a text is a word where no regular expression can be meant. */
export function isWordOrExpression(text: string): boolean {
  return new RegExp(`^[${wordCharacter}]+$`, "u").test(text);
}

export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
