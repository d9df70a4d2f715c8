/**
 * The part of a path where its pattern has braces, "" where it has none; undefined when the path
 * does not match.
 */
export function idIn(pattern: string, path: string): string | undefined {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  if (parts.length !== wanted.length) return undefined;
  let id = "";
  for (const [at, part] of wanted.entries()) {
    if (!part.startsWith("{")) {
      if (part !== parts[at]) return undefined;
    } else {
      if (parts[at] === "") return undefined;
      id = decoded(parts[at]);
    }
  }
  return id;
}

/** Decodes a part; a typed percent sign may be invalid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
