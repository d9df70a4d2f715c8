import { DatabaseError, type Database } from "../database/database.ts";
import { type ErrandInputs, type ErrandName, readOwing } from "../database/errands.ts";
import type { Places } from "../database/workers/places.ts";
import { recordedPoints } from "../experiments/mlflow/log.ts";
import { readTold } from "../experiments/told/read-told.ts";
import { ServiceError } from "../ground/errors.ts";
import type { WriteOperation } from "./group-commit.ts";
import type { Lane } from "./lane.ts";
import { writeOperations } from "./operations.ts";
import type { Outcome, Write } from "./storage.ts";

export interface LanesParts {
  /** A lane for each server: the directory's first, then the workers by number. */
  lanes: readonly Lane[];
  places: Places;
  /** Reads the directory, and workers beside it. */
  database: Pick<Database, "read">;
  warn: (message: string, error: Error) => void;
}

type Call = Exclude<Write, { kind: "metrics" }>;

/**
 * The writes of several servers: each goes to the lane of the server that it changes. With one
 * server there is one `Lane`, and none of this.
 */
export class Lanes {
  readonly #parts: LanesParts;
  readonly #operations = writeOperations as Record<string, WriteOperation>;
  /** Experiments on workers that have changed since somebody asked. */
  #changed = new Set<string>();

  constructor(parts: LanesParts) {
    this.#parts = parts;
  }

  get statistics(): Record<string, number> {
    const sum: Record<string, number> = {};
    for (const { statistics } of this.#parts.lanes)
      for (const [name, value] of Object.entries(statistics)) sum[name] = (sum[name] ?? 0) + value;
    return sum;
  }

  /** Returns the experiments on workers that this node has changed since the last call. */
  takeChanged(): string[] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    return changed;
  }

