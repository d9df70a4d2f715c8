/** As a shell takes it for one word. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) && !text.startsWith("-")
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What fetches a version in a terminal. */
export function pullCommand(artifact: string, version: string): string {
  const [name, chosen] = [artifact, version].map(shellWord);
  // What begins with a hyphen must not be taken for an option.
  if (artifact.startsWith("-")) return `lossless pull --version ${chosen} -- ${name}`;
  return `lossless pull ${name} --version ${chosen}`;
}
