/**
 * `npm run test:mlflow`: the unmodified MLflow client, from PyPI, against the service on SQLite and
 * on PostgreSQL, and the import from MLflow's own server. It fails where MLflow cannot be
 * installed.
 *
 *   npm run test:mlflow -- --only sqlite          one database
 *   npm run test:mlflow -- TestHistory            further words go to Python's unittest
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { locationBody, OrganizationSetup, startStore } from "../contract/organization-setup.ts";
import { signIn } from "../contract/people.ts";
import { startPostgres } from "../postgres.ts";
import { checkoutRoot, organizations, Service } from "../service.ts";
import { mlflowPython } from "./environment.ts";

const { values, positionals } = parseArgs({
  options: { only: { type: "string" } },
  allowPositionals: true,
});
const python = mlflowPython();
let failures = 0;
for (const backend of ["sqlite", "postgres"] as const) {
  if (values.only !== undefined && values.only !== backend) continue;
  failures += await tryOn(backend);
}
process.exitCode = failures;

async function tryOn(backend: "sqlite" | "postgres"): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const databaseUrl =
    backend === "sqlite" ? undefined : await stack.use(await startPostgres()).createDatabase();
  const allowPrivate = ["127.0.0.0/8"];
  const service = stack.use(await Service.start({ databaseUrl, allowPrivate, people: true }));
  // Large files of the other organization go to a bucket.
  const store = stack.use(await startStore());
  const target = { baseUrl: service.baseUrl, observe: () => undefined };
  const rival = new OrganizationSetup(target, await signIn(target, "rita"));
  await rival.add(locationBody(store, { fallback: true }));
  console.log(`\nMLflow's client on ${backend}`);
  const words = [
    "-m",
    "unittest",
    "-v",
    "client_suite",
    "bucket_suite",
    // The import speaks HTTP alone; MLflow's server takes long to start.
    ...(backend === "sqlite" ? ["import_suite"] : []),
    ...positionals.flatMap((one) => ["-k", one]),
  ];
  const child = spawn(python, words, {
    cwd: join(import.meta.dirname),
    stdio: "inherit",
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: "1",
      MLFLOW_TRACKING_URI: service.baseUrl,
      MLFLOW_TRACKING_TOKEN: organizations.acme.key,
      MLFLOW_HTTP_REQUEST_MAX_RETRIES: "1",
      LOSSLESS_RIVAL_KEY: organizations.rival.key,
      LOSSLESS_URL: service.baseUrl,
      LOSSLESS_API_KEY: organizations.acme.key,
      LOSSLESS_NODE: process.execPath,
      LOSSLESS_COMMAND: join(checkoutRoot, "cli/bin/lossless.js"),
    },
  });
  const [status] = (await once(child, "exit")) as [number | null];
  const exit = await service.stop();
  return status === 0 && exit === 0 ? 0 : 1;
}
