/** Nesting up to which a text is indented; deeper lines would be all spaces. */
const depthMax = 64;

/**
 * Formats a JSON text with a line for each value. Numbers and texts keep their spelling: a parser
 * would round numbers of more than 53 bits. Undefined for texts that are not JSON.
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
