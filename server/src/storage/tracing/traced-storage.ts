import type { Config } from "../../settings/config.ts";
import type { OpenStorage } from "../threaded-storage.ts";
import { pointsOf, type Write } from "../storage.ts";
import type { Tracing } from "./tracing.ts";

/**
 * Returns the storage with a span around each call for which a request waits; unchanged without
 * tracing.
 */
export function tracedStorage(
  storage: OpenStorage,
  tracing: Tracing | undefined,
  { databaseUrl }: Pick<Config, "databaseUrl">,
): OpenStorage {
  if (tracing === undefined) return storage;
  // As OpenTelemetry calls them.
  const system = databaseUrl === undefined ? "sqlite" : "postgresql";
  const named = (operation: string) => attributesOf(system, operation);
  const around: Pick<
    OpenStorage,
    "write" | "read" | "readReply" | "stream" | "pointsCsv" | "tableCsv" | "exportFile"
  > = {
    write: (writes) =>
      tracing.around("storage.write", { ...named(operationsOf(writes)), ...countOf(writes) }, () =>
        storage.write(writes),
      ),
    read: (name, input, signal) =>
      tracing.around("storage.read", named(name), () => storage.read(name, input, signal)),
    readReply: (name, input, bytes, signal) =>
      tracing.around("storage.read", named(name), () =>
        storage.readReply(name, input, bytes, signal),
      ),
    stream: (query) => tracing.around("storage.open", named("series"), () => storage.stream(query)),
    pointsCsv: (query, signal) =>
      tracing.around("storage.open", named("points.csv"), () => storage.pointsCsv(query, signal)),
    tableCsv: (query, signal) =>
      tracing.around("storage.open", named("experiments.csv"), () =>
        storage.tableCsv(query, signal),
      ),
    exportFile: (query, signal) =>
      tracing.around("storage.open", named(`${query.of}.parquet`), () =>
        storage.exportFile(query, signal),
      ),
  };
  return {
    ...around,
    expectReads: () => storage.expectReads(),
    statistics: () => storage.statistics(),
    get hashSeed() {
      return storage.hashSeed;
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

function attributesOf(system: string, operation: string): Record<string, string> {
  return { "db.system.name": system, "lossless.operation": operation };
}

function operationsOf(writes: readonly Write[]): string {
  const names = new Set(writes.map((write) => (write.kind === "call" ? write.name : "metrics")));
  return [...names].slice(0, 8).join();
}

function countOf(writes: readonly Write[]): Record<string, number> {
  const points = writes.reduce((sum, write) => sum + (pointsOf(write)?.count ?? 0), 0);
  return points > 0 ? { "lossless.points": points } : {};
}
