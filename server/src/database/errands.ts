import type { Reader, Transaction } from "./database.ts";

/** Errands by name, with their inputs: a worker does them for a change of the directory. */
export interface ErrandInputs {
  /** Its first: makes the head. */
  open: { organizationId: string };
  /** Whether the experiment is in the trash, and takes no points. */
  mark: { trashed: 0 | 1 };
  /** A series goes to the trash under this entry, or comes back from it. */
  trashSeries: { name: string; trash: string };
  restoreSeries: { trash: string };
  /** All of this as the directory has it: it was put back to before errands that are done. */
  agree: { trashed: 0 | 1; series: { name: string; trash: string }[] };
}

export type ErrandName = keyof ErrandInputs;

/**
 * The errands of one request's changes. They are rows of the same transaction; who acknowledges the
 * request has them done first.
 */
export class Errands {
  /** Experiments that may have some, left by this request or by an interrupted one before. */
  readonly owed = new Set<string>();
  readonly #transaction: Transaction;
  readonly #choose: () => number;
  readonly #nowMs: number;

  /** `choose` returns the worker for a new experiment; 0: the directory itself. */
  constructor(transaction: Transaction, nowMs: number, choose: () => number) {
    this.#transaction = transaction;
    this.#nowMs = nowMs;
    this.#choose = choose;
  }

  choose(): number {
    return this.#choose();
  }

  /**
   * Leaves an errand, if the experiment's points are elsewhere; its head is locked from then. Its
   * number is the time, or the next one: a directory that was put back gives none again that a
   * worker has done.
   */
  async leave<Name extends ErrandName>(
    experimentId: string,
    name: Name,
    input: ErrandInputs[Name],
  ): Promise<void> {
    this.owed.add(experimentId);
    const head = await this.#transaction.get<{ errand: number }>(
      `UPDATE head SET errand = CASE WHEN errand < $2 THEN $2 ELSE errand + 1 END
       WHERE experiment = $1 AND (SELECT server FROM experiment WHERE id = $1) <> 0
       RETURNING errand`,
      experimentId,
      this.#nowMs,
    );
    if (head === undefined) return;
    await this.#transaction.run(
      "INSERT INTO errand (experiment, number, name, input) VALUES ($1, $2, $3, $4)",
      experimentId,
      head.errand,
      name,
      JSON.stringify(input),
    );
  }
}

/** Returns those of the experiments whose worker has yet to do some. */
export async function readOwing(
  reader: Reader,
  experimentIds: readonly string[],
): Promise<string[]> {
  const rows = await reader.all<{ experiment: string }>(
    `SELECT DISTINCT experiment FROM errand WHERE ${reader.isOneOf("experiment", "$1")}`,
    JSON.stringify(experimentIds),
  );
  return rows.map(({ experiment }) => experiment);
}

/** `errand.forget`: the worker has done those up to a number. */
export async function forgetErrands(
  transaction: Transaction,
  { experimentId, upTo }: { experimentId: string; upTo: number },
): Promise<void> {
  await transaction.run(
    "DELETE FROM errand WHERE experiment = $1 AND number <= $2",
    experimentId,
    upTo,
  );
}

/** Context of an operation whose change a worker has to follow; absent where there is none. */
export interface Erranding {
  errands?: Errands;
}

/** Whether the points of an experiment are on a worker. */
export async function isElsewhere(
  transaction: Transaction,
  experimentId: string,
): Promise<boolean> {
  const row = await transaction.get<{ server: number }>(
    "SELECT server FROM experiment WHERE id = $1",
    experimentId,
  );
  return row !== undefined && row.server !== 0;
}
