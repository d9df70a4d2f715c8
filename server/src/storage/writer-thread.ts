import { statfsSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { DatabaseError } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { ServiceError } from "../errors.ts";
import { ExperimentLogs } from "../points/experiment-logs.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { carryError } from "./carried-error.ts";
import {
  GroupCommit,
  type WriteAnswer,
  type WriteOperation,
  type WriteRequest,
} from "./group-commit.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import type { FromWriter, ThreadSettings, ToWriter } from "./messages.ts";
import { openBucket, openDatabase } from "./open-drivers.ts";
import { writeOperations } from "./operations.ts";

/** The writer thread: the only one that changes anything. See group-commit.ts for how. */

/** How old the reading of free disk space may be. */
const diskCheckMs = 100;

const port = parentPort!;
const settings = workerData as ThreadSettings;
const tell = (message: FromWriter) => port.postMessage(message);

try {
  await start();
} catch (error) {
  tell({ type: "fatal", error: carryError(error) });
}

async function start(): Promise<void> {
  const database = openDatabase(settings, "write");
  await migrate(database);
  const bucket = openBucket(settings);
  const installation = await database.read(readInstallation);
  const logs = new ExperimentLogs({
    bucket,
    hasher: new IdentifierHasher(installation.hashSeed),
    seriesPerExperiment: settings.seriesPerExperiment,
    sealPoints: settings.sealPoints,
  });
  const commit = new GroupCommit(
    database,
    logs,
    writeOperations as Record<string, WriteOperation>,
    Date.now,
  );
  const freeDisk = diskWatch(settings);
  const queue: WriteRequest[] = [];
  let running = false;
  let closing = false;

  const take = (message: ToWriter) => {
    switch (message.type) {
      case "writes":
        queue.push(...message.requests);
        break;
      case "statistics":
        tell({
          type: "statistics",
          id: message.id,
          figures: { ...commit.statistics, queued: queue.length, ...memoryFigures() },
        });
        break;
      case "close":
        closing = true;
        break;
    }
  };

  const run = async () => {
    if (running) return;
    running = true;
    while (queue.length > 0) {
      const answers =
        freeDisk() < settings.diskReserveBytes
          ? refuse(queue.splice(0))
          : await commit.commit(commit.take(queue));
      acknowledge(answers);
      const unsealed = logs.takeUnsealed();
      if (unsealed.length > 0) tell({ type: "unsealed", experimentIds: unsealed });
      // What came in meanwhile makes the next group, without a turn of the event loop.
      for (
        let next = receiveMessageOnPort(port);
        next !== undefined;
        next = receiveMessageOnPort(port)
      ) {
        take(next.message as ToWriter);
      }
    }
    running = false;
    if (!closing) return;
    await database[Symbol.asyncDispose]();
    tell({ type: "closed" });
    port.close();
  };

  port.on("message", (message: ToWriter) => {
    take(message);
    // The first failed fsync stops the service: nothing more is acknowledged, by this thread or any other.
    run().catch((error: unknown) => tell({ type: "fatal", error: carryError(error) }));
  });
  tell({ type: "ready", installation });
}

function acknowledge(answers: WriteAnswer[]): void {
  tell({
    type: "done",
    answers: answers.map((answer) =>
      "error" in answer ? { id: answer.id, error: carryError(answer.error) } : answer,
    ),
  });
}

function refuse(requests: WriteRequest[]): WriteAnswer[] {
  const error = new ServiceError(
    "storage_full",
    "The disk is nearly full, so nothing is written any more. Free some space and send again.",
  );
  return requests.map(({ id }) => ({ id, error }));
}

/** Free bytes of the data directory's disk; without a data directory there is nothing to watch. */
function diskWatch({ dataDirectory, diskReserveBytes }: ThreadSettings): () => number {
  if (dataDirectory === undefined || diskReserveBytes === 0) return () => Infinity;
  let freeBytes = Infinity;
  let readAtMs = -Infinity;
  return () => {
    const nowMs = performance.now();
    if (nowMs - readAtMs < diskCheckMs) return freeBytes;
    readAtMs = nowMs;
    try {
      const { bavail, bsize } = statfsSync(dataDirectory);
      freeBytes = bavail * bsize;
    } catch (error) {
      throw new DatabaseError("failed", `The disk of ${dataDirectory} cannot be read.`, error);
    }
    return freeBytes;
  };
}
