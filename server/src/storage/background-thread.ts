import { parentPort } from "node:worker_threads";
import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Database, WorkerState } from "../database/database.ts";
import { AwayWorkers } from "../database/workers/away-workers.ts";
import { Lease } from "./background/lease.ts";
import { ConsoleSealing } from "./background/console-sealing.ts";
import { ConsoleSealer } from "../console/sealer.ts";
import { LogSealing } from "./background/log-sealing.ts";
import { type PurgeStep, Purging } from "./background/purging.ts";
import { purgeStepOf } from "./background/series-purge.ts";
import { Retaining } from "./background/retaining.ts";
import { type Round, toldRounds } from "./background/rounds.ts";
import { Runner, type Task } from "./background/runner.ts";
import { Slices } from "./background/slices.ts";
import { Telling, TellingAmounts } from "./background/telling.ts";
import {
  MetaIndexing,
  Recounting,
  SummaryFolding,
  type SummarizingParts,
} from "./background/summarizing.ts";
import { IndexingFromBefore } from "./background/from-before.ts";
import { IdentifierHasher } from "../points/identifiers/hash.ts";
import { Merger } from "../points/merge.ts";
import { type Dropped, PartitionDropper } from "../points/partition-dropper.ts";
import { Sealer } from "../points/seal.ts";
import { SegmentSweeper } from "../points/segment-sweeper.ts";
import { indexMetas } from "../experiments/summaries/config-index.ts";
import { Pace } from "../ground/pace.ts";
import { readWholeReach } from "../experiments/summaries/reach.ts";
import { Summarizer } from "../experiments/summaries/summarizer.ts";
import type {
  BackgroundCalls,
  BackgroundWriting,
  MainCalls,
  ThreadSettings,
  WorkNotices,
} from "./calls.ts";
import { carryError } from "./carried-error.ts";
import { readInstallation } from "./installation.ts";
import { type DueRule, dueRule, readFinds, type TakeFinds } from "../trash/retention/take.ts";
import { duePurges } from "../trash/purge-step.ts";
import { memoryFigures } from "./memory-figures.ts";
import { openServers, type OpenServers } from "./open-database.ts";
import { openBucket } from "./open-drivers.ts";
import type { Write } from "./storage.ts";
import { ThreadCalls } from "./thread-calls.ts";

/**
 * The background thread: seals, merges, summarizes, purges and sweeps. It reads by itself and
 * changes the database through the writer.
 */

const leaseMs = 15_000;
/** Time in which writes are gathered into one group; background writes are not urgent. */
const gatherMs = 5;
/** Rows of summaries that one transaction writes: some 3 ms of the writer. */
const summaryRowsPerWrite = 500;
/** Rows of summaries written per second, by each node. */
const summaryRowsPerSecond = 8_000;
/** Leaves of metas have a pace of their own: they wait for no metric. */
const indexRowsPerSecond = 12_000;
/** Annotations and files from before that are looked through per second. */
const lookedPerSecond = 20_000;
/** Rows purged per second; recording has priority. */
const purgedRowsPerSecond = 20_000;
/** Entries per second that rules take; they are written one by one and are not urgent. */
const takenPerSecond = 500;
/** Maximum of cached keys of metas, which are never evicted: 0.5 KiB each at most. */
const configKeysMax = 100_000;

class Sweeping implements Task {
  readonly failure = "Sweeping failed; it is tried again in a minute.";
  readonly everyMs = 60_000;
  readonly lease: Lease | undefined;
  sweptObjects = 0;
  readonly #sweeper: SegmentSweeper;

  constructor(sweeper: SegmentSweeper, lease: Lease | undefined) {
    this.#sweeper = sweeper;
    this.lease = lease;
  }

  async round(stopped: AbortSignal): Promise<void> {
    this.sweptObjects += await this.#sweeper.sweep(stopped);
  }
}

interface TaskTools {
  database: Database;
  servers: OpenServers;
  /** Tells the directory what is on workers; undefined without any. */
  telling: Telling | undefined;
  bucket: SegmentBucket;
  hasher: IdentifierHasher;
  /** The lease of the work that one node does. */
  lease: Lease | undefined;
  /** The experiments that this node seals and summarizes; undefined: all. */
  slices: Slices | undefined;
  /** Workers whose experiments are left out. */
  away: AwayWorkers;
  write: (name: string, input: unknown) => Promise<never>;
  warn: (message: string, error: unknown) => void;
}

function makeRetaining({ database, write, lease, warn }: TaskTools, { trashDays }: ThreadSettings) {
  const now = () => ({ nowMs: Date.now() });
  return new Retaining<DueRule, TakeFinds["finds"][number]>({
    due: () => database.read((reader) => dueRule(reader, now())),
    find: (rule, limit) => database.read((reader) => readFinds(reader, rule, limit, now())),
    take: (rule, finds) => write("retention.take", { rule, finds, daysDefault: trashDays }),
    looked: (rule, isDone) => write("retention.looked", { rule, isDone }),
    pace: new Pace(takenPerSecond),
    lease,
    warn,
  });
}

