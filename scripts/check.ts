/**
 * `npm run check`: everything about the source that can be judged without running it. All parts run, each is
 * reported, and the exit code is 1 when any of them failed. `npm run check -- lint tidy` runs only those.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { styleText } from "node:util";

const root = join(import.meta.dirname, "..");
const program = (path: string) => join(root, "node_modules", path);

const parts: { name: string; command: string[] }[] = [
  { name: "types", command: [program("typescript/bin/tsc"), "-p", "tsconfig.json"] },
  { name: "client types", command: [program("typescript/bin/tsc"), "-p", "client/tsconfig.json"] },
  {
    name: "client tests",
    command: [program("typescript/bin/tsc"), "-p", "client/tsconfig.test.json"],
  },
  { name: "python types", command: [program("pyright/index.js"), "-p", "python"] },
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
for (const part of parts) {
  if (wanted.length > 0 && !wanted.includes(part.name)) continue;
  const { ok, output, seconds } = await run(part.command);
  const verdict = ok ? styleText("green", "ok") : styleText("red", "FAILED");
  console.log(`${part.name.padEnd(14)}${verdict}  ${seconds.toFixed(1)} s`);
  if (!ok) {
    failed.push(part.name);
    console.log(output.trimEnd().replaceAll(/^/gm, "    "));
  }
}
console.log(failed.length === 0 ? "check: all parts ok" : `check: failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function run(command: string[]) {
  const started = performance.now();
  // The linter of the OpenAPI document would tell its makers that it runs, and ask them for a newer one.
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
  return { ok: code === 0, output, seconds: (performance.now() - started) / 1000 };
}
