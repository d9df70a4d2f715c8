/**
 * `npm run test:mlflow`: unmodified MLflow clients, from PyPI, against the service on SQLite and on
 * PostgreSQL: the newest 3.x, and on the first of them the last 2.x. Then, beside MLflow's own
 * server: the import from it and its database, and what frameworks log by autologging and
 * callbacks, on the first, and random filters on both, which must find the same. It fails where
 * MLflow cannot be installed.
 *
 *   npm run test:mlflow -- --only postgres        all of it on one database
 *   npm run test:mlflow -- --filters 5000         more filters than usual, by another seed
 *   npm run test:mlflow -- --frameworks           large frameworks, too
 *   npm run test:mlflow -- --record               writes down what clients ask, and nothing else
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
import { recordExchanges } from "./record.ts";
import { MlflowServer } from "./server.ts";

const { values, positionals } = parseArgs({
  options: {
    only: { type: "string" },
    filters: { type: "string" },
    seed: { type: "string" },
    frameworks: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const python = mlflowPython();
const older = mlflowPython("requirements-older.txt");
if (values.record) await recordExchanges({ python, older });
else process.exitCode = await tryAll();

/** Gives how many suites failed. */
async function tryAll(): Promise<number> {
  const backends = (["sqlite", "postgres"] as const).filter(
    (backend) => values.only === undefined || values.only === backend,
  );
  if (backends.length === 0) throw new Error("--only takes sqlite or postgres");
  await using stack = new AsyncDisposableStack();
  const services: Service[] = [];
  const outcomes: Outcome[] = [];
  for (const backend of backends) {
    const service = await start(backend, stack);
    services.push(service);
    console.log(`\nMLflow's client on ${backend}`);
    const suites = ["tracking_suite", "model_suite", "registry_suite", "bucket_suite"];
    outcomes.push(await outcomeOf(python, suites, service));
    if (services.length > 1) continue;
    console.log("\nThe older client");
    outcomes.push(await outcomeOf(older, ["tracking_suite"], service));
  }
  outcomes.push(...(await besideServer(services)));
  for (const service of services) if ((await service.stop()) !== 0) outcomes.push("failed");
  if (outcomes.every((outcome) => outcome === "no such test")) {
    console.error(`No test has the words ${positionals.join(", ")}.`);
    return 1;
  }
  return outcomes.filter((outcome) => outcome === "failed").length;
}

type Outcome = "passed" | "failed" | "no such test";

/** An organization of the service, the one that is not acme, has a bucket for large files. */
async function start(
  backend: "sqlite" | "postgres",
  stack: AsyncDisposableStack,
): Promise<Service> {
  const databaseUrl =
    backend === "sqlite" ? undefined : await stack.use(await startPostgres()).createDatabase();
  const allowPrivate = ["127.0.0.0/8"];
  const service = stack.use(await Service.start({ databaseUrl, allowPrivate, people: true }));
  const store = stack.use(await startStore());
  const target = { baseUrl: service.baseUrl, observe: () => undefined };
  const rival = new OrganizationSetup(target, await signIn(target, "rita"));
  await rival.add(locationBody(store, { fallback: true }));
  return service;
}

/** Compares with MLflow's own server: searches on every database, the rest over HTTP. */
async function besideServer(services: readonly Service[]): Promise<Outcome[]> {
  await using server = await MlflowServer.start(python);
  await using postgres = await startPostgres();
  const database = await postgres.createDatabase();
  console.log("\nBeside MLflow's own server");
  const searched = [server, ...services].map(({ baseUrl }) => baseUrl);
  // The usual filters are the same each time; whoever asks for more gets others.
  const seed = values.filters === undefined ? 1 : Math.floor(Math.random() * 2 ** 32);
  const more = {
    LOSSLESS_MLFLOW_SERVER: server.baseUrl,
    LOSSLESS_MLFLOW_DATABASE: database.replace(/^postgres:/, "postgresql+psycopg2:"),
    LOSSLESS_SEARCHED: searched.join(" "),
    LOSSLESS_FILTERS: values.filters ?? "250",
    LOSSLESS_SEED: values.seed ?? String(seed),
  };
  const suites = ["import_suite", "framework_suite", "filter_suite"];
  const outcome = await outcomeOf(python, suites, services[0], more);
  if (!values.frameworks) return [outcome];
  const large = mlflowPython("requirements.txt", "requirements-frameworks.txt");
  const largest = mlflowPython("requirements.txt", "requirements-lightning.txt");
  return [
    outcome,
    await outcomeOf(large, ["heavy_suite"], services[0], more),
    await outcomeOf(largest, ["lightning_suite"], services[0], more),
  ];
}

async function outcomeOf(
  program: string,
  suites: readonly string[],
  service: Service,
  more: Record<string, string> = {},
): Promise<Outcome> {
  const chosen = positionals.flatMap((one) => ["-k", one]);
  const child = spawn(program, ["-m", "unittest", "-v", ...suites, ...chosen], {
    cwd: import.meta.dirname,
    stdio: "inherit",
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONPATH: join(checkoutRoot, "python/src"),
      MLFLOW_TRACKING_URI: service.baseUrl,
      MLFLOW_TRACKING_TOKEN: organizations.acme.key,
      MLFLOW_HTTP_REQUEST_MAX_RETRIES: "1",
      LOSSLESS_RIVAL_KEY: organizations.rival.key,
      LOSSLESS_URL: service.baseUrl,
      LOSSLESS_API_KEY: organizations.acme.key,
      LOSSLESS_NODE: process.execPath,
      LOSSLESS_COMMAND: join(checkoutRoot, "cli/bin/lossless.js"),
      ...more,
    },
  });
  const [status] = (await once(child, "exit")) as [number | null];
  // Python 3.12 and newer end so where no test has the words that were given.
  if (status === 5 && chosen.length > 0) return "no such test";
  return status === 0 ? "passed" : "failed";
}
