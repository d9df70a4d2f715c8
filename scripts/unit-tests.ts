/** The tests beside the code, all in this process; scripts/test.ts runs it as one suite. */
import { globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const pattern = "{protocol,client,cli,server,web,scripts}/**/*.test.ts";

for (const path of globSync(pattern, { cwd: root, exclude: ["**/node_modules/**"] }).sort()) {
  await import(join(root, path));
}
