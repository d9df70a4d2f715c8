import { randomUUID } from "node:crypto";
import type { Database, Reader } from "../../database/database.ts";
import {
  type noteToldAmounts,
  type noteToldQuotas,
  readToldAmounts,
  readToldQuotas,
  type ToldAmount,
  type ToldAmounts,
  type ToldDay,
} from "../../database/quotas/told-amounts.ts";
import { andAnswers, type AwayWorkers } from "../../database/workers/away-workers.ts";
import type { Places } from "../../database/workers/places.ts";
import type { noteTold } from "../../experiments/told/note-told.ts";
import type { noteToldUntil } from "../../experiments/told/told-until.ts";
import { readTold } from "../../experiments/told/read-told.ts";
import type { Lease } from "./lease.ts";
import { isFatal, type Task } from "./runner.ts";
import { isOurs, type Slices } from "./slices.ts";

export interface TellingParts {
  database: Database;
  /** By number, the first at 0. */
  workers: readonly Pick<Database, "read">[];
  places: Places;
  slices: Slices | undefined;
  away: AwayWorkers;
  /** Experiments that this node has changed on workers since the last call. */
  changed: () => Promise<string[]>;
  /** Has workers do what they owe. */
  settle: (experimentIds: string[]) => Promise<void>;
  write: (
    name: "told.experiments" | "told.until",
    input: Parameters<typeof noteTold>[1] | Parameters<typeof noteToldUntil>[1],
  ) => Promise<unknown>;
  warn(message: string, error: unknown): void;
}

const lookEveryMs = 1_000;
/** Interval of looking for errands that nobody has done, and for changes that nobody told. */
const errandsEveryMs = 10_000;
const everythingEveryMs = 60_000;
/** Experiments of one telling. */
const together = 200;
const serverOfErrand = "(SELECT server FROM experiment WHERE id = errand.experiment)";

/**
 * Has the workers tell the directory of the points of experiments: each node of those that it has
 * changed, and sometimes of all of its slices, for nodes that died before they told.
 */
export class Telling implements Task {
  readonly failure = "Telling of the points on workers failed.";
  readonly everyMs = lookEveryMs;
  readonly firstMs = 0;
  readonly figures = { told_experiments: 0 };
  failures = 0;
  readonly #parts: TellingParts;
  readonly #node = randomUUID();
  /** Experiments whose worker did not answer. */
  readonly #again = new Set<string>();
  #errandsAtMs = -Infinity;
  #everythingAtMs = -Infinity;

  constructor(parts: TellingParts) {
    this.#parts = parts;
  }

  async round(stopped: AbortSignal): Promise<void> {
    const untilMs = Date.now();
    const ids = new Set([...this.#again, ...(await this.#parts.changed())]);
    this.#again.clear();
    await this.#tellEach([...ids], stopped);
    if (this.#again.size === 0 && !stopped.aborted)
      await this.#parts.write("told.until", { node: this.#node, untilMs });
    const { slices } = this.#parts;
    if (slices !== undefined && !(await slices.held())) return;
    const nowMs = performance.now();
    if (nowMs - this.#errandsAtMs >= errandsEveryMs) {
      this.#errandsAtMs = nowMs;
      await this.#doErrands(stopped);
    }
    if (nowMs - this.#everythingAtMs >= everythingEveryMs) {
      this.#everythingAtMs = nowMs;
      await this.#lookEverywhere(stopped);
    }
  }

  /** Tells of these experiments now; those that are on the directory have nothing to be told. */
  async tell(experimentIds: readonly string[]): Promise<void> {
    const { database, write } = this.#parts;
    const told = await database.read((reader) => readTold(reader, experimentIds));
    if (told.length === 0) return;
    const { again } = (await write("told.experiments", { told })) as { again: string[] };
    for (const id of again) this.#again.add(id);
    this.figures.told_experiments += told.length;
  }

  /** Tells worker by worker. One that does not answer holds up no other, and is told of later. */
  async #tellEach(ids: readonly string[], stopped: AbortSignal): Promise<void> {
    const { database, places, away } = this.#parts;
    if (ids.length === 0) return;
    const servers = await places.of((work) => database.read(work), ids);
    for (const [server = 0, some] of Map.groupBy(ids, (id) => servers.get(id))) {
      if (away.has(server)) {
        for (const id of some) this.#again.add(id);
        continue;
      }
      for (let from = 0; from < some.length; from += together) {
        if (stopped.aborted) return;
        const part = some.slice(from, from + together);
        await this.#warned(stopped, "A worker does not tell of its points.", part, () =>
          this.tell(part),
        );
      }
    }
  }

  async #doErrands(stopped: AbortSignal): Promise<void> {
    const { database, slices, away, settle } = this.#parts;
    const rows = await database.read((reader) =>
      reader.all<{ experiment: string }>(
        `SELECT DISTINCT experiment FROM errand
         WHERE ${isOurs(slices, "experiment")}${andAnswers(away, serverOfErrand)} LIMIT 1000`,
      ),
    );
    for (const { experiment } of rows) {
      if (stopped.aborted) return;
      await this.#warned(stopped, "A worker does not do what it owes.", [], () =>
        settle([experiment]),
      );
    }
  }

  async #lookEverywhere(stopped: AbortSignal): Promise<void> {
    const { database, workers, slices, away } = this.#parts;
    for (const [at, worker] of workers.entries()) {
      if (away.has(at + 1)) continue;
      await this.#warned(stopped, "A worker does not tell of its points.", [], async () => {
        const known = await database.read((reader) =>
          readStates(
            reader,
            `SELECT head.experiment, told_state AS state, head.errand
             FROM head JOIN experiment ON experiment.id = head.experiment
             WHERE experiment.server = ${at + 1} AND ${isOurs(slices, "head.experiment")}`,
          ),
        );
        const present = await worker.read((reader) =>
          readStates(
            reader,
            `SELECT experiment, log_seq + manifest_seq AS state, errand FROM head
             WHERE ${isOurs(slices, "experiment")}`,
          ),
        );
        const behind = present.values().filter(({ experiment, state, errand }) => {
          const there = known.get(experiment);
          return there !== undefined && (state > there.state || errand > there.errand);
        });
        await this.#tellEach(
          Array.from(behind, ({ experiment }) => experiment),
          stopped,
        );
      });
    }
  }

  async #warned(
    stopped: AbortSignal,
    message: string,
    ids: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (stopped.aborted) return;
      if (isFatal(error)) throw error;
      this.failures++;
      for (const id of ids) this.#again.add(id);
      this.#parts.warn(message, error);
    }
  }
}

