import { limits } from "./limits.ts";
import { type Field, fieldType, ownFields } from "./query-field.ts";
import { QueryError } from "./query-error.ts";
import { isKeyword, type Next, operatorsOf, readQuery } from "./query-language.ts";
import { type Token, tokensOf, wordCharacter } from "./query-tokens.ts";
import { wordsOf } from "./query-value.ts";

/** Completions at the caret. A choice replaces the query from `start` to `end`. */
export interface Completions {
  start: number;
  end: number;
  /**
   * Completions from the language itself, best first: those that begin with the word come first.
   */
  offers: string[];
  /**
   * A request for completions only the service knows: names of meta and metrics, or a field's
   * values.
   */
  ask?: { kind: "fields"; text: string } | { kind: "values"; field: Field; text: string };
}

const restOfWord = new RegExp(`^[${wordCharacter}]*`, "u");

/** Returns the completions at the caret, a position in UTF-16 units. */
export function completions(query: string, caret: number): Completions {
  const start = wordStart(query.slice(0, caret));
  const written = query.slice(start, caret);
  const end = caret + (restOfWord.exec(query.slice(caret))?.[0].length ?? 0);
  const { next } = readQuery(query.slice(0, start));
  const offers = next.flatMap(offersOf).filter((offer) => {
    return offer.startsWith(isKeyword(offer) ? written.toLowerCase() : written);
  });
  const text = written.replaceAll(/"|\\(?=.)/gsu, "").slice(0, limits.patternCharactersMax);
  const value = next.find((each) => each.kind === "value");
  if (value !== undefined) {
    const ask = { kind: "values" as const, field: value.field, text };
    return { start, end, offers, ...(asksValues(value.field) && { ask }) };
  }
  if (!next.some(({ kind }) => kind === "test")) return { start, end, offers };
  return { start, end, offers, ask: { kind: "fields", text: inOurWords(text) } };
}

/** Start of the word that ends the text, with adjoining quoted texts; the last may be unclosed. */
function wordStart(before: string): number {
  const { tokens, end } = closedTokens(before);
  let start = end;
  for (const token of tokens.toReversed()) {
    if (token.kind === "symbol" || token.end !== start) break;
    start = token.start;
  }
  return start;
}

function closedTokens(before: string): { tokens: Token[]; end: number } {
  try {
    return { tokens: tokensOf(before).slice(0, -1), end: before.length };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const end = error.position;
    const rest = before[end] === '"' ? end : before.length;
    return { tokens: tokensOf(before.slice(0, end)).slice(0, -1), end: rest };
  }
}

function offersOf(next: Next): string[] {
  switch (next.kind) {
    case "test":
      return [...Object.keys(ownFields), "meta.", "metric."];
    case "operator":
      return [...operatorsOf(fieldType(next.field))];
    case "value":
      return [...wordsOf(fieldType(next.field))];
    case "keyword":
      return next.words.filter((word) => isKeyword(word) || word === ")");
  }
}

/** The beginning of a field with our word for its kind, where it has that of W&B or MLflow. */
function inOurWords(text: string): string {
  return text.replace(/^config\./, "meta.").replace(/^(metrics|summary)\./, "metric.");
}

function asksValues(field: Field): boolean {
  return field.kind === "meta" || (field.kind === "own" && valued.includes(field.name));
}

/** Own fields whose values are shared by many experiments. */
const valued: readonly string[] = ["name", "tag", "group", "commit", "folder", "artifact"];
