/**
 * `npm run check`: all checks of the source that do not run it. Every check runs and is reported,
 * and the exit code is 1 when any of them failed. `npm run check -- lint tidy` runs only those, and
 * `-- --changed` only what the difference to main may have broken, in seconds. The last line names
 * the checks that this machine lacks the tools for.
 */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { promisify, styleText } from "node:util";
import { notChecked } from "./python-tools.ts";

const root = join(import.meta.dirname, "..");
const program = (path: string) => join(root, "node_modules", path);

/** A check. `of` matches the changed files that concern it; a `narrow` one reads only those. */
interface Part {
  name: string;
  command: string[];
  of?: RegExp;
  narrow?: boolean;
}

const types = (name: string, project: string, of: RegExp): Part => {
  const known = program(`.cache/types/${name.replace(" ", "-")}.json`);
  const compiler = [program("typescript/bin/tsc"), "-p", project];
  return { name, command: [...compiler, "--incremental", "--tsBuildInfoFile", known], of };
};

const parts: Part[] = [
  types("types", "tsconfig.json", /^(protocol|server|cli|scripts|test|client)\/.*\.ts$/),
  types("client types", "client/tsconfig.json", /^client\//),
  types("client tests", "client/tsconfig.test.json", /^client\//),
  types("web types", "web/tsconfig.json", /^(web|client|protocol)\//),
  { name: "python types", command: [program("pyright/index.js"), "-p", "python"], of: /\.py$/ },
  { name: "python mypy", command: ["scripts/python-tools.ts", "mypy"], of: /\.py$/ },
  { name: "python lint", command: ["scripts/python-tools.ts", "ruff", "check", "."], of: /\.py$/ },
  {
    name: "python format",
    command: ["scripts/python-tools.ts", "ruff", "format", "--check", "."],
    of: /\.py$/,
  },
  {
    name: "lint",
    command: [program("oxlint/bin/oxlint"), "--format=unix"],
    of: /\.tsx?$/,
    narrow: true,
  },
  {
    name: "format",
    command: [program("oxfmt/bin/oxfmt"), "--check", "--no-error-on-unmatched-pattern"],
    of: /\.(tsx?|js|json|md|css|ya?ml)$/,
    narrow: true,
  },
  { name: "generated", command: ["scripts/generate.ts", "--check"], of: /^protocol\// },
  {
    name: "openapi",
    command: [
      program("@redocly/cli/bin/cli.js"),
      "lint",
      "--extends=recommended",
      "docs/openapi.json",
    ],
    of: /^docs\/openapi\.json$/,
  },
  { name: "tidy", command: ["scripts/tidy.ts"] },
];

const words = process.argv.slice(2);
const changed = words.includes("--changed") ? await changedFiles() : undefined;
const wanted = words.filter((word) => word !== "--changed");
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(
    `No such part: ${unknown.join(", ")}. Parts: ${parts.map((p) => p.name).join(", ")}`,
  );
  process.exit(2);
}

const failed: string[] = [];
const left: string[] = [];
for (const part of parts) {
  if (wanted.length > 0 && !wanted.includes(part.name)) continue;
  const files = changed?.filter((path) => part.of?.test(path) ?? true);
  if (files?.length === 0) continue;
  const { code, output, seconds } = await run([
    ...part.command,
    ...(part.narrow === true && files !== undefined ? files : []),
  ]);
  if (code === notChecked) left.push(part.name);
  else if (code !== 0) failed.push(part.name);
  console.log(`${part.name.padEnd(14)}${verdict(code)}  ${seconds.toFixed(1)} s`);
  if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, "    "));
}
const rest = left.length === 0 ? "" : `; NOT CHECKED: ${left.join(", ")}`;
console.log(
  failed.length === 0 ? `check: all parts ok${rest}` : `check: failed: ${failed.join(", ")}${rest}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function verdict(code: number | null): string {
  if (code === 0) return styleText("green", "ok");
  return code === notChecked ? styleText("yellow", "NOT CHECKED") : styleText("red", "FAILED");
}

async function run(command: string[]) {
  const started = performance.now();
  // Keeps the OpenAPI linter from sending telemetry and from asking for an update.
  const silence = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...silence },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("close", resolve);
  const code = await promise;
  return { code, output, seconds: (performance.now() - started) / 1000 };
}

/**
 * Lists the files that differ from where this branch left main, committed or not, without deleted
 * ones.
 */
async function changedFiles(): Promise<string[]> {
  const git = async (...question: string[]) => {
    const { stdout } = await promisify(execFile)("git", question, { cwd: root });
    return stdout.split("\n").filter((line) => line !== "");
  };
  const [base = "HEAD"] = await git("merge-base", "HEAD", "main").catch(() => []);
  const differing = await git("diff", "--name-only", "--diff-filter=d", base);
  return [...differing, ...(await git("ls-files", "--others", "--exclude-standard"))];
}
