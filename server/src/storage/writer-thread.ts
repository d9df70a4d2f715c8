import { randomUUID } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { nodeNamed } from "../database/nodes.ts";
import { takeIntoUse } from "../database/workers/workers-in-use.ts";
import { ExperimentLogs } from "../points/experiment-logs.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import type {
  BackgroundWriting,
  Installation,
  MainCalls,
  ThreadSettings,
  WorkNotices,
  WriterCalls,
} from "./calls.ts";
import { carryError } from "./carried-error.ts";
import { claimSegments } from "./claim-segments.ts";
import { claimWorkers } from "./claim-workers.ts";
import { FreeDisk } from "./free-disk.ts";
import { readInstallation } from "./installation.ts";
import { Lane, type LaneParts } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { LeastFilled } from "./least-filled.ts";
import { memoryFigures } from "./memory-figures.ts";
import { inOrder, openServers, type OpenServers } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import { Presence } from "./presence.ts";
import type { Outcome, Write } from "./storage.ts";
import { ThreadCalls } from "./thread-calls.ts";

/** The writer thread: the only one that changes anything. See group-commit.ts for how. */

const main = new ThreadCalls<MainCalls, WriterCalls>(parentPort!);
main.serve({
  async open({ settings, background: port }): Promise<Installation> {
    const servers = await openServers(settings, "write", {
      // The background says which ones are away.
      noteWorker: (state, sentence, error) => state === "damaged" && warn(sentence, error!),
    });
    const { database } = servers;
    // On SQLite there is one node, and the data directory's lock says so.
    const node =
      settings.databaseUrl === undefined
        ? undefined
        : nodeNamed(randomUUID(), settings.workerUrls?.length ?? 0);
    await migrate(database, { node });
    const workerUrls = await inOrder(servers, settings, claimWorkers);
    const installation = await database.read(readInstallation);
    await claimSegments(settings, database, installation.hashSeed);
    const bucket = await openBucket(settings, database);
    const background = new ThreadCalls<WorkNotices, BackgroundWriting>(port);
    const all = [database, ...servers.workers];
    const parts = all.map((server) =>
      lanePartsOf(server, background, settings, () => {
        const hasher = new IdentifierHasher(installation.hashSeed);
        const { seriesPerExperiment, sealPoints } = settings;
        return new ExperimentLogs(
          { bucket, hasher, seriesPerExperiment, sealPoints },
          { sharedBy: all.length },
        );
      }),
    );
    const writer = await writerOf(servers, parts, settings);
    const presence =
      node && new Presence(database, node, (error) => main.tell("fatal", carryError(error)));
    const write = (writes: Write[], _signal?: AbortSignal, begin?: () => void) =>
      writer.write(writes, begin);
    background.serve({
      write,
      changed: () => (writer instanceof Lanes ? writer.takeChanged() : []),
      settle: async (ids) => (writer instanceof Lanes ? writer.settle(ids) : undefined),
    });
    main.serve({
      write,
      statistics: () => ({
        ...writer.statistics,
        ...workerFigures(servers),
        ...memoryFigures(),
      }),
      async close() {
        await writer.end();
        await presence?.[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    });
    return { ...installation, workerUrls };
  },
});

function warn(message: string, error: Error): void {
  main.tell("warning", { message, error: carryError(error) });
}

/** The state of each worker, by its number. */
function workerFigures({ workers }: OpenServers): Record<string, number> {
  const figures = workers.map(({ state }, at) => [
    [`worker_${at + 1}_answers`, Number(state !== "away")],
    [`worker_${at + 1}_damaged`, Number(state === "damaged")],
  ]);
  return Object.fromEntries(figures.flat());
}

interface Writer {
  readonly statistics: Record<string, number>;
  write(writes: Write[], begin?: () => void): Promise<Outcome[]>;
  end(): Promise<void>;
}

/** One lane, or one for each server. */
async function writerOf(
  { database, workers, places }: OpenServers,
  [directory, ...others]: readonly LaneParts[],
  { maxQueueBytes }: ThreadSettings,
): Promise<Writer> {
  if (others.length === 0) return new Lane(directory);
  const queueBytesMax = maxQueueBytes === undefined ? Infinity : maxQueueBytes / 4;
  const lanesOfWorkers = others.map((parts) => new Lane({ ...parts, queueBytesMax }));
  const isHeldUp = (at: number) => lanesOfWorkers[at].isHeldUp;
  const inUse = () => database.write(takeIntoUse);
  const leastFilled = new LeastFilled(workers, inUse, directory.warn, isHeldUp);
  await leastFilled.begin();
  const lanes: Lanes = new Lanes({
    lanes: [
      new Lane({
        ...directory,
        place: () => leastFilled.choose(),
        settle: (experimentIds) => lanes.settle(experimentIds),
      }),
      ...lanesOfWorkers,
    ],
    places,
    database,
    warn: directory.warn,
  });
  return lanes;
}

function lanePartsOf(
  database: Database,
  background: ThreadCalls<WorkNotices, BackgroundWriting>,
  { diskReserveBytes, dataDirectory }: ThreadSettings,
  logs: () => ExperimentLogs,
): LaneParts {
  return {
    database,
    logs: logs(),
    freeDisk: new FreeDisk(diskReserveBytes > 0 ? dataDirectory : undefined),
    diskReserveBytes,
    warn,
    fatal: (error) => main.tell("fatal", carryError(error)),
    committed({ unsealed, wakesPurge }) {
      if (unsealed.length > 0) background.tell("unsealed", unsealed);
      if (wakesPurge) background.tell("purgeAsked", undefined);
      for (const asker of [main, background]) {
        asker.flush();
        // Writes that arrived meanwhile make the next group, without a turn of the event loop.
        asker.takeArrived();
      }
    },
  };
}
