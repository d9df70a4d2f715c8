import { randomUUID } from "node:crypto";
import type { Transaction } from "../../database/database.ts";

/**
 * Work under a lease. background: sealing, merging. sweep: leftovers of abandoned uploads. issuer:
 * rotating its keys.
 */
export type LeasedWork = "background" | "sweep" | "issuer";

interface Claim {
  work: LeasedWork;
  node: string;
  leaseMs: number;
}

/** Requests per lease: several tasks share one, and each requests it before each round. */
const askedPerLease = 15;

/** One node's claim to some work of a database that several share. */
export class Lease {
  readonly #claim: Claim;
  readonly #take: (claim: Claim) => Promise<{ held: boolean }>;
  #asked: { untilMs: number; held: Promise<boolean> } | undefined;

  /** `take` runs the operation `background.lease`. */
  constructor(
    work: LeasedWork,
    leaseMs: number,
    take: (claim: Claim) => Promise<{ held: boolean }>,
  ) {
    this.#claim = { work, leaseMs, node: randomUUID() };
    this.#take = take;
  }

  /** Takes it or renews it; false when another node has it. */
  held(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#asked === undefined || nowMs >= this.#asked.untilMs) {
      const held = this.#take(this.#claim).then((claimed) => claimed.held);
      const asked = { untilMs: nowMs + this.#claim.leaseMs / askedPerLease, held };
      this.#asked = asked;
      // After a failure the next request is made anew.
      held.catch(() => (asked.untilMs = 0));
    }
    return this.#asked.held;
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
