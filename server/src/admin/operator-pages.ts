import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import type { HttpContext } from "../http/http-context.ts";
import { freeDiskBytes } from "./readiness.ts";
import type { OpenStorage } from "../storage/open.ts";
import { startAdminServer } from "./admin-server.ts";
import type { AdminServer } from "./admin-server.ts";
import { addProcessFigures } from "./figures.ts";

/**
 * With --admin-port: the figures of HTTP, process, disk and storage threads, and the state in
 * detail.
 */
export async function startOperatorPages(
  config: Config,
  context: HttpContext,
  storage: OpenStorage,
): Promise<AdminServer | undefined> {
  if (config.adminPort === undefined) return undefined;
  const { registry } = context.figures;
  const loopDelay = monitorEventLoopDelay({ resolution: 10 });
  loopDelay.enable();
  addProcessFigures(registry, { version: manifest.version, loopDelay });
  addQueueFigures(context);
  const disk: { free: number | undefined; database: number | undefined } = {
    free: undefined,
    database: undefined,
  };
  registry.gauge(
    "lossless_disk_free_bytes",
    "Free on the disk of the data directory.",
    () => disk.free,
  );
  registry.gauge(
    "lossless_database_bytes",
    "Database files of the embedded mode.",
    () => disk.database,
  );
  const server = await startAdminServer(config.adminPort, {
    async metrics() {
      disk.free = await freeDiskBytes(config.data);
      if (config.databaseUrl === undefined) disk.database = await filesBytes(config.data);
      return registry.text() + threadFigures(await storage.statistics());
    },
    async readiness() {
      const storageReady = await context.probe();
      const free = await freeDiskBytes(config.data);
      const { status } = context.state;
      const details = { status, storageReady, diskFreeBytes: free ?? null };
      return { ready: status === "ok" && storageReady, details };
    },
  });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      loopDelay.disable();
      await server[Symbol.asyncDispose]();
    },
  };
}

function addQueueFigures(context: HttpContext): void {
  const { budget } = context;
  const { registry } = context.figures;
  registry.gauge("lossless_queue_bytes", "Request bodies in work.", () => budget.usedBytes);
  registry.gauge("lossless_queue_bytes_max", "--max-queue-bytes.", () => budget.maximumBytes);
  registry.gauge("lossless_queue_requests", "Requests with a body in work.", () => budget.requests);
  registry.gauge("lossless_streams", "Series streams that run.", () => context.openStreams);
}

/** The counters that the storage threads keep, under their own names. */
function threadFigures(figures: Record<string, number>): string {
  return Object.entries(figures)
    .filter(([name]) => /^[a-z][a-z0-9_]*$/.test(name))
    .map(
      ([name, value]) =>
        `# TYPE lossless_storage_${name} untyped\nlossless_storage_${name} ${value}\n`,
    )
    .join("");
}

/** The files right in the data directory: the database, its log and its lock. */
async function filesBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    // A log file may vanish between the list and the look.
    bytes += await stat(join(directory, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}
