import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot, organizations } from "../service.ts";

/** Real runs that are kept with the tests. */
export const keptRuns = join(import.meta.dirname, "runs");

/** Imports the runs of a directory, `.csv.gz`, as a person does; gives how many there are. */
export async function importRuns(
  { baseUrl, key = organizations.acme.key }: { baseUrl: string; key?: string },
  directory: string,
  ...flags: string[]
): Promise<number> {
  const files = globSync(join(directory, "*.csv.gz")).toSorted();
  const command = [join(checkoutRoot, "cli/bin/lossless.js"), "import", ...flags, ...files];
  const importing = spawn(process.execPath, command, {
    env: { ...process.env, LOSSLESS_URL: baseUrl, LOSSLESS_API_KEY: key },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(importing, "exit")) as [number | null];
  if (code !== 0) throw new Error(`the import of ${directory} ended with ${code}`);
  return files.length;
}
