import { queryText } from "@lossless/protocol/query-text";

/** The query that finds the experiments with a tag. */
export function tagQuery(text: string): string {
  const value = { kind: "text" as const, text };
  return queryText({ kind: "compare", field: { kind: "own", name: "tag" }, operator: "=", value });
}

export function tagAddress(tag: string): string {
  return `/experiments?${new URLSearchParams({ q: tagQuery(tag) }).toString()}`;
}
