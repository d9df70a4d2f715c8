/** Writes a text of a meta; unambiguous ones have no quotation marks. */
export function plainText(text: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N}_./@:+-]*$/u.test(text) && !isWordOfJson(text);
  return isPlain ? text : JSON.stringify(text);
}

function isWordOfJson(text: string): boolean {
  return text === "true" || text === "false" || text === "null" || text === "none";
}
