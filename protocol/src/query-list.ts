import { limits } from "./limits.ts";
import { QueryError } from "./query-error.ts";
import { type Field, fieldText, nearField, readField } from "./query-field.ts";
import { type Token, tokensOf } from "./query-tokens.ts";

/** A field to sort experiments by, in its spelling. */
export interface SortField {
  field: string;
  descending: boolean;
}

/** Parses fields separated by commas. Throws QueryError. */
export function parseColumns(text: string): string[] {
  return listOf(text, limits.tableColumnsMax).map(({ field, words }) => {
    if (words.length > 0) throw new QueryError(words[0].start, "a comma", words[0].text);
    return fieldText(field);
  });
}

/** Parses fields to sort by, each optionally followed by `asc` or `desc`. Throws QueryError. */
export function parseSort(text: string): SortField[] {
  return listOf(text, limits.tableSortsMax).map(({ field, words }) => {
    const [direction, more] = words;
    const word = direction?.text.toLowerCase();
    if (direction !== undefined && word !== "asc" && word !== "desc")
      throw new QueryError(direction.start, "asc, desc or a comma", direction.text);
    if (more !== undefined) throw new QueryError(more.start, "a comma", more.text);
    return { field: fieldText(field), descending: word === "desc" };
  });
}

/** Parses at most `most` fields, each with the words after it. */
function listOf(text: string, most: number): { field: Field; words: Token[] }[] {
  const tokens = tokensOf(text);
  const listed: { field: Field; words: Token[] }[] = [];
  if (tokens.length === 1) return listed;
  for (let at = 0; at < tokens.length; at++) {
    const { field, next } = readField(tokens, at);
    const { start, text: found } = tokens[at];
    if (listed.length === most) throw new QueryError(start, `at most ${most} fields`, found);
    if (field === undefined) throw new QueryError(start, "a field", found, nearField(found));
    at = next;
    const words: Token[] = [];
    while (tokens[at].kind === "word" || tokens[at].kind === "text") words.push(tokens[at++]);
    listed.push({ field, words });
    if (tokens[at].kind === "end") return listed;
    if (tokens[at].text !== ",") throw new QueryError(tokens[at].start, "a comma", tokens[at].text);
  }
  return listed;
}
