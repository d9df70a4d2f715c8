import { TextExpression } from "./text-expression.ts";

/** A condition on a name: it is like a pattern with `*`, or contains a regular expression. */
export interface NamePattern {
  kind: "like" | "expression";
  /** The pattern, or the expression without its slashes. */
  text: string;
}

/**
 * Reads a search for names, whose conditions have all to hold: `/regular expression/`, or words in
 * any order, in which `*` stands for anything. A single word with `*` is a whole name. Throws
 * QueryError.
 */
export function readNameSearch(search: string): NamePattern[] {
  const text = search.trim();
  const expression = /^\/(.+)\/$/su.exec(text)?.[1];
  if (expression !== undefined) {
    TextExpression.parse(expression, 1);
    return [{ kind: "expression", text: expression }];
  }
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 1) return [{ kind: "like", text }];
  return words.map((word) => ({ kind: "like", text: `*${word}*` }));
}

/** Returns the test of names for a search. Throws QueryError. */
export function nameTest(search: string): (name: string) => boolean {
  const expressions = readNameSearch(search).map(({ kind, text }) =>
    TextExpression.parse(kind === "expression" ? text : expressionOf(text)),
  );
  return (name) => expressions.every((expression) => expression.holds(name));
}

/** A pattern with `*` fits a whole name; one without is contained. */
function expressionOf(pattern: string): string {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&"));
  return parts.length === 1 ? parts[0] : `^${parts.join(".*")}$`;
}
