import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Rooms of the server that use object stores: their tests take as long as all others. */
export const storeRooms = "server/src/{buckets,places,artifacts}";

/** Runs the tests beside the code of some folders in this process. */
export async function importTests(folders: string, without?: string): Promise<void> {
  for (const path of testsIn(folders, without)) if (!isOfPostgres(path)) await import(path);
}

/**
 * Runs the server's tests that need PostgreSQL in this process. Tests for each database run on
 * PostgreSQL here, and on SQLite with the others.
 */
export async function importPostgresTests(): Promise<void> {
  for (const path of testsIn("server")) {
    if (isOfPostgres(path) || isOfEachDatabase(path)) await import(path);
  }
}

function testsIn(folders: string, without?: string): string[] {
  const exclude = ["**/node_modules/**", ...(without === undefined ? [] : [`${without}/**`])];
  const paths = globSync(`${folders}/**/*.test.ts`, { cwd: root, exclude });
  return paths.sort().map((path) => join(root, path));
}

const isOfPostgres = (path: string) => /\/database\/postgres[^/]*$/.test(path);
const isOfEachDatabase = (path: string) => readFileSync(path, "utf8").includes("onEachDatabase(");
