import { randomUUID } from "node:crypto";
import type { Transaction } from "../../database/database.ts";
import { Renewal } from "./renewal.ts";

/** The last character of an id is random, one of these; ids that a client chose may have others. */
const lastCharacters = "0123456789abcdefghjkmnpqrstvwxyz";
/** Maximum of nodes that seal logs of one database at once. */
const count = 8;

interface Claim {
  node: string;
  leaseMs: number;
}

/**
 * The experiments whose logs this node seals, and whose summaries it keeps: those of some slices,
 * where several nodes share a database. An experiment is in one slice for ever.
 */
export class Slices {
  readonly #renewal: Renewal;
  #mine: ReadonlySet<number> = new Set();

  /** `take` runs the operation `background.slices`. */
  constructor(leaseMs: number, take: (claim: Claim) => Promise<{ slices: number[] }>) {
    const claim = { node: randomUUID(), leaseMs };
    this.#renewal = new Renewal(leaseMs, async () => {
      const { slices } = await take(claim);
      this.#mine = new Set(slices);
      return slices.length > 0;
    });
  }

  /** Takes slices or renews them; false when other nodes have all of them. */
  held(): Promise<boolean> {
    return this.#renewal.held();
  }

  has(experimentId: string): boolean {
    return this.#mine.has(sliceOf(experimentId));
  }

  /** The part of all experiments that is this node's. */
  get share(): number {
    return this.#mine.size / count;
  }

  /** SQL: the experiment whose id is in `column` is this node's. */
  condition(column: string): string {
    const last = `substr(${column}, length(${column}))`;
    const listed = (isMine: boolean) =>
      Array.from(lastCharacters)
        .filter((one) => this.#mine.has(sliceOf(one)) === isMine)
        .map((one) => `'${one}'`)
        .join();
    if (this.#mine.size === count) return "1 = 1";
    return this.#mine.has(0) ? `${last} NOT IN (${listed(false)})` : `${last} IN (${listed(true)})`;
  }
}

function sliceOf(experimentId: string): number {
  return Math.max(0, lastCharacters.indexOf(experimentId.at(-1) ?? "")) % count;
}

/** SQL: the experiment whose id is in `column` is one of this node's; undefined: all are. */
export function isOurs(slices: Slices | undefined, column: string): string {
  return slices?.condition(column) ?? "1 = 1";
}

/**
 * `background.slices`: renews a node's slices and takes free ones, up to its quota, and gives back
 * what it has beyond. Nodes that ask have equal quotas but for one slice, and all slices together.
 * One that asks no more has none when its leases end. Only spares double work, as a lease does, and
 * goes by the same clock.
 */
export async function takeSlices(
  transaction: Transaction,
  { node, leaseMs }: Claim,
): Promise<{ slices: number[] }> {
  let rows = await readSlices(transaction);
  if (rows.length < count) rows = await makeSlices(transaction);
  const nowMs = rows[0].now_ms;
  const quota = await quotaOf(transaction, { node, leaseMs }, nowMs);
  const own = rows.filter((row) => row.node === node);
  const free = rows.filter((row) => row.node !== node && !isHeld(row, leaseMs));
  const kept = [...own, ...free].slice(0, quota).map(({ number }) => number);
  for (const number of kept) await set(transaction, number, { node, untilMs: nowMs + leaseMs });
  for (const { number } of own.slice(quota))
    await set(transaction, number, { node: "", untilMs: 0 });
  return { slices: kept.sort((one, other) => one - other) };
}

/** How many slices a node may have. Says that it asks; the rows of slices are locked. */
async function quotaOf(
  transaction: Transaction,
  { node, leaseMs }: Claim,
  nowMs: number,
): Promise<number> {
  await transaction.run(
    `INSERT INTO slice_node (node, asked_at_ms) VALUES ($1, $2)
     ON CONFLICT (node) DO UPDATE SET asked_at_ms = excluded.asked_at_ms`,
    node,
    nowMs,
  );
  // A time ahead of the clock was written before that was set back.
  await transaction.run(
    "DELETE FROM slice_node WHERE asked_at_ms < $1 OR asked_at_ms > $2",
    nowMs - leaseMs,
    nowMs,
  );
  const asking = await transaction.all<{ node: string }>(
    "SELECT node FROM slice_node ORDER BY node",
  );
  const place = asking.findIndex((row) => row.node === node);
  return Math.floor(count / asking.length) + (place < count % asking.length ? 1 : 0);
}

function readSlices(transaction: Transaction): Promise<SliceRow[]> {
  return transaction.all<SliceRow>(
    `SELECT number, node, until_ms, ${transaction.nowMs} AS now_ms FROM slice
     ORDER BY number${transaction.forUpdate}`,
  );
}

async function makeSlices(transaction: Transaction): Promise<SliceRow[]> {
  for (let number = 0; number < count; number++)
    await transaction.run(
      "INSERT INTO slice (number, node, until_ms) VALUES ($1, '', 0) ON CONFLICT (number) DO NOTHING",
      number,
    );
  return readSlices(transaction);
}

interface SliceRow {
  number: number;
  node: string;
  until_ms: number;
  now_ms: number;
}

/** A claim that lasts longer than any is given was written before the clock was set back. */
function isHeld({ until_ms: untilMs, now_ms: nowMs }: SliceRow, leaseMs: number): boolean {
  return untilMs > nowMs && untilMs <= nowMs + leaseMs;
}

function set(
  transaction: Transaction,
  number: number,
  { node, untilMs }: { node: string; untilMs: number },
): Promise<number> {
  return transaction.run(
    "UPDATE slice SET node = $2, until_ms = $3 WHERE number = $1",
    number,
    node,
    untilMs,
  );
}