  /**
   * Runs the writes of a request in their order: those of one server together, and one server after
   * the other. Rejects when the first of these parts was refused as a whole. A later part that was
   * refused has errors as its outcomes: what came before it is stored.
   */
  async write(writes: Write[], begin?: () => void): Promise<Outcome[]> {
    const servers = await this.#serversOf(writes);
    const outcomes: Outcome[] = [];
    for (let from = 0; from < writes.length;) {
      let to = from + 1;
      while (isPlain(writes[from]) && servers[to] === servers[from] && isPlain(writes[to])) to++;
      const part = writes.slice(from, to);
      try {
        outcomes.push(...(await this.#writePart(servers[from], part, begin)));
      } catch (error) {
        if (from === 0 || !(error instanceof ServiceError)) throw error;
        const { code, message, details } = error;
        for (let at = from; at < to; at++) outcomes.push({ kind: "error", code, message, details });
      }
      from = to;
    }
    return outcomes;
  }

  #lane(server: number): Lane {
    const lane = this.#parts.lanes[server];
    if (lane !== undefined) return lane;
    const sentence = `This node knows no worker ${server} yet. Another node may, or this one once it is started again.`;
    throw new ServiceError("storage_unavailable", sentence);
  }

  /** Does all errands of experiments, oldest first. Rejects when one cannot be done now. */
  async settle(experimentIds: Iterable<string>): Promise<void> {
    await Promise.all(Array.from(experimentIds, (id) => this.#settleOne(id)));
  }

  /** Resolves when nothing waits any more. */
  async end(): Promise<void> {
    for (const lane of this.#parts.lanes) await lane.end();
  }

  async #writePart(server: number, writes: Write[], begin?: () => void): Promise<Outcome[]> {
    const stale = writes.flatMap((write) => this.#needingFresh(write));
    if (stale.length > 0) {
      // Until it has done its errands, nothing that a worker tells is taken down.
      await this.settle(await this.#readOwing(stale));
      return this.#writeFresh(stale, writes, begin);
    }
    const [first] = writes;
    if (writes.length === 1 && first.kind === "call" && first.recorded !== undefined) {
      const { experimentId } = first.recorded;
      const at = (await this.#placesOf([experimentId])).get(experimentId) ?? 0;
      if (at !== 0) return this.#writeRecorded(at, first, first.recorded);
    }
    try {
      return await this.#lane(server).write(writes, begin);
    } finally {
      if (server !== 0)
        for (const write of writes) {
          const id = this.#experimentOf(write);
          if (id !== undefined) this.#changed.add(id);
        }
    }
  }

  /**
   * Logs a batch of MLflow's whose points are on a worker, all or nothing: it is tried without its
   * points, then these are appended, then it is done in earnest. A repeat finds the points there.
   */
  async #writeRecorded(
    server: number,
    { name, input }: Call,
    { experimentId, points }: NonNullable<Call["recorded"]>,
  ): Promise<Outcome[]> {
    if (name !== "run.log") throw new Error(`BUG: ${name} with points`);
    const { lanes } = this.#parts;
    const tried = await lanes[0].write([callOf("run.tryLog", input)]);
    if (tried[0].kind === "error") return tried;
    // The lane frees the memory of what it has appended.
    const kept = { ...points, columns: points.columns.slice(0) };
    const record = callOf("run.record", { experimentId }, { experimentId, points });
    const [appended] = await this.#lane(server).write([record]);
    this.#changed.add(experimentId);
    if (appended.kind !== "value") return [appended];
    const recorded = recordedPoints(appended.value as Uint8Array, kept);
    return this.#writeFresh([experimentId], [callOf("run.log", { ...input, recorded })]);
  }

  async #settleOne(experimentId: string): Promise<void> {
    const { database, lanes, places } = this.#parts;
    const found = await database
      .read(async (reader) => {
        const server = (await places.of((work) => work(reader), [experimentId])).get(experimentId);
        const errands = await reader.all<{ number: number; name: ErrandName; input: string }>(
          "SELECT number, name, input FROM errand WHERE experiment = $1 ORDER BY number",
          experimentId,
        );
        return { server, errands };
      })
      .catch(refuse);
    const { server = 0, errands } = found;
    if (server === 0) return;
    for (const { number, name, input } of errands) {
      const operation = name === "open" ? "errand.open" : "errand.run";
      const given = JSON.parse(input) as ErrandInputs[ErrandName];
      const call = callOf(operation, { experimentId, number, name, input: given });
      const [outcome] = await this.#lane(server).write([call]);
      if (outcome.kind === "error")
        throw new Error(`BUG: errand ${name} of ${experimentId}: ${outcome.message}`);
    }
    if (errands.length === 0) return;
    this.#changed.add(experimentId);
    // Nobody waits for this: an errand that is done twice is done once.
    const upTo = errands.at(-1)!.number;
    lanes[0]
      .write([callOf("errand.forget", { experimentId, upTo })])
      .catch((error: unknown) => this.#parts.warn("A done errand stays.", error as Error));
  }

  /** Has the workers tell of experiments before the directory uses what it knows of them. */
  async #writeFresh(
    experimentIds: readonly string[],
    writes: Write[],
    begin?: () => void,
  ): Promise<Outcome[]> {
    const { database, lanes } = this.#parts;
    const told = await database.read((reader) => readTold(reader, experimentIds)).catch(refuse);
    const telling = callOf("told.experiments", { told });
    const [, ...outcomes] = await lanes[0].write([telling, ...writes], begin);
    return outcomes;
  }

  #needingFresh(write: Write): string[] {
    if (write.kind === "metrics") return [];
    return [...(this.#operations[write.name]?.fresh?.(write.input as never) ?? [])];
  }

  #readOwing(experimentIds: readonly string[]): Promise<string[]> {
    return this.#parts.database.read((reader) => readOwing(reader, experimentIds)).catch(refuse);
  }

  /** The experiment of a write that is done where its points are. */
  #experimentOf(write: Write): string | undefined {
    if (write.kind === "metrics") return write.experimentId;
    if (this.#operations[write.name]?.atPoints === undefined) return undefined;
    return (write.input as { experimentId?: string }).experimentId;
  }

  #serverNamedIn(write: Write): number {
    if (write.kind === "metrics" || this.#operations[write.name]?.atPoints === undefined) return 0;
    return (write.input as { server?: number }).server ?? 0;
  }

  #placesOf(experimentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { places, database } = this.#parts;
    return places.of((work) => database.read(work), experimentIds).catch(refuse);
  }

  async #serversOf(writes: readonly Write[]): Promise<number[]> {
    const ids = writes.map((write) => this.#experimentOf(write));
    const known = ids.filter((id) => id !== undefined);
    if (known.length === 0) return writes.map((write) => this.#serverNamedIn(write));
    const found = await this.#placesOf(known);
    return writes.map((write, at) => {
      const id = ids[at];
      return id === undefined ? this.#serverNamedIn(write) : (found.get(id) ?? 0);
    });
  }
}

/** A call with points may have to be done in parts. */
function isPlain(write: Write): boolean {
  return write.kind === "metrics" || write.recorded === undefined;
}

function callOf(name: Call["name"], input: unknown, recorded?: Call["recorded"]): Write {
  return { kind: "call", name, input, ...(recorded && { recorded }) } as Write;
}

function refuse(error: unknown): never {
  if (!(error instanceof DatabaseError)) throw error;
  throw new ServiceError(
    "storage_unavailable",
    "The database does not answer. It is not known whether this request was stored: send it again with the same messageIds.",
  );
}
