import { randomUUID } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TrashEntry } from "@lossless/protocol";
import { Client } from "pg";
import { type ExperimentCaller, OrganizationCaller } from "../contract/callers.ts";
import { signIn } from "../contract/people.ts";
import { Figures as ServiceFigures } from "../figures.ts";
import { call } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import { S3Double } from "../stores/s3-double.ts";
import type { Figures } from "./bench.ts";
import { backends } from "./deleting-bars.ts";

export interface DeletingOptions {
  /** Points of each experiment, under random ids. */
  points: number;
  experiments: number;
  progress: (line: string) => void;
}

type Backend = (typeof backends)[number];

const eventsPerRequest = 1_000;
const watchedMs = 60_000;

/**
 * Measures the space that a purge frees within a minute: half of the experiments are deleted and
 * purged, and the bytes of the installation are read each second.
 */
export async function measureDeleting(options: DeletingOptions): Promise<Figures> {
  const figures: Figures = new Map();
  for (const backend of backends) {
    for (const [name, value] of await measure(backend, options)) {
      figures.set(`${backend}: ${name}`, value);
      options.progress(`${backend}: ${name}: ${value.toPrecision(4)}`);
    }
  }
  return figures;
}

async function measure(
  backend: Backend,
  { points, experiments }: DeletingOptions,
): Promise<Map<string, number>> {
  await using resources = new AsyncDisposableStack();
  const figures = await ServiceFigures.onFreePort();
  const place = await placeOf(backend, resources);
  const flags = [...figures.flags, ...(place.options.flags ?? []), "--seal-points", "50000"];
  const service = resources.use(
    await Service.start({
      ...place.options,
      people: true,
      flags: [...flags, "--seal-idle-ms", "1000"],
    }),
  );
  const target = { baseUrl: service.baseUrl, observe: () => undefined };
  const acme = new OrganizationCaller(target, organizations.acme.key);
  const opened: ExperimentCaller[] = [];
  for (let at = 0; at < experiments; at++) {
    const experiment = await acme.open();
    opened.push(experiment);
    for (let sent = 0; sent < points; sent += eventsPerRequest) await send(experiment, sent);
  }
  await figures.sealed(points * experiments);
  const size = () => place.size(service.dataDirectory);
  const before = await settled(size);
  const ids = opened.slice(0, experiments / 2).map(({ experimentId }) => experimentId);
  const ask = async (name: string, body: unknown, credential: string) => {
    const reply = await call(service.baseUrl, { path: `/api/trash/v1/${name}`, credential, body });
    if (reply.status !== 200) throw new Error(reply.text);
    return (JSON.parse(reply.text) as { entries: TrashEntry[] }).entries;
  };
  const deletedAt = performance.now();
  const entries = await ask("experiments", { experimentIds: ids }, organizations.acme.key);
  const deletedMs = performance.now() - deletedAt;
  const admin = await signIn(target, "ada");
  await ask("purge", { ids: entries.map(({ id }) => id) }, admin);
  const purgedAt = performance.now();
  let least = before;
  let leastAtMs = 0;
  while (performance.now() - purgedAt < watchedMs) {
    await sleep(1_000);
    const now = await size();
    if (now.sealed < least.sealed) leastAtMs = performance.now() - purgedAt;
    least = now;
  }
  const mebibytes = (bytes: number) => bytes / 2 ** 20;
  return new Map([
    ["deleted ms", deletedMs],
    ["purged MiB", mebibytes(entries.reduce((sum, { bytes }) => sum + bytes, 0))],
    ["freed MiB in a minute", mebibytes(before.sealed - least.sealed)],
    ["freed after s", leastAtMs / 1_000],
    ["all with the database before MiB", mebibytes(before.all)],
    ["all with the database after MiB", mebibytes(least.all)],
  ]);
}

/** The size when it stays: merging writes objects anew, and leaves the old ones to readers. */
async function settled(size: () => Promise<Size>): Promise<Size> {
  for (let before = await size(); ;) {
    await sleep(2_000);
    const now = await size();
    if (now.sealed === before.sealed) return now;
    before = now;
  }
}

async function send(experiment: ExperimentCaller, from: number): Promise<void> {
  const events = Array.from({ length: eventsPerRequest }, (_, at) => {
    const step = from + at;
    return experiment.metric({ step, metricValue: Math.random() }, randomUUID());
  });
  const { path, credential } = experiment;
  const { baseUrl } = experiment.target;
  const reply = await call(baseUrl, { path, credential, body: events, method: "POST" });
  if (reply.status !== 200) throw new Error(reply.text);
}

/** Bytes of sealed objects, and of these with the database. */
interface Size {
  sealed: number;
  all: number;
}

interface Place {
  options: Pick<ServiceOptions, "databaseUrl" | "flags" | "environment">;
  size(dataDirectory: string): Promise<Size>;
}

async function placeOf(backend: Backend, resources: AsyncDisposableStack): Promise<Place> {
  if (backend === "SQLite") {
    const size = async (directory: string) => {
      const sealed = bytesBelow(join(directory, "segments"));
      return { sealed, all: bytesBelow(directory) };
    };
    return { options: {}, size };
  }
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  resources.defer(() => database.end());
  const inDatabase = async () => {
    const { rows } = await database.query<{ sealed: string; bytes: string }>(
      `SELECT (SELECT coalesce(sum(size_bytes), 0) FROM object) AS sealed,
         pg_database_size(current_database()) AS bytes`,
    );
    return { sealed: Number(rows[0].sealed), all: Number(rows[0].bytes) };
  };
  if (backend === "PostgreSQL") return { options: { databaseUrl }, size: inDatabase };
  const store = resources.use(await S3Double.start());
  const options = {
    databaseUrl,
    flags: ["--segments", `s3://b/segments?endpoint=${store.endpoint}`],
    environment: {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
  };
  const size = async () => {
    const { all } = await inDatabase();
    const sealed = storedBytes(store);
    return { sealed, all: all + sealed };
  };
  return { options, size };
}

function storedBytes(store: S3Double): number {
  const objects = [...store.objects("b").values()];
  return objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** As the disk has them: a file takes whole blocks. */
function bytesBelow(directory: string): number {
  const names = readdirSync(directory, { recursive: true }).map(String);
  return names.reduce((sum, name) => {
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.blocks * 512 : 0);
  }, 0);
}
