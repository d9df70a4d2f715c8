/**
 * `npm test`: the tests beside the code, and the contract on the embedded database. `npm run
 * test:clients`: the pages, the command line, and the Python client. `npm run test:systems`: all
 * that is beyond a single healthy service: PostgreSQL, several nodes, services and databases that
 * are killed, stores that fail, clouds, backups, releases, abuse, other Pythons. Each is one run of
 * node's own test runner.
 *
 *   npm test                                    the tests of daily work
 *   npm run test:clients                        the tests of pages, command line and Python
 *   npm run test:systems                        the other tests of CI
 *   npm test -- server/src/points               the tests of a folder, or of given files
 *   npm test -- --sqlite server/src/views       the same without PostgreSQL
 *   npm test -- python/tests/test_reader.py     one module of Python; `python` runs all
 *   npm test -- --coverage                      all three, with coverage of lines and branches
 *   npm test -- --test-name-pattern=conflict    tests by name
 *
 * The tests beside the code share a few processes (unit-tests/), and so do the topics of the
 * contract (test/contract/{sqlite-*,postgres}.ts) and the suites of the pages: a process and a
 * service for each of them would cost more than the tests do. The other suites under test/ start
 * and kill services, so each has a process of its own. Six run at a time, the longest first: most
 * wait as much as they work, and a long one that starts last would run alone.
 */
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { parseArgs } from "node:util";
import { compileCache } from "../test/service.ts";
// The service under test serves the pages built from these sources.
import "../web/build.ts";
import coverageByRoom from "./coverage.ts";
import { memoryDirectory } from "./memory-directory.ts";

const root = join(import.meta.dirname, "..");
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: "boolean", default: false },
    coverage: { type: "boolean", default: false },
    sqlite: { type: "boolean", default: false },
    systems: { type: "boolean", default: false },
    "test-name-pattern": { type: "string", multiple: true },
  },
});
const named = [...new Set(words.flatMap(testsAt))];
if (words.length > 0 && named.length === 0) {
  console.error(`No tests at ${words.join(", ")}`);
  process.exit(2);
}

/** Folders of test/ about more than one healthy service. */
const systems =
  "test/{abuse,backup,cli/systems,clouds,crash,deleting,failover,histories,model,nodes,python,release,store-faults}";
const clients = ["test/web/suites.ts", "test/python.test.ts", ...testFiles("test/cli", [])];
const oneService = new Set([
  "test/contract/sqlite-others.ts",
  "test/contract/sqlite-views.ts",
  "test/contract/sqlite-artifacts.ts",
  "scripts/unit-tests/server.ts",
  "scripts/unit-tests/server-stores.ts",
  "scripts/unit-tests/others.ts",
  ...testFiles("test/**", [systems, "test/{contract,web}"]),
]).difference(new Set(clients));
const severalServices = new Set([
  "test/contract/postgres-others.ts",
  "test/contract/postgres-views.ts",
  "test/contract/postgres-artifacts.ts",
  "test/contract/workers.ts",
  "scripts/unit-tests/server-postgres.ts",
  ...testFiles("test/{crash,release,abuse,backup,model}", []),
  ...testFiles(systems, []),
]);

const startedAtMs = Date.now();
const seconds = new Map<string, number>();
// Test code is compiled once and cached, except where coverage is counted.
Object.assign(process.env, options.coverage ? {} : compileCache(), pythonModules());
// Coverage, and several services, write more than the memory may hold.
const inMemory = options.coverage || options.systems ? undefined : memoryDirectory();
if (inMemory !== undefined) process.env.TMPDIR = inMemory;
if (options.sqlite) process.env.LOSSLESS_TEST_BACKENDS = "sqlite";
process.chdir(root);
const events = run({
  files: chosen().map((path) => join(root, path)),
  concurrency: Math.max(6, availableParallelism()),
  // A quarter of an hour for each: on the slowest machine too, only a test that hangs takes longer.
  timeout: 900_000,
  testNamePatterns: options["test-name-pattern"],
  ...(options.coverage && {
    coverage: true,
    // Processes started by tests are counted too, including the service's threads.
    coverageIncludeGlobs: ["{protocol,client,cli,server}/src/**/*.ts"],
    coverageExcludeGlobs: ["**/*.{test,fixture,stores}.ts"],
    // Least coverage of a full run, slightly below the present one.
    ...(named.length === 0 && { lineCoverage: 96, branchCoverage: 92 }),
  }),
});
events.on("test:fail", () => {
  process.exitCode = 1;
});
events.on("test:summary", ({ file, duration_ms }) => {
  if (file !== undefined) seconds.set(relative(root, file), duration_ms / 1_000);
});
events.on("end", () => process.on("exit", tellLongest));
events.compose(spec).pipe(process.stdout);
if (options.coverage) events.compose(coverageByRoom).pipe(process.stdout);

function chosen(): string[] {
  if (words.length > 0) return named;
  if (options.coverage) return [...clients, ...oneService, ...severalServices];
  if (options.clients) return clients;
  return [...(options.systems ? severalServices : oneService)];
}

/** Prints the slowest suites, to shorten when a run takes too long. */
function tellLongest(): void {
  if (seconds.size < 10) return;
  console.log(`\n${Math.round((Date.now() - startedAtMs) / 1_000)} s; the longest:`);
  const longest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 12);
  for (const [path, took] of longest) console.log(`${took.toFixed(0).padStart(5)} s  ${path}`);
}

function testFiles(folders: string, without: string[]): string[] {
  const exclude = without.map((folder) => `${folder}/**`);
  return globSync(`${folders}/*.test.ts`, { cwd: root, exclude }).sort();
}

function testsAt(path: string): string[] {
  if (path.split("/")[0] === "python") return ["test/python.test.ts"];
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found?.isFile() === true) return [path];
  return globSync(found ? `${path}/**/*.test.ts` : path, { cwd: root }).sort();
}

/** The Python modules among the arguments, for test/python.test.ts. */
function pythonModules(): Record<string, string> {
  const names = words.map((word) => /^python\/tests\/(test_\w+)\.py$/.exec(word)?.[1]);
  const modules = names.filter((name) => name !== undefined);
  return modules.length === 0 ? {} : { LOSSLESS_TEST_PYTHON_MODULES: modules.join() };
}
