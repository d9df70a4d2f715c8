import { readQuery } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";

/** Adds a test to a query, which keeps its spelling; one that it has already is not added. */
export function withTest(query: string, test: string): string {
  const { query: read } = readQuery(query);
  const text = query.trim();
  if (text === "" || read === undefined) return test;
  const parts = read.kind === "and" ? read.parts : [read];
  if (parts.some((part) => queryText(part) === test)) return query;
  return read.kind === "or" ? `(${text}) ${test}` : `${text} ${test}`;
}
