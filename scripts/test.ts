/**
 * `npm test`: every `*.test.ts`, and the tests of the Python client, in one run of node's own test
 * runner.
 *
 *   npm test                                    everything
 *   npm test -- server/src/points               the tests of a folder, or of the files named
 *   npm test -- python/tests/test_reader.py     one module of Python; `python` takes all
 *   npm test -- --coverage                      with lines and branches that ran (coverage.ts)
 *   npm test -- --test-name-pattern=conflict    options of node's runner are handed on
 *
 * The tests beside the code share one process (unit-tests.ts), and so do the topics of the contract
 * on each database and the suites of the pages: a process and a service for each of them would cost
 * more than the tests do. The other suites under test/ start services and kill them, so each has a
 * process of its own. Three run at a time, the longest first: most of them wait as much as they
 * work.
 */
import { spawn } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { compileCache } from "../test/service.ts";
// The service under test gives the pages of these sources to browsers.
import "../web/build.ts";

const root = join(import.meta.dirname, "..");
const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith("-") && word !== "--coverage");
const paths = words.filter((word) => !word.startsWith("-")).flatMap(testsAt);
if (paths.length === 0 && words.some((word) => !word.startsWith("-"))) {
  console.error(`No tests at ${words.filter((word) => !options.includes(word)).join(", ")}`);
  process.exit(2);
}

const longest = [
  "test/python.test.ts",
  "test/web/suites.ts",
  "test/contract/postgres.ts",
  "test/contract/sqlite.ts",
  "scripts/unit-tests.ts",
  ...globSync("test/{crash,failover,histories,abuse}/*.test.ts", { cwd: root }),
];
const everything = new Set([
  ...longest,
  ...globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/{contract,web}/**"] }).sort(),
]);
const concurrency = Math.max(3, availableParallelism());
// Three quarters of an hour: only a test that hangs takes so long, on the slowest machine too.
const limits = [`--test-concurrency=${concurrency}`, "--test-timeout=2700000"];
// Processes that the tests start write down what they ran, too, the service's threads included.
const coverage = [
  // The floor for all tests together, a little below what they reach.
  ...(paths.length === 0 ? ["--test-coverage-lines=96", "--test-coverage-branches=92"] : []),
  "--experimental-test-coverage",
  "--test-coverage-include={protocol,client,cli,server}/src/**/*.ts",
  "--test-coverage-exclude=**/*.{test,fixture,stores}.ts",
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  `--test-reporter=${join(root, "scripts/coverage.ts")}`,
  "--test-reporter-destination=stdout",
];
const isMeasured = words.includes("--coverage");
const runner = ["--test", ...limits, ...(isMeasured ? coverage : []), ...options];
const child = spawn(process.execPath, [...runner, ...(paths.length > 0 ? paths : everything)], {
  cwd: root,
  stdio: "inherit",
  // What the tests load is compiled once, but for those whose lines are counted.
  env: { ...process.env, ...(isMeasured ? {} : compileCache()), ...pythonModules() },
});
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});

function testsAt(path: string): string[] {
  if (path.split("/")[0] === "python") return ["test/python.test.ts"];
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found?.isFile() === true) return [path];
  return globSync(found ? `${path}/**/*.test.ts` : path, { cwd: root }).sort();
}

/** Those that the words name, for test/python.test.ts. */
function pythonModules(): Record<string, string> {
  const names = words.map((word) => /^python\/tests\/(test_\w+)\.py$/.exec(word)?.[1]);
  const modules = names.filter((name) => name !== undefined);
  return modules.length === 0 ? {} : { LOSSLESS_TEST_PYTHON_MODULES: modules.join() };
}
