import { parentPort } from "node:worker_threads";
import type { LookupCalls, MainCalls } from "./calls.ts";
import { lookupOperations, lookupReplies } from "./lookup-operations.ts";
import { memoryFigures } from "./memory-figures.ts";
import { openDatabase } from "./open-database.ts";
import { Reads } from "./reads.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** The lookup thread: short reads that must not wait for long ones. */

/** Two transactions at a time on PostgreSQL, see openPostgres; on SQLite there is nothing to gain by more than one. */
const connectionsMax = 3;
const main = new ThreadCalls<MainCalls, LookupCalls>(parentPort!);
main.serve({
  async open(settings) {
    const database = await openDatabase(settings, "read", connectionsMax);
    const reads = new Reads({
      database,
      reads: lookupOperations,
      replies: lookupReplies,
      context: () => ({ nowMs: Date.now() }),
    });
    main.serve({
      read: (asked) => reads.read(asked),
      reply: (asked) => reads.reply(asked),
      statistics: () => ({ ...reads.figures, ...memoryFigures() }),
      close: () => database[Symbol.asyncDispose](),
    });
  },
});