interface PurgingTools {
  sealer: Sealer;
  sweeper: SegmentSweeper;
  isHeld: (experimentId: string) => boolean;
  foldSoon: (experimentId: string) => void;
}

function makePurging(tools: TaskTools, { sealer, sweeper, isHeld, foldSoon }: PurgingTools) {
  const { database, lease, warn } = tools;
  const seal = async (experimentId: string) => {
    if (!isHeld(experimentId)) await sealer.seal(experimentId);
  };
  const parts = {
    step: (id: string, isGoneElsewhere = false) =>
      tools.write("trash.purgeStep", { id, isGoneElsewhere }),
    dropper: new PartitionDropper({ ...tools, seal, foldSoon }),
    end: (id: string, series: Dropped, manifestSeq: number) =>
      endSeries(tools, id, series, manifestSeq),
    forgetElsewhere: (elsewhere: object) => tools.write("points.forgetElsewhere", elsewhere),
  };
  return new Purging({
    due: (limit, without) =>
      database.read((reader) => duePurges(reader, { limit, without }, { nowMs: Date.now() })),
    step: (id) => purgeStepOf(parts, id),
    sweep: (stopped) => sweeper.sweepGarbage(stopped),
    pace: new Pace(purgedRowsPerSecond),
    lease,
    warn,
  });
}

/** The worker with the points ends first, then the directory. */
async function endSeries(
  { database, servers: { places }, write }: TaskTools,
  id: string,
  { experimentId }: Dropped,
  manifestSeq: number,
): Promise<PurgeStep> {
  const servers = await places.of((work) => database.read(work), [experimentId]);
  const isEndedElsewhere = (servers.get(experimentId) ?? 0) !== 0;
  if (isEndedElsewhere) {
    const ended: { partitions?: number } = await write("points.endElsewhere", {
      experimentId,
      trash: id,
      manifestSeq,
    });
    if (ended.partitions === undefined) return { rows: 0, isDone: false };
  }
  return write("trash.endSeries", { id, manifestSeq, isEndedElsewhere });
}

function makeTasks(tools: TaskTools, settings: ThreadSettings) {
  const { database, lease, slices, away, warn } = tools;
  const pace = new Pace(summaryRowsPerSecond);
  const summarizer = new Summarizer({ ...tools, pace, rowsPerWrite: summaryRowsPerWrite });
  const hasWorkers = tools.servers.workers.length > 0;
  const sealer = new Sealer(
    { ...tools, hasWorkers },
    tools.hasher,
    async (experimentId, from, records) => {
      try {
        // The directory has to know the partitions of what is folded.
        await tools.telling?.tell([experimentId]);
        await summarizer.foldSealed(experimentId, { from, records });
      } catch (error) {
        warn(
          `Experiment ${experimentId} is sealed without its summaries; they follow later.`,
          error,
        );
      }
    },
  );
  const merger = new Merger(tools);
  const isHeld = (experimentId: string) =>
    summarizer.isRecounting(experimentId) || away.hasPointsOf(experimentId);
  const ours = { database, settings, slices, warn };
  const sealing = new LogSealing({ ...ours, sealer, merger, isHeld });
  const consoles = new ConsoleSealing({ ...ours, sealer: new ConsoleSealer(tools) });
  const sweeper = new SegmentSweeper(tools, tools.servers.workers);
  const sweeping = new Sweeping(sweeper, lease);
  const retaining = makeRetaining(tools, settings);
  const indexTools = { ...tools, pace: new Pace(indexRowsPerSecond), keysMax: configKeysMax };
  const parts: SummarizingParts = {
    database,
    summarizer,
    slices,
    away,
    warn,
    trim: (experimentId) => sealer.trim(experimentId),
    indexMetas: (experimentIds, stopped) => indexMetas(indexTools, experimentIds, stopped),
    async widenReach(experimentId) {
      const found = await readWholeReach(tools, experimentId);
      if (found !== undefined) await tools.write("summaries.widen", found);
    },
    noteVersions: () => tools.write("versions.noteExperiments", {}),
  };
  const folding = new SummaryFolding(parts);
  const summarizing = [folding, new MetaIndexing(parts), new Recounting(parts)] as const;
  const foldSoon = (experimentId: string) => folding.foldSoon(experimentId);
  const purging = makePurging(tools, { sealer, sweeper, isHeld, foldSoon });
  const fromBefore = new IndexingFromBefore({
    database,
    add: (step) => tools.write("experiment.addBefore", step),
    pace: new Pace(lookedPerSecond),
    lease,
  });
  return { summarizer, sealing, consoles, sweeping, purging, retaining, summarizing, fromBefore };
}

