import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import manifest from "../../../package.json" with { type: "json" };
import type { Config } from "../../settings/config.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { freeDiskBytes, readinessWord } from "../../http/readiness.ts";
import type { OpenStorage } from "../../storage/threaded-storage.ts";
import type { AdminServer } from "./admin-server.ts";
import {
  addProcessFigures,
  organizationFigures,
  shownOrganizations,
} from "../../ground/figures/figures.ts";
import { backupFigures, trashFigures } from "../../ground/figures/stored-figures.ts";
import { threadFigures } from "../../ground/figures/thread-figures.ts";

/**
 * Serves, with --admin-port, figures of HTTP, process, disk and storage threads, and the state in
 * detail.
 */
export function serveOperatorPages(
  server: AdminServer,
  config: Config,
  context: HttpContext,
  storage: OpenStorage,
): Disposable {
  const { registry } = context.figures;
  const loopDelay = monitorEventLoopDelay({ resolution: 10 });
  loopDelay.enable();
  addProcessFigures(registry, { version: manifest.version, loopDelay });
  addQueueFigures(context);
  let isReady = false;
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
    "lossless_disk_reserve_bytes",
    "--disk-reserve-bytes: with less free, writes are refused.",
    () => config.diskReserveBytes,
  );
  registry.gauge("lossless_ready", "1 when requests are served, as /readyz says; 0 when not.", () =>
    Number(isReady),
  );
  registry.gauge(
    "lossless_database_bytes",
    "Database files of the embedded mode.",
    () => disk.database,
  );
  server.serve({
    async metrics() {
      disk.free = await freeDiskBytes(config.data);
      const { reads, writes } = await context.probe();
      isReady = context.state.status === "ok" && writes;
      if (config.databaseUrl === undefined) disk.database = await filesBytes(config.data);
      // A database that does not answer must not take the figures away that say so.
      const organizations = reads
        ? await storage.read("quota.list", { limit: shownOrganizations })
        : [];
      const stored = reads ? await storedFigures(storage) : "";
      const threads = threadFigures(await storage.statistics());
      return registry.text() + organizationFigures(organizations) + stored + threads;
    },
    async readiness() {
      const { writes: storageReady } = await context.probe();
      const free = await freeDiskBytes(config.data);
      const status = await readinessWord(context, "writes");
      const details = { status, storageReady, diskFreeBytes: free ?? null };
      return { ready: status === "ok", details };
    },
  });
  return { [Symbol.dispose]: () => void loopDelay.disable() };
}

/** Returns figures from the database: the trash, and the record of the last backup. */
async function storedFigures(storage: OpenStorage): Promise<string> {
  const { trash, lastBackup } = await storage.read("installation.amounts", undefined);
  return trashFigures(trash) + backupFigures(lastBackup);
}

function addQueueFigures(context: HttpContext): void {
  const { budget, openBudget, connections } = context.limits;
  const { registry } = context.figures;
  registry.gauge(
    "lossless_http_requests_open",
    "Requests whose reply has not ended.",
    () => context.limits.activeRequests,
  );
  registry.gauge("lossless_queue_bytes", "Request bodies in work.", () => budget.usedBytes);
  registry.gauge("lossless_queue_bytes_max", "--max-queue-bytes.", () => budget.maximumBytes);
  registry.gauge("lossless_queue_requests", "Requests with a body in work.", () => budget.requests);
  registry.gauge(
    "lossless_open_queue_bytes",
    "Bodies in work of requests that need no credential.",
    () => openBudget.usedBytes,
  );
  registry.gauge(
    "lossless_strange_connections",
    "Connections without a valid credential so far.",
    () => connections.strangers,
  );
  const { reads } = context.replies;
  registry.gauge(
    "lossless_reply_queue_bytes",
    "Results of reads that clients have not taken yet.",
    () => reads.usedBytes,
  );
  registry.gauge("lossless_reads_waiting", "Long reads in line.", () => reads.waiting);
  registry.gauge(
    "lossless_streams",
    "Series streams that run.",
    () => context.limits.streams.taken,
  );
  registry.gauge(
    "lossless_waits",
    "Requests that wait for changes.",
    () => context.replies.watching.waiting,
  );
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
