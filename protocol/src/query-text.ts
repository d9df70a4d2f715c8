import { fieldText, readField } from "./query-field.ts";
import { isKeyword, type Query } from "./query-language.ts";
import { isWord, quoted, tokensOf } from "./query-tokens.ts";
import { valueText } from "./query-value.ts";

/** Writes a query as text; parsing it gives the query again. */
export function queryText(query: Query): string {
  switch (query.kind) {
    case "or":
      return query.parts.map(queryText).join(" or ");
    case "and":
      return query.parts.map((part) => bracketed(part, ["or"])).join(" and ");
    case "not":
      return `not ${bracketed(query.part, ["or", "and", "not"])}`;
    case "exists":
      return fieldText(query.field);
    case "compare":
      return `${fieldText(query.field)} ${query.operator} ${valueText(query.value)}`;
    case "in":
      return `${fieldText(query.field)} in (${query.values.map(valueText).join(", ")})`;
    case "search":
      return query.isExpression === true ? query.text : searchText(query.text);
  }
}

function bracketed(part: Query, kinds: readonly Query["kind"][]): string {
  return kinds.includes(part.kind) ? `(${queryText(part)})` : queryText(part);
}

function searchText(text: string): string {
  if (!isWord(text) || isKeyword(text) || /^met(?:a|ric)\./.test(text)) return quoted(text);
  return readField(tokensOf(text), 0).field === undefined ? text : quoted(text);
}
