import { Client } from "pg";
import { openPostgres } from "../../server/src/database/postgres.ts";
import { openSqlite } from "../../server/src/database/sqlite.ts";
import { fillTable } from "../../server/src/views/table/table-fill.fixture.ts";
import { call } from "../http.ts";
import { startPostgres } from "../postgres.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import { median } from "./measure.ts";
import type { ViewsOptions } from "./views-options.ts";

const reads = 5;
/** Rows of a page of the table, and lines of what completes. */
const limits = { experiments: 50, fields: 12 };

const metric = "metric.metric-3.min";
export const firstPages: [string, object][] = [
  ["newest", {}],
  ...[
    "slug",
    "status",
    "points",
    "duration",
    "silent",
    "folder",
    metric,
    "meta.key-1",
    "meta.key-3",
  ].map((field): [string, object] => [field, { sort: [{ field, descending: true }] }]),
];
export const filters: [string, object][] = [
  ["one of meta", { query: "meta.key-1 > 0.5", sort: [{ field: metric }] }],
  [
    "two of meta, a metric, the status",
    {
      query: "meta.key-1 > 0.2 meta.key-3 != word-7 metric.metric-5.min < 0.4 status = done",
      sort: [{ field: metric }],
    },
  ],
  ["without one of meta", { query: "not meta.key-3 = word-7", sort: [{ field: metric }] }],
  ["either", { query: "meta.key-3 = word-7 or metric.metric-2 > 0.99" }],
  ["a part of the slug", { query: "slug ~ *77*" }],
  ["words", { query: "run-77" }],
];

/** Completions of a query, as the page requests them. */
const completions: [string, object][] = [
  ["names", {}],
  ["names of keys", { text: "key-1" }],
  ["names of metrics", { text: "metric.metric-1" }],
  ["texts of a key", { field: "meta.key-3" }],
  ["texts that begin so", { field: "meta.key-3", text: "word-7" }],
  ["numbers of a key", { field: "meta.key-1", text: "0.5" }],
  ["folders", { field: "folder" }],
];

/** The table of many experiments over HTTP, on both databases, read warm. */
export async function measureTables(
  { experiments, postgres, progress }: ViewsOptions,
  set: (name: string, value: number) => void,
): Promise<void> {
  const size = { experiments, metrics: 20, keys: 30 };
  const measure = async (database: string, options: ServiceOptions): Promise<void> => {
    await using service = await Service.start(options);
    await service.stop();
    await fill(service, size);
    await service.start();
    progress(`a table of ${experiments} experiments is written, ${database}`);
    const slowest = async (
      name: string,
      cases: [string, object][],
      view: keyof typeof limits = "experiments",
    ): Promise<void> => {
      const times: number[] = [];
      for (const [one, body] of cases) {
        times.push(await readView(service, view, body));
        progress(`  ${database}, ${one}: ${times.at(-1)!.toFixed(1)} ms`);
      }
      set(`table, slowest ${name}, ${database} ms`, Math.max(...times));
    };
    await slowest("first page", firstPages);
    await slowest("filter", filters);
    await slowest("completion", completions, "fields");
    const { newest, walked } = await measureWalk(service);
    progress(
      `  ${database}, a page of 1,000: ${newest.toFixed(1)} ms, walked ${walked.toFixed(1)}`,
    );
    set(`table, a page of a sorted walk / the newest rows, ${database}`, walked / newest);
  };
  await measure("SQLite", {});
  if (!postgres) return;
  // As much of it as PostgreSQL takes by default; our tests get by with less.
  await using server = await startPostgres({ settings: { shared_buffers: "128MB" } });
  await measure("PostgreSQL", { databaseUrl: await server.createDatabase() });
}

/** Straight into the tables: over HTTP the background would summarize for half an hour. */
export async function fill(
  { dataDirectory, options }: Service,
  size: Parameters<typeof fillTable>[2],
): Promise<void> {
  const url = options.databaseUrl;
  await using database =
    url === undefined ? openSqlite({ directory: dataDirectory }) : openPostgres({ url });
  const find = "SELECT id FROM organization WHERE name = $1";
  const found = await database.read((reader) =>
    reader.get<{ id: string }>(find, organizations.acme.name),
  );
  await fillTable(database, found!.id, size);
  if (url !== undefined) await vacuum(url);
}

/** As the server does by itself within a minute or two. */
async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
}

const walkedRows = 1_000;

/** All rows sorted by a metric, page by page; and the floor, a page that nothing is sorted for. */
async function measureWalk({ baseUrl }: Service): Promise<{ newest: number; walked: number }> {
  const page = async (asked: object): Promise<{ ms: number; next?: string }> => {
    const startedMs = performance.now();
    const body = { limit: walkedRows, ...asked };
    const { key } = organizations.acme;
    const path = "/api/views/v1/experiments";
    const reply = await call(baseUrl, { path, credential: key, body });
    if (reply.status !== 200) throw new Error(reply.text);
    const { next } = JSON.parse(reply.text) as { next?: string };
    return { ms: performance.now() - startedMs, ...(next !== undefined && { next }) };
  };
  const floors: number[] = [];
  const times: number[] = [];
  let after: string | undefined;
  // In turns, so that what else the machine does falls on both.
  do {
    floors.push((await page({})).ms);
    const sort = [{ field: metric, descending: true }];
    const { ms, next } = await page({ sort, ...(after !== undefined && { after }) });
    times.push(ms);
    after = next;
  } while (after !== undefined);
  const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  return { newest: mean(floors), walked: mean(times) };
}

async function readView(
  { baseUrl }: Service,
  view: keyof typeof limits,
  asked: object,
): Promise<number> {
  const path = `/api/views/v1/${view}`;
  const body = { limit: limits[view], ...asked };
  const { key } = organizations.acme;
  const times: number[] = [];
  for (let read = 0; read <= reads; read++) {
    const startedMs = performance.now();
    const reply = await call(baseUrl, { path, credential: key, body });
    if (reply.status !== 200) throw new Error(reply.text);
    times.push(performance.now() - startedMs);
  }
  return median(times.slice(1));
}
