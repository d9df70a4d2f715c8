/** Quotes a text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) && !text.startsWith("-")
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The shell command that fetches a version. */
export function pullCommand(artifact: string, version: string): string {
  const [name, chosen] = [artifact, version].map(shellWord);
  // A name with a leading hyphen must not be taken for an option.
  if (artifact.startsWith("-")) return `lossless pull --version ${chosen} -- ${name}`;
  return `lossless pull ${name} --version ${chosen}`;
}
