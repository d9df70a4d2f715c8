/**
 * `npm run check`: everything about the source that can be judged without running it. All parts
 * run, each is reported, and the exit code is 1 when any of them failed. `npm run check -- lint
 * tidy` runs only those. The last line names the parts for which this machine has not what they
 * take.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { styleText } from "node:util";
import { notChecked } from "./python-tools.ts";

const root = join(import.meta.dirname, "..");
const program = (path: string) => join(root, "node_modules", path);

const parts: { name: string; command: string[] }[] = [
  { name: "types", command: [program("typescript/bin/tsc"), "-p", "tsconfig.json"] },
  { name: "client types", command: [program("typescript/bin/tsc"), "-p", "client/tsconfig.json"] },
  {
    name: "client tests",
    command: [program("typescript/bin/tsc"), "-p", "client/tsconfig.test.json"],
  },
  { name: "web types", command: [program("typescript/bin/tsc"), "-p", "web/tsconfig.json"] },
  { name: "python types", command: [program("pyright/index.js"), "-p", "python"] },
  { name: "python mypy", command: ["scripts/python-tools.ts", "mypy"] },
  { name: "python lint", command: ["scripts/python-tools.ts", "ruff", "check", "."] },
  { name: "python format", command: ["scripts/python-tools.ts", "ruff", "format", "--check", "."] },
  { name: "lint", command: [program("oxlint/bin/oxlint"), "--format=unix"] },
  { name: "format", command: [program("oxfmt/bin/oxfmt"), "--check"] },
  { name: "generated", command: ["scripts/generate.ts", "--check"] },
  {
    name: "openapi",
    command: [
      program("@redocly/cli/bin/cli.js"),
      "lint",
      "--extends=recommended",
      "docs/openapi.json",
    ],
  },
  { name: "tidy", command: ["scripts/tidy.ts"] },
];

const wanted = process.argv.slice(2);
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
  const { code, output, seconds } = await run(part.command);
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
  // The linter of the OpenAPI document would tell its makers that it runs, and ask for a newer one.
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
