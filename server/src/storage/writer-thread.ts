import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { ServiceError } from "../ground/errors.ts";
import { ExperimentLogs } from "../points/experiment-logs.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { carryError } from "./carried-error.ts";
import { claimSegments } from "./claim-segments.ts";
import { FreeDisk } from "./free-disk.ts";
import {
  GroupCommit,
  releasePoints,
  type WriteAnswer,
  type WriteOperation,
  type WriteRequest,
} from "./group-commit.ts";
import { givenSettings } from "./given-settings.ts";
import { readInstallation } from "./installation.ts";
import { memoryFigures } from "./memory-figures.ts";
import type { FromWriter, ToWriter } from "./messages.ts";
import { openDatabase } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import { writeOperations, type WriteOperations } from "./operations.ts";

/** The writer thread: the only one that changes anything. See group-commit.ts for how. */

const port = parentPort!;
const settings = await givenSettings();
const tell = (message: FromWriter) => port.postMessage(message);
const fail = (error: unknown) => tell({ type: "fatal", error: carryError(error) });

const housekeeping: ReadonlySet<string> = new Set<keyof WriteOperations>([
  "points.seal",
  "points.replace",
  "points.trim",
  "points.forgetGarbage",
  "background.lease",
  "removal.done",
  "removal.failed",
  "upload.expire",
  "upload.forget",
]);

class WriterThread {
  private readonly database: Database;
  private readonly logs: ExperimentLogs;
  private readonly groups: GroupCommit;
  private readonly freeDisk: FreeDisk;
  private readonly queue: WriteRequest[] = [];
  private running = false;
  private closing = false;

  constructor(database: Database, logs: ExperimentLogs) {
    this.database = database;
    this.logs = logs;
    const operations = writeOperations as Record<string, WriteOperation>;
    this.groups = new GroupCommit(database, logs, operations, Date.now, (message, error) =>
      tell({ type: "warning", message, error: carryError(error) }),
    );
    this.freeDisk = new FreeDisk(
      settings.diskReserveBytes > 0 ? settings.dataDirectory : undefined,
    );
  }

  take(message: ToWriter): void {
    switch (message.type) {
      case "writes":
        this.queue.push(...message.requests);
        break;
      case "statistics": {
        const figures = {
          ...this.groups.statistics,
          queued: this.queue.length,
          ...memoryFigures(),
        };
        tell({ type: "statistics", id: message.id, figures });
        break;
      }
      case "close":
        this.closing = true;
        break;
    }
  }

  /** Commits groups until nothing waits. Rejects when storage has failed: nothing more may be acknowledged. */
  async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (this.queue.length > 0) {
      if (this.freeDisk.bytes < settings.diskReserveBytes) this.refuseWaiting();
      const group = this.groups.take(this.queue);
      acknowledge(await this.groups.commit(group));
      releasePoints(group);
      const unsealed = this.logs.takeUnsealed();
      if (unsealed.length > 0) tell({ type: "unsealed", experimentIds: unsealed });
      // What came in meanwhile makes the next group, without a turn of the event loop.
      for (
        let next = receiveMessageOnPort(port);
        next !== undefined;
        next = receiveMessageOnPort(port)
      ) {
        this.take(next.message as ToWriter);
      }
    }
    this.running = false;
    if (!this.closing) return;
    await this.database[Symbol.asyncDispose]();
    tell({ type: "closed" });
    port.close();
  }

  /** The background's own writes still run below the reserve: they are small, and they free space. */
  private refuseWaiting(): void {
    const isOurs = ({ writes }: WriteRequest) =>
      writes.every((write) => write.kind === "call" && housekeeping.has(write.name));
    const refused = this.queue.filter((request) => !isOurs(request));
    if (refused.length > 0) acknowledge(refuse(refused));
    const kept = this.queue.filter(isOurs);
    this.queue.splice(0, this.queue.length, ...kept);
  }
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

async function start(): Promise<void> {
  const database = await openDatabase(settings, "write");
  await migrate(database);
  const installation = await database.read(readInstallation);
  await claimSegments(settings, database, installation.hashSeed);
  const logs = new ExperimentLogs({
    bucket: await openBucket(settings, database),
    hasher: new IdentifierHasher(installation.hashSeed),
    seriesPerExperiment: settings.seriesPerExperiment,
    sealPoints: settings.sealPoints,
  });
  const thread = new WriterThread(database, logs);
  port.on("message", (message: ToWriter) => {
    thread.take(message);
    thread.run().catch(fail);
  });
  tell({ type: "ready", installation });
}

// At the end: the class above exists only from here on.
try {
  await start();
} catch (error) {
  fail(error);
}
