import type { ServerResponse } from "node:http";
import { isShortRead, type Storage } from "../storage/storage.ts";
import { ClientGone } from "./bodies/client-gone.ts";

/** Returns the storage for one request: its long reads end when the client has gone. */
export function requestStorage(
  storage: Storage,
  { raw: response }: { raw: ServerResponse },
): Storage {
  let leaving: AbortController | undefined;
  const left = (): AbortSignal => {
    if (leaving === undefined) {
      leaving = new AbortController();
      if (response.closed) leaving.abort();
      else response.once("close", () => leaving!.abort());
    }
    return leaving.signal;
  };
  return {
    async read(name: string, input: unknown): Promise<never> {
      const read = (signal?: AbortSignal) => storage.read(name as never, input as never, signal);
      if (isShortRead(name)) return read();
      const signal = left();
      try {
        return await read(signal);
      } catch (error) {
        throw signal.aborted ? new ClientGone() : error;
      }
    },
    write: (writes) => storage.write(writes),
    readReply: (name, input, bytes, signal) => storage.readReply(name, input, bytes, signal),
    stream: (query) => storage.stream(query),
    pointsCsv: (query, signal) => storage.pointsCsv(query, signal),
    tableCsv: (query, signal) => storage.tableCsv(query, signal),
    exportFile: (query, signal) => storage.exportFile(query, signal),
    expectReads: () => storage.expectReads(),
    statistics: () => storage.statistics(),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}