interface State {
  experiment: string;
  state: number;
  errand: number;
}

async function readStates(reader: Reader, statement: string): Promise<Map<string, State>> {
  const rows = await reader.all<State>(statement);
  return new Map(rows.map((row) => [row.experiment, row]));
}

export interface TellingAmountsParts extends Pick<TellingParts, "database" | "workers" | "away"> {
  lease: Lease | undefined;
  write: (
    name: "told.amounts" | "told.quotas",
    input: Parameters<typeof noteToldAmounts>[1] | Parameters<typeof noteToldQuotas>[1],
  ) => Promise<unknown>;
  warn(message: string, error: unknown): void;
}

/** Tells the directory what workers have counted, and them what counts elsewhere. */
export class TellingAmounts implements Task {
  readonly failure = "Telling of the amounts on workers failed.";
  readonly everyMs = lookEveryMs;
  readonly firstMs = 0;
  readonly lease: Lease | undefined;
  readonly #parts: TellingAmountsParts;
  /** By worker: what was told last, as JSON, and the day since which more may come. */
  readonly #told = new Map<number, { rows: ReadonlyMap<string, string>; sinceDay: number }>();
  readonly #quotas = new Map<number, string>();

  constructor(parts: TellingAmountsParts) {
    this.#parts = parts;
    this.lease = parts.lease;
  }

  async round(stopped: AbortSignal): Promise<void> {
    for (const at of this.#parts.workers.keys()) {
      if (this.#parts.away.has(at + 1)) continue;
      try {
        await this.#tell(at + 1);
      } catch (error) {
        if (stopped.aborted) return;
        if (isFatal(error)) throw error;
        this.#told.delete(at + 1);
        this.#parts.warn(`Worker ${at + 1} does not tell what it holds.`, error);
      }
    }
  }

  /** Another node tells: what it told is not known here. */
  idle(): void {
    this.#told.clear();
    this.#quotas.clear();
  }

  async #tell(number: number): Promise<void> {
    const { database, workers, write } = this.#parts;
    const { rows, sinceDay } = this.#told.get(number) ?? { rows: new Map(), sinceDay: 0 };
    const { amounts, days } = await workers[number - 1].read((reader) =>
      readToldAmounts(reader, sinceDay),
    );
    const isNew = (row: ToldAmount | ToldDay) => rows.get(keyOf(row)) !== JSON.stringify(row);
    const news: ToldAmounts = { amounts: amounts.filter(isNew), days: days.filter(isNew) };
    if (news.amounts.length + news.days.length > 0)
      await write("told.amounts", { worker: number, ...news });
    // Until all clocks are past midnight, points come on the day before the last one, too.
    this.#told.set(number, {
      rows: new Map([...amounts, ...days].map((row) => [keyOf(row), JSON.stringify(row)])),
      sinceDay: days.reduce((last, { day }) => Math.max(last, day - 1), sinceDay),
    });
    const quotas = await database.read((reader) => readToldQuotas(reader, number));
    const text = JSON.stringify(quotas);
    if (text === this.#quotas.get(number)) return;
    await write("told.quotas", { server: number, ...quotas });
    this.#quotas.set(number, text);
  }
}

function keyOf(row: ToldAmount | ToldDay): string {
  return "day" in row ? `${row.organization} ${row.day}` : row.organization;
}
