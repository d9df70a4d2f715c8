import { globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The tests beside the code of some folders, all in this process. */
export async function importTests(folders: string): Promise<void> {
  const exclude = ["**/node_modules/**"];
  const paths = globSync(`${folders}/**/*.test.ts`, { cwd: root, exclude });
  for (const path of paths.sort()) await import(join(root, path));
}
