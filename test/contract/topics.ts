import { globSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "./topic.ts";

/** All topics run on one backend, in this process: a service for each costs more than the tests. */
export async function runTopics(backend: Backend): Promise<void> {
  process.env.LOSSLESS_TEST_BACKENDS ??= backend;
  const paths = globSync("*/*.test.ts", { cwd: import.meta.dirname });
  for (const path of paths.sort()) await import(join(import.meta.dirname, path));
}
