import { invalid } from "../message.ts";

/** A piece of a filter, cut as MLflow's parser cuts it. */
export interface Token {
  kind: "identifier" | "comparator" | "number" | "text" | "quoted" | "list" | "and" | "other";
  /** The token as written in the filter. */
  source: string;
}

const patterns: readonly [Token["kind"], RegExp][] = [
  ["text", /'(?:''|\\'|[^'])*'/y],
  ["comparator", /[!=<>]+/y],
  ["comparator", /(?:NOT\s+IN|IS\s+NOT\s+NULL|IS\s+NULL|IN|I?LIKE|RLIKE)(?![\w.`"])/iy],
  ["list", /\((?:'(?:''|\\'|[^'])*'|"[^"]*"|[^()'"])*\)/y],
  ["number", /-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.`"])/iy],
  ["and", /AND(?![\w.`"])/iy],
  ["identifier", /(?:[^\s=!<>()'"`,;]|`[^`]*`|(?<=\.)"[^"]*")+/y],
  ["quoted", /"[^"]*"/y],
  ["other", /[^\s]/y],
];

export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < filter.length;) {
    if (/\s/.test(filter[at])) {
      at++;
      continue;
    }
    const token = tokenAt(filter, at);
    tokens.push(token);
    at += token.source.length;
  }
  if (tokens.some(({ source }, at) => source === ";" && at < tokens.length - 1)) {
    throw invalid(
      `Search filter contained multiple expression '${filter}'. Provide AND-ed expression list.`,
    );
  }
  return tokens;
}

function tokenAt(filter: string, at: number): Token {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const source = pattern.exec(filter)?.[0];
    if (source !== undefined) return { kind, source };
  }
  throw new Error(`BUG: no token at ${at}`);
}