function makeRunners(
  {
    sealing,
    consoles,
    sweeping,
    purging,
    retaining,
    summarizing,
    fromBefore,
  }: ReturnType<typeof makeTasks>,
  { traces = false }: ThreadSettings,
  warn: TaskTools["warn"],
  tellers: readonly Task[],
) {
  const tell = (round: Round) => main.tell("worked", round);
  const runner = (name: string, task: Task, figures: () => Record<string, number>) =>
    new Runner(traces ? toldRounds(name, task, figures, tell) : task, warn);
  const swept = () => ({ swept_objects: sweeping.sweptObjects });
  const [folding, indexing, recounting] = summarizing;
  const seal = runner("seal", sealing, () => sealing.figures);
  const purge = runner("purge", purging, () => purging.figures);
  const runners = [
    seal,
    runner("seal consoles", consoles, () => consoles.figures),
    runner("sweep segments", sweeping, swept),
    purge,
    runner("retain", retaining, () => retaining.figures),
    runner("fold summaries", folding, () => folding.figures),
    runner("index metas", indexing, () => indexing.figures),
    runner("recount summaries", recounting, () => recounting.figures),
    runner("index from before", fromBefore, () => fromBefore.figures),
    ...tellers.map((teller) => new Runner(teller, warn)),
  ];
  return { runners, seal, purge };
}

/** None without workers. */
function makeTellers(
  tools: Omit<TaskTools, "telling" | "hasher">,
  writer: Pick<ThreadCalls<BackgroundWriting, WorkNotices>, "ask">,
): [] | [Telling, TellingAmounts] {
  const { workers, places } = tools.servers;
  if (workers.length === 0) return [];
  const telling = new Telling({
    ...tools,
    workers,
    places,
    changed: () => writer.ask("changed", undefined),
    settle: (experimentIds) => writer.ask("settle", experimentIds),
  });
  return [telling, new TellingAmounts({ ...tools, workers })];
}

const main = new ThreadCalls<MainCalls, BackgroundCalls>(parentPort!);

function warn(message: string, error: unknown): void {
  main.tell("warning", { message, error: carryError(error) });
}

/** Damage is told by who meets it, and that one answers again by its figure. */
function noteWorker(state: WorkerState, sentence: string, error: unknown): void {
  if (state === "away") warn(sentence, error);
}

main.serve({
  async open({ settings, writer: port }) {
    // A cache does not help: it reads rows once, or after others have written them.
    const servers = await openServers(settings, "read", { cacheKiB: 8_192, noteWorker });
    const { database } = servers;
    const away = new AwayWorkers(servers.workers, servers.places);
    const bucket = await openBucket(settings, database);
    const { hashSeed } = await database.read(readInstallation);
    const writer = new ThreadCalls<BackgroundWriting, WorkNotices>(port, (send) =>
      setTimeout(send, gatherMs),
    );
    /** Rejects when the write failed, or when it is not known whether it did. */
    const write = async (name: string, input: unknown): Promise<never> => {
      const [outcome] = await writer.ask("write", [{ kind: "call", name, input } as Write]);
      if (outcome?.kind === "value") return outcome.value as never;
      if (outcome?.kind === "error") throw new Error(outcome.message);
      throw new Error(`BUG: outcome of ${name} is ${outcome?.kind}`);
    };
    const tools = { database, bucket, write, away };
    // On SQLite there is one node, and the data directory's lock says so.
    const isShared = settings.databaseUrl !== undefined;
    const lease = isShared
      ? new Lease("background", leaseMs, (claim) => write("background.lease", claim))
      : undefined;
    const slices = isShared
      ? new Slices(leaseMs, (claim) => write("background.slices", claim))
      : undefined;
    const tellers = makeTellers({ ...tools, servers, lease, slices, warn }, writer);
    const [telling] = tellers;
    const hasher = new IdentifierHasher(hashSeed);
    const tasks = makeTasks({ ...tools, servers, telling, hasher, lease, slices, warn }, settings);
    const { summarizer, sealing, consoles, sweeping, purging, retaining, summarizing } = tasks;
    const { runners, seal, purge } = makeRunners(tasks, settings, warn, tellers);
    const counted = [
      ...runners,
      sealing.figures,
      purging,
      retaining,
      ...summarizing.map(({ each }) => each),
    ];
    for (const runner of runners) {
      runner.run().catch((error: unknown) => main.tell("fatal", carryError(error)));
    }
    writer.serve({
      unsealed(experimentIds) {
        sealing.notify(experimentIds);
        seal.wake();
      },
      purgeAsked: () => purge.wake(),
    });
    main.serve({
      statistics: () => ({
        ...sealing.figures,
        sealed_lines: consoles.figures.sealed_lines,
        ...summarizer.figures,
        ...purging.figures,
        ...retaining.figures,
        swept_objects: sweeping.sweptObjects + purging.figures.purged_objects,
        failures: counted.reduce((sum, { failures }) => sum + failures, 0),
        ...memoryFigures(),
      }),
      async close() {
        const ended = runners.map((runner) => runner[Symbol.asyncDispose]());
        // A writer that has failed answers nothing.
        writer.rejectAll(new Error("The service is stopping."));
        await Promise.all(ended);
        await database[Symbol.asyncDispose]();
      },
    });
  },
});
