import { parentPort } from "node:worker_threads";
import { carryError } from "./carried-error.ts";
import { givenSettings } from "./given-settings.ts";
import { lookupOperations, lookupReplies } from "./lookup-operations.ts";
import { memoryFigures } from "./memory-figures.ts";
import type { FromLookups, ToLookups } from "./messages.ts";
import { openDatabase } from "./open-database.ts";
import { Reads } from "./reads.ts";

/** The lookup thread: short reads that must not wait for long ones. */

const port = parentPort!;
const tell = (message: FromLookups, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);
/** Two transactions at a time on PostgreSQL, see openPostgres; on SQLite there is nothing to gain by more than one. */
const connectionsMax = 3;

try {
  await start();
} catch (error) {
  tell({ type: "fatal", error: carryError(error) });
}

async function start(): Promise<void> {
  const database = await openDatabase(await givenSettings(), "read", connectionsMax);
  const reads = new Reads({
    database,
    reads: lookupOperations,
    replies: lookupReplies,
    context: () => ({ nowMs: Date.now() }),
    tell,
  });
  const close = async () => {
    await database[Symbol.asyncDispose]();
    tell({ type: "closed" });
    port.close();
  };
  port.on("message", (message: ToLookups) => {
    if (message.type === "close") void close();
    else if (message.type !== "statistics") void reads.take(message);
    else {
      const figures = { ...reads.figures, ...memoryFigures() };
      tell({ type: "statistics", id: message.id, figures });
    }
  });
  tell({ type: "ready" });
}
