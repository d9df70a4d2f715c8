/**
 * `npm test`: every `*.test.ts`, in one run of node's own test runner.
 *
 *   npm test                                    everything
 *   npm test -- server/src/points               the tests of a folder, or of the files named
 *   npm test -- --test-name-pattern=conflict    options of node's runner are handed on
 *
 * The tests beside the code share one process (unit-tests.ts): a process for each of them would cost more than
 * the tests do. The suites under test/ start services and kill them, so each has a process of its own, and two
 * run at a time.
 */
import { spawn } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const words = process.argv.slice(2);
const options = words.filter((word) => word.startsWith("-"));
const paths = words.filter((word) => !word.startsWith("-")).flatMap(testsAt);
if (paths.length === 0 && words.length > options.length) {
  console.error(`No tests at ${words.filter((word) => !options.includes(word)).join(", ")}`);
  process.exit(2);
}

const everything = [
  "scripts/unit-tests.ts",
  ...globSync("test/**/*.test.ts", { cwd: root }).sort(),
];
const concurrency = Math.max(2, availableParallelism() - 1);
// Three quarters of an hour: nothing but a test that hangs takes so long, on the slowest machine too.
const limits = [`--test-concurrency=${concurrency}`, "--test-timeout=2700000"];
const runner = ["--test", ...limits, ...options];
const child = spawn(process.execPath, [...runner, ...(paths.length > 0 ? paths : everything)], {
  cwd: root,
  stdio: "inherit",
});
child.on("close", (code) => {
  process.exitCode = code ?? 1;
});

function testsAt(path: string): string[] {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found?.isFile() === true) return [path];
  return globSync(found ? `${path}/**/*.test.ts` : path, { cwd: root }).sort();
}
