import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The directory of the server's package, from sources as from the program made of them. */
export const packageDirectory = directoryWithManifest(import.meta.dirname);

function directoryWithManifest(directory: string): string {
  if (existsSync(join(directory, "package.json"))) return directory;
  const above = dirname(directory);
  if (above === directory) throw new Error("BUG: the server is in no package");
  return directoryWithManifest(above);
}
