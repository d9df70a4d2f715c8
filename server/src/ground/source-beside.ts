import { extname } from "node:path";

/**
 * Returns the address of the source `file` beside the module at `from`, to start a thread. Sources
 * refer to each other as in a clone, `.ts`; in a release they are JavaScript.
 */
export function sourceBeside(file: string, from: string): URL {
  return new URL(file.replace(/\.ts$/, extname(from)), from);
}
