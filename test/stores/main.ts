/**
 * `npm run test:stores`: the tests that want real stores, `*.stores.ts`, against Ceph, OpenStack
 * Swift and Azurite.
 *
 *   npm run test:stores                               all of them; installs the stores if it may
 *   npm run test:stores -- test/stores/x.stores.ts    the files named
 *   npm run test:stores -- --only radosgw             with one store
 *   npm run test:stores -- --allow-missing            does without a store that is not there
 *
 * Further options go to node's test runner.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";
import { installStores, type RealStoreName } from "./install.ts";
import { startAzurite } from "./azurite.ts";
import { startRadosgw } from "./radosgw.ts";
import { storesVariable } from "./real-stores.ts";
import type { StoreCoordinates } from "./store.ts";
import { startSwift } from "./swift.ts";

const root = join(import.meta.dirname, "../..");
const starters: Record<RealStoreName, () => Promise<StoreCoordinates & AsyncDisposable>> = {
  radosgw: startRadosgw,
  swift: startSwift,
  azurite: startAzurite,
};

const { values, positionals, tokens } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    "allow-missing": { type: "boolean", default: false },
  },
  allowPositionals: true,
  strict: false,
  tokens: true,
});
const names = Object.keys(starters) as RealStoreName[];
const wanted = names.filter((name) => values.only === undefined || isNamed(name));
if (wanted.length === 0) complain(`There are only the stores ${names.join(" and ")}.`);
const mayMiss = values["allow-missing"] === true && !process.env.CI;
const runnerOptions = tokens.flatMap((token) =>
  token.kind === "option" && !["only", "allow-missing"].includes(token.name)
    ? [token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`]
    : [],
);

// The stores end with this process, in whatever way it ends.
let runner: ChildProcess | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    runner?.kill("SIGTERM");
    process.exit(1);
  });

await using stack = new AsyncDisposableStack();
const missing = installStores(wanted);
const stores: StoreCoordinates[] = [];
await Promise.all(wanted.filter((name) => !missing.has(name)).map(startStore));
for (const [name, reason] of missing) complain(`${name} is missing: ${reason}`);
const isEnough = wanted.length > 0 && (missing.size === 0 || mayMiss);
const code = !isEnough ? 1 : stores.length === 0 ? 0 : await runTests();
summarize(code);
process.exitCode = code;

function isNamed(name: RealStoreName): boolean {
  return [values.only].flat().includes(name);
}

async function startStore(name: RealStoreName): Promise<void> {
  const startedMs = performance.now();
  try {
    // Daemons that take ports beside each other may meet on one.
    const again = (error: unknown) => {
      console.log(`${name} is started once more; the first time: ${String(error)}`);
      return starters[name]();
    };
    const store = stack.use(await starters[name]().catch(again));
    const { endpoint, region, pathStyle, accessKeyId, secretAccessKey } = store;
    stores.push({ name, endpoint, region, pathStyle, accessKeyId, secretAccessKey });
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`${name} answers at ${endpoint} after ${seconds} s`);
  } catch (error) {
    missing.set(name, `it did not start: ${String(error)}`);
  }
}

/** One file at a time: the stores and the tests share the machine. */
async function runTests(): Promise<number> {
  const everything = globSync("{server,client,cli,test}/**/*.stores.ts", {
    cwd: root,
    exclude: ["**/node_modules/**"],
  }).sort();
  const files = positionals.length > 0 ? positionals : everything;
  const options = ["--test", "--test-concurrency=1", "--test-timeout=2700000", ...runnerOptions];
  runner = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, [storesVariable]: JSON.stringify(stores) },
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  runner.once("error", () => resolve(1));
  runner.once("close", (exitCode) => resolve(exitCode ?? 1));
  return promise;
}

function complain(text: string): void {
  const line = "!".repeat(78);
  console.error(styleText("red", `${line}\n${text}\n${line}`, { stream: process.stderr }));
}

function summarize(exitCode: number): void {
  const tested = stores.map(({ name }) => name).sort();
  const left = [...missing.keys()].map((name) => `NOT TESTED: ${name}`);
  const verdict = exitCode === 0 ? "passed" : "FAILED";
  const against = tested.length > 0 ? tested.join(" and ") : "no store at all";
  console.log([`test:stores: ${verdict}, against ${against}`, ...left].join(", "));
}
