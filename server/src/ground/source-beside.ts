import { extname } from "node:path";

/**
 * The address of the source `file` beside the module at `from`, for a thread to begin with. Sources
 * name each other as they are in a clone, `.ts`; in a release they are JavaScript.
 */
export function sourceBeside(file: string, from: string): URL {
  return new URL(file.replace(/\.ts$/, extname(from)), from);
}
