import type { OpenStorage } from "../storage/threaded-storage.ts";
import { pointsOf, type Write } from "../storage/storage.ts";
import type { Tracing } from "./tracing.ts";

/** The storage with a span around whatever a request waits for; itself where nobody traces. */
export function tracedStorage(storage: OpenStorage, tracing: Tracing | undefined): OpenStorage {
  if (tracing === undefined) return storage;
  const around: Pick<
    OpenStorage,
    "write" | "read" | "readReply" | "stream" | "pointsCsv" | "tableCsv" | "exportFile"
  > = {
    write: (writes) =>
      tracing.around("storage.write", writtenBy(writes), () => storage.write(writes)),
    read: (name, input) =>
      tracing.around("storage.read", named(name), () => storage.read(name, input)),
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
    statistics: () => storage.statistics(),
    get hashSeed() {
      return storage.hashSeed;
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

function named(operation: string): Record<string, string> {
  return { "lossless.operation": operation };
}

function writtenBy(writes: readonly Write[]): Record<string, string | number> {
  const points = writes.reduce((sum, write) => sum + (pointsOf(write)?.count ?? 0), 0);
  const names = new Set(writes.map((write) => (write.kind === "call" ? write.name : "metrics")));
  return {
    "lossless.operation": [...names].slice(0, 8).join(),
    ...(points > 0 ? { "lossless.points": points } : {}),
  };
}
