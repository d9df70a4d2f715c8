import { globSync } from "node:fs";
import { join } from "node:path";
import { suite } from "node:test";
import type { Backend } from "./topic.ts";

/**
 * The topics of some folders run on one backend, in this process: a service for each costs more
 * than the tests. They are one suite, because the hooks of a process are called when all of its
 * suites are over, and with a wanted name those of one file may be so before the next file is read.
 */
export function runTopics(backend: Backend, folders: string): void {
  process.env.LOSSLESS_TEST_BACKENDS ??= backend;
  const paths = globSync(`${folders}/*.test.ts`, { cwd: import.meta.dirname });
  suite("the contract", { concurrency: 1 }, async () => {
    for (const path of paths.sort()) await import(join(import.meta.dirname, path));
  });
}
