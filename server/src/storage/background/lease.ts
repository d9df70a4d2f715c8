import { randomUUID } from "node:crypto";
import type { Transaction } from "../../database/database.ts";
import { Renewal } from "./renewal.ts";

/**
 * Work under a lease. background: purges, retention, objects that no manifest names. sweep:
 * leftovers of abandoned uploads. issuer: rotating its keys.
 */
export type LeasedWork = "background" | "sweep" | "issuer";

interface Claim {
  work: LeasedWork;
  node: string;
  leaseMs: number;
}

/** One node's claim to some work of a database that several share. */
export class Lease {
  readonly #renewal: Renewal;

  /** `take` runs the operation `background.lease`. */
  constructor(
    work: LeasedWork,
    leaseMs: number,
    take: (claim: Claim) => Promise<{ held: boolean }>,
  ) {
    const claim = { work, leaseMs, node: randomUUID() };
    this.#renewal = new Renewal(leaseMs, async () => (await take(claim)).held);
  }

  /** Takes it or renews it; false when another node has it. */
  held(): Promise<boolean> {
    return this.#renewal.held();
  }
}

/**
 * Takes or renews the lease by which one node of a database does some work for `leaseMs`. Only
 * spares double work: correctness rests on the compare-and-set of each change. The clock is that of
 * the database, because clocks of nodes may differ by more than a lease.
 */
export async function takeLease(
  transaction: Transaction,
  input: Claim,
): Promise<{ held: boolean }> {
  const name = `${input.work}_lease`;
  await transaction.run(
    "INSERT INTO installation (name, value) VALUES ($1, '') ON CONFLICT (name) DO NOTHING",
    name,
  );
  const row = await transaction.get<{ value: string; now_ms: number }>(
    `SELECT value, ${transaction.nowMs} AS now_ms FROM installation
     WHERE name = $1${transaction.forUpdate}`,
    name,
  );
  const { value, now_ms: nowMs } = row!;
  const [node, untilMs] = value.split(" ");
  // A lease that lasts longer than any is given was written before the clock was set back.
  const isLasting = Number(untilMs) > nowMs && Number(untilMs) <= nowMs + input.leaseMs;
  if (node !== input.node && isLasting) return { held: false };
  await transaction.run(
    "UPDATE installation SET value = $1 WHERE name = $2",
    `${input.node} ${nowMs + input.leaseMs}`,
    name,
  );
  return { held: true };
}
