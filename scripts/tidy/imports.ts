import { posix } from "node:path";

/** The imports of a file as written: static, of types, or dynamic. */
export function importedNames(text: string): string[] {
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

const statement =
  /^(?:import|export)\s[^;"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

/** The file that an import names: beside the importing file, or of a workspace. */
export function importedFile(path: string, name: string): string | undefined {
  if (name.startsWith(".")) return posix.join(posix.dirname(path), name);
  const [, workspace, file] = /^@lossless\/([a-z]+)(?:\/(.+))?$/.exec(name) ?? [];
  return workspace === undefined ? undefined : `${workspace}/src/${file ?? "index"}.ts`;
}
