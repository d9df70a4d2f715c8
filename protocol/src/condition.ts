import { limits } from "./limits.ts";
import { QueryError } from "./query-error.ts";
import { readField } from "./query-field.ts";
import { isKeyword, operators, parseTokens, type Query } from "./query-language.ts";
import { type Token, tokensOf } from "./query-tokens.ts";
import { readValue } from "./query-value.ts";

/** Conditions with a word of their own, as queries. */
const words = {
  done: "status = done",
  // Without reports of processes only points say that a run goes on, and an epoch takes a while.
  silent: "status = running (state = silent or not state silent > 10m)",
} as const;

/**
 * Parses what a wait waits for: `done`, `silent`, or tests of the query language, in which a name
 * that is no field is that of a metric: `val/loss < 3.3`. Throws QueryError.
 */
export function parseCondition(text: string): Query {
  const word = text.trim();
  if (Object.hasOwn(words, word)) return parseTokens(tokensOf(words[word as keyof typeof words]));
  const expected = "a test such as val/loss < 3.3, or done or silent";
  if (text.length > limits.queryCharactersMax) {
    const most = `at most ${limits.queryCharactersMax} characters`;
    throw new QueryError(limits.queryCharactersMax, most, `${text.length} of them`);
  }
  const tokens = tokensOf(text);
  if (tokens.length === 1) throw new QueryError(0, expected);
  const query = parseTokens(withMetrics(tokens));
  // A text to search for would be a condition that never changes.
  const sought = firstSearch(query);
  if (sought !== undefined)
    throw new QueryError(Math.max(0, text.indexOf(sought)), expected, sought);
  return query;
}

/** Puts `metric.` before the names that are tested and are no fields. */
function withMetrics(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, at) => {
    if (!isTested(tokens, at)) return [token];
    const { kind, text, start } = token;
    const prefix: Token = { kind: "word", text: "metric.", start, end: start };
    return kind === "word" ? [{ ...token, text: `metric.${text}` }] : [prefix, token];
  });
}

/** Whether a name that is no field begins here, beside an operator or before a partition. */
function isTested(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (!isName(token)) return false;
  const before = tokens[at - 1];
  const isRest = before?.end === token.start && (before.kind !== "symbol" || before.text === "}");
  if (isRest) return false;
  if (isInList(tokens, at) || readField(tokens, at).field !== undefined) return false;
  if (isValueFirst(tokens, at)) return false;
  if (at >= 2 && isValueFirst(tokens, at - 2)) return true;
  let next = at + 1;
  // `"val loss".min` is a quoted name with a statistic.
  if (tokens[next].kind === "word" && tokens[next].start === token.end) next++;
  const { kind, text, start } = tokens[next];
  if (text === "{") return kind === "symbol" && start === tokens[next - 1].end;
  if (kind === "word") return text.toLowerCase() === "in" && "([".includes(tokens[next + 1].text);
  return isOperator(tokens[next]);
}

/** Whether a value stands here, before an operator and the field that it is compared with. */
function isValueFirst(tokens: readonly Token[], at: number): boolean {
  if (!isOperator(tokens[at + 1])) return false;
  const isField = readField(tokens, at + 2).field !== undefined;
  if (tokens[at].kind === "text") return isField;
  return isValue(tokens[at]) && (isField || (isName(tokens[at + 2]) && !isValue(tokens[at + 2])));
}

function isName({ kind, text }: Token): boolean {
  return kind === "text" || (kind === "word" && !isKeyword(text));
}

/** Whether a word is a number, or another value that needs no quotation marks. */
function isValue(token: Token): boolean {
  return token.kind === "word" && readValue(token).kind !== "text";
}

function isOperator({ kind, text }: Token): boolean {
  return kind === "symbol" && operators.some((operator) => operator === text);
}

/** Whether a token is within the braces of a partition. */
function isInList(tokens: readonly Token[], at: number): boolean {
  const opened = tokens.findLastIndex(
    ({ kind, text }, place) => place < at && kind === "symbol" && text === "{",
  );
  const closed = tokens.findLastIndex(
    ({ kind, text }, place) => place < at && kind === "symbol" && text === "}",
  );
  return opened > closed;
}

function firstSearch(query: Query): string | undefined {
  switch (query.kind) {
    case "and":
    case "or":
      return query.parts.map(firstSearch).find((found) => found !== undefined);
    case "not":
      return firstSearch(query.part);
    case "search":
      return query.text;
    case "exists":
    case "compare":
    case "in":
      return undefined;
  }
}
