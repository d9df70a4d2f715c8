import { Batcher } from "../engine/batcher.ts";
import type { Simulation } from "../engine/simulation.ts";
import type { Thread } from "../engine/thread.ts";
import type { Costs } from "./costs.ts";
import type { DatabaseServer } from "./database-server.ts";
import type { Request } from "./request.ts";

/** Points of one group, as in `server/src/storage/group-commit.ts`. */
const pointsPerGroup = 65_536;
/** Parts of the work before the heads are locked: of the writer thread, and of PostgreSQL. */
const before = { writer: 0.1, server: 0.4 };
/** Statements of a group, each a round trip: begin, lock, move heads, insert records, commit. */
const statements = 5;

export interface Waiting {
  request: Request;
  answered: (isStored: boolean) => void;
}

export interface LaneSettings {
  writer: Thread;
  server: DatabaseServer;
  costs: Costs;
  networkS: number;
}

/** The way from a node to one PostgreSQL: a queue, of which each commit takes all that waits. */
export class Lane {
  readonly #simulation: Simulation;
  readonly #settings: LaneSettings;

  constructor(simulation: Simulation, settings: LaneSettings) {
    this.#simulation = simulation;
    this.#settings = settings;
  }

  batcher(
    isAlive: () => boolean,
    onStored: (group: Waiting[], experiments: readonly number[], points: number) => void,
  ): Batcher<Waiting> {
    return new Batcher<Waiting>({
      atOnce: 1,
      weightMax: pointsPerGroup,
      weightOf: ({ request }) => request.points,
      serve: (group, done) => {
        if (isAlive()) this.#commit(group, { isAlive, done, onStored });
      },
    });
  }

  #commit(
    group: Waiting[],
    given: {
      isAlive: () => boolean;
      done: () => void;
      onStored: (group: Waiting[], experiments: readonly number[], points: number) => void;
    },
  ): void {
    const { writer, server, costs, networkS } = this.#settings;
    const experiments = [...new Set(group.map(({ request }) => request.experiment))];
    const points = pointsOf(group);
    const amounts = { requests: group.length, records: experiments.length, points };
    const writerS = writerSeconds(costs, amounts);
    const serverS = serverSeconds(costs, amounts);
    const waitS = costs.waits.statementsMs / 1_000 / 2 + (networkS * statements) / 2;
    const settle = (isStored: boolean): void => {
      if (!given.isAlive()) return;
      given.done();
      for (const { answered } of group) answered(isStored);
    };
    const stored = (isStored: boolean): void => {
      if (isStored) {
        // Ids that are there already are recognised, and nothing is added for them.
        const added = group.filter(({ request }) => !request.isStored);
        for (const { request } of added) request.isStored = true;
        given.onStored(group, experiments, pointsOf(added));
      }
      this.#simulation.after(waitS, () =>
        writer.run(writerS * before.writer, () => settle(isStored)),
      );
    };
    writer.run(writerS * before.writer, () =>
      server.begin(experiments, serverS * before.server, (transaction) => {
        if (transaction === undefined) return settle(false);
        if (!given.isAlive()) return transaction.abort();
        this.#simulation.after(waitS, () =>
          writer.run(writerS * (1 - 2 * before.writer), () =>
            given.isAlive()
              ? transaction.commit(
                  { cpuS: serverS * (1 - before.server), logBytes: logBytes(costs, amounts) },
                  stored,
                )
              : transaction.abort(),
          ),
        );
      }),
    );
  }
}

function pointsOf(group: readonly Waiting[]): number {
  return group.reduce((sum, { request }) => sum + request.points, 0);
}

interface Amounts {
  requests: number;
  records: number;
  points: number;
}

function writerSeconds({ writer }: Costs, { requests, records, points }: Amounts): number {
  const { groupUs, requestUs, recordUs, pointUs } = writer;
  return (groupUs + requestUs * requests + recordUs * records + pointUs * points) / 1e6;
}

function serverSeconds({ server }: Costs, { records, points }: Amounts): number {
  return (server.groupUs + server.recordUs * records + server.pointUs * points) / 1e6;
}

function logBytes({ wal }: Costs, { records, points }: Amounts): number {
  return wal.groupBytes + wal.recordBytes * records + wal.pointBytes * points;
}
