/** Deeper values would be a line of nothing but spaces. */
const depthMax = 64;

/**
 * A JSON text with a line for each value. Numbers and texts stay as they are spelled: a parser
 * would round what has more than 53 bits. Undefined where it is no JSON.
 */
export function indentedJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  let depth = 0;
  const line = () => parts.push("\n", "  ".repeat(Math.min(depth, depthMax)));
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  for (const [at, token] of tokens.entries()) {
    if (token === "{" || token === "[") {
      parts.push(token);
      depth++;
      if (tokens[at + 1] !== "}" && tokens[at + 1] !== "]") line();
    } else if (token === "}" || token === "]") {
      depth--;
      if (tokens[at - 1] !== "{" && tokens[at - 1] !== "[") line();
      parts.push(token);
    } else if (token === ",") {
      parts.push(token);
      line();
    } else parts.push(token === ":" ? ": " : token);
  }
  return parts.join("");
}
