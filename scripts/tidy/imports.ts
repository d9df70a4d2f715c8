import { posix } from "node:path";

/** What a file imports, as it is written: at its top, for types alone, or when called. */
export function importedNames(text: string): string[] {
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

const statement =
  /^(?:import|export)\s[^;"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

/** The file that a name means: one beside the importing file, or one of a workspace. */
export function importedFile(path: string, name: string): string | undefined {
  if (name.startsWith(".")) return posix.join(posix.dirname(path), name);
  const [, workspace, file] = /^@lossless\/([a-z]+)(?:\/(.+))?$/.exec(name) ?? [];
  return workspace === undefined ? undefined : `${workspace}/src/${file ?? "index"}.ts`;
}
