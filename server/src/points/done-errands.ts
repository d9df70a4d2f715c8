import type { Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import type { ErrandInputs, ErrandName } from "../database/errands.ts";
import { moveSeriesAside, moveSeriesBack } from "./moved-series.ts";

/** An errand of the directory, as a worker gets it. */
export interface DoneErrand {
  experimentId: string;
  number: number;
  name: ErrandName;
  input: ErrandInputs[ErrandName];
}

/**
 * `errand.open`: makes the stubs of an experiment on the worker with its points, and its head. An
 * experiment that was purged keeps its stub: a late repeat brings nothing back.
 */
export async function openElsewhere(
  transaction: Transaction,
  { experimentId, number, input }: DoneErrand,
  { nowMs }: Counting,
): Promise<void> {
  const { organizationId } = input as ErrandInputs["open"];
  await transaction.run(
    `INSERT INTO organization (id, name, created_at_ms) VALUES ($1, $1, $2)
     ON CONFLICT (id) DO NOTHING`,
    organizationId,
    nowMs,
  );
  const made = await transaction.run(
    `INSERT INTO experiment (id, organization, slug, description, meta, status, created_at_ms,
       updated_at_ms, status_at_ms)
     VALUES ($1, $2, $1, '', '{}', 'running', $3, $3, $3) ON CONFLICT (id) DO NOTHING`,
    experimentId,
    organizationId,
    nowMs,
  );
  if (made === 0) return;
  await transaction.run(
    `INSERT INTO head (experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision,
       appended_at_ms, errand)
     VALUES ($1, 0, 0, 0, 0, 0, 0, $2, $3)`,
    experimentId,
    nowMs,
    number,
  );
}

/**
 * `errand.run`: does any other errand, once. The operation must be alone in its group: appends of
 * the same group would not see what it changes.
 */
export async function runElsewhere(
  transaction: Transaction,
  { experimentId, number, name, input }: DoneErrand,
  { ledger }: Counting,
): Promise<void> {
  const head = await transaction.get<{ errand: number; organization: string }>(
    `SELECT errand, organization FROM head JOIN experiment ON experiment.id = head.experiment
     WHERE head.experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  // Purged, or done before by who could not say so.
  if (head === undefined || head.errand >= number) return;
  await transaction.run(
    "UPDATE head SET errand = $2, revision = revision + 1 WHERE experiment = $1",
    experimentId,
    number,
  );
  const noteBytes = (bytes: number) => ledger.note(head.organization, { bytes });
  await errands[name as keyof typeof errands](transaction, experimentId, input as never, noteBytes);
}

type Doing<Name extends ErrandName> = (
  transaction: Transaction,
  experimentId: string,
  input: ErrandInputs[Name],
  noteBytes: (bytes: number) => void,
) => Promise<void>;

const errands: { [Name in Exclude<ErrandName, "open">]: Doing<Name> } = {
  async mark(transaction, experimentId, { trashed }) {
    await transaction.run(
      "UPDATE head SET trashed = $2 WHERE experiment = $1",
      experimentId,
      trashed,
    );
  },
  async trashSeries(transaction, experimentId, { name, trash }, noteBytes) {
    noteBytes(-(await moveSeriesAside(transaction, experimentId, name, trash)));
    await noteManifest(transaction, experimentId);
  },
  async restoreSeries(transaction, experimentId, { trash }, noteBytes) {
    noteBytes(await moveSeriesBack(transaction, experimentId, trash));
    await noteManifest(transaction, experimentId);
  },
  async agree(transaction, experimentId, { trashed, series }, noteBytes) {
    await errands.mark(transaction, experimentId, { trashed }, noteBytes);
    const rows = await transaction.all<{ trash: string }>(
      `SELECT DISTINCT trash FROM dropped_series WHERE experiment = $1 AND trash IS NOT NULL
       ORDER BY trash`,
      experimentId,
    );
    const there = new Set(rows.map(({ trash }) => trash));
    const wanted = new Set(series.map(({ trash }) => trash));
    for (const trash of there.difference(wanted))
      await errands.restoreSeries(transaction, experimentId, { trash }, noteBytes);
    for (const one of series)
      if (!there.has(one.trash))
        await errands.trashSeries(transaction, experimentId, one, noteBytes);
  },
};

/** Caches of partitions, in the writers of all nodes too, are outdated. */
async function noteManifest(transaction: Transaction, experimentId: string): Promise<void> {
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1 WHERE experiment = $1",
    experimentId,
  );
}
