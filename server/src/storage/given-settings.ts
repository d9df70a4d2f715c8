import { parentPort } from "node:worker_threads";
import type { ThreadSettings } from "./messages.ts";

/** What a storage thread is opened with. It is loaded before, while nothing may be opened yet. */
export function givenSettings(): Promise<ThreadSettings> {
  const port = parentPort!;
  const { promise, resolve } = Promise.withResolvers<ThreadSettings>();
  port.once("message", (settings: ThreadSettings) => {
    // Without a listener it would not keep the thread alive, which now opens.
    port.ref();
    resolve(settings);
  });
  return promise;
}
