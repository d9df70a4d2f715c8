import type { Moment } from "../../ground/clock.ts";
import { DatabaseError, type Transaction } from "../database.ts";
import { changeRows } from "../rows.ts";
import { type Amounts, type Kind, kinds, nothing } from "./amounts.ts";
import { findQuota, type Quota } from "./quota.ts";
import { dayNumberOf } from "../../ground/days.ts";
import { closeDays } from "./recorded-points.ts";
import { type Border, excess, type Room } from "./refusal.ts";

/** Context of an operation that stores or frees. */
export interface Counting extends Moment {
  ledger: Ledger;
}

/**
 * Changes by the transaction to the stored amounts of its organizations. Nothing is written before
 * `finish`, the transaction's last statements: only these lock rows here, always in the order of
 * the organizations, so that no two transactions deadlock.
 *
 * The counters of an organization are spread over rows, one for each connection that writes
 * (`Reader.writer`): nodes that write for one organization at once do not wait for each other.
 */
export class Ledger {
  readonly #transaction: Transaction;
  readonly #accounts = new Map<string, Account>();
  /** Counted amounts in order, to be undone with the attempt that counted them. */
  readonly #noted: { delta: Amounts; amounts: Partial<Amounts> }[] = [];
  /** Stored points by organization, for the counts by day. */
  readonly #recorded = new Map<string, number>();

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  /** Counts stored or freed amounts without a check of the quota: for the service's own work. */
  note(organizationId: string, amounts: Partial<Amounts>): void {
    const { delta } = this.#account(organizationId);
    for (const kind of kinds) delta[kind] += amounts[kind] ?? 0;
    this.#noted.push({ delta, amounts });
  }

  /** Counts, or throws ServiceError `limit_exceeded` when something grows beyond its maximum. */
  async charge(organizationId: string, amounts: Partial<Amounts>): Promise<void> {
    const account = this.#account(organizationId);
    const quota = await this.#quota(organizationId, account);
    if (quota !== undefined) {
      for (const kind of kinds) {
        const amount = amounts[kind] ?? 0;
        const maximum = quota.maxima[kind];
        if (amount <= 0 || maximum === null) continue;
        const used = quota.used[kind] + account.delta[kind];
        if (used + amount > maximum) throw excess(kind, { maximum, used, wanted: amount });
        account.grown.add(kind);
      }
    }
    this.note(organizationId, amounts);
  }

  /** Returns the room left for points; `notePoints` counts those stored. */
  async room(organizationId: string): Promise<Room> {
    const account = this.#account(organizationId);
    const quota = await this.#quota(organizationId, account);
    const border = (kind: Kind): Border => ({
      maximum: quota?.maxima[kind] ?? Infinity,
      used: (quota?.used[kind] ?? 0) + account.delta[kind],
    });
    return { bytes: border("bytes"), partitions: border("partitions") };
  }

  /**
   * Counts stored points. New partitions are compared once more at the end, with those stored by
   * other nodes meanwhile. The bytes of points are not: groups that other nodes commit at the same
   * moment may pass the maximum together.
   */
  notePoints(
    organizationId: string,
    { points, ...amounts }: Pick<Amounts, "bytes" | "partitions"> & { points: number },
  ): void {
    this.note(organizationId, amounts);
    if (points > 0)
      this.#recorded.set(organizationId, (this.#recorded.get(organizationId) ?? 0) + points);
    const account = this.#account(organizationId);
    const isLimited = account.quota?.maxima.partitions != null;
    if (amounts.partitions > 0 && isLimited) account.grown.add("partitions");
  }

  /** Runs `work` as Transaction.attempt does: when it throws, its counts are undone too. */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const notedBefore = this.#noted.length;
    try {
      return await this.#transaction.attempt(work);
    } catch (error) {
      for (const { delta, amounts } of this.#noted.splice(notedBefore)) {
        for (const kind of kinds) delta[kind] -= amounts[kind] ?? 0;
      }
      throw error;
    }
  }

  /** Writes everything down: the transaction's last statements before its commit. */
  async finish(nowMs: number): Promise<void> {
    const day = dayNumberOf(nowMs);
    const accounts = [...this.#accounts].sort(([one], [other]) => (one < other ? -1 : 1));
    const changed = accounts.filter(
      ([id, { delta }]) => this.#recorded.has(id) || kinds.some((kind) => delta[kind] !== 0),
    );
    const rows = changed.map(([id, { delta }]): AmountRow => {
      return [id, ...kinds.map((kind) => delta[kind]), day, this.#recorded.get(id) ?? 0];
    });
    const added = await this.#add(rows);
    if (added.size < rows.length) {
      const others = rows.filter(([id]) => !added.has(id));
      await closeDays(
        this.#transaction,
        others.map(([id]) => id),
        day,
      );
      await this.#add(others);
    }
    for (const [id, account] of changed)
      if (account.grown.size > 0) await this.#confirm(id, account);
  }

  /**
   * Adds to the organizations' counters, except those of another day; returns the organizations.
   */
  async #add(rows: readonly AmountRow[]): Promise<Set<string>> {
    const added = await changeRows<{ organization: string }>(
      this.#transaction,
      (values) =>
        `INSERT INTO stored_amount (organization, writer, bytes, experiments, partitions, uploads, day, day_points)
         SELECT column1, ${this.#transaction.writer}, column2, column3, column4, column5, column6, column7
         FROM ${values} AS changed WHERE true
         ON CONFLICT (organization, writer) DO UPDATE SET
           bytes = stored_amount.bytes + excluded.bytes,
           experiments = stored_amount.experiments + excluded.experiments,
           partitions = stored_amount.partitions + excluded.partitions,
           uploads = stored_amount.uploads + excluded.uploads,
           day_points = stored_amount.day_points + excluded.day_points
         WHERE stored_amount.day = excluded.day RETURNING organization`,
      rows,
    );
    return new Set(added.map(({ organization }) => organization));
  }

  /**
   * Confirms a quota. With its row locked, no other node is between counting and committing: the
   * stored amount is final. When it is too much, and more than this transaction saw, another node
   * came first: the transaction is run again, and refuses the excess.
   */
  async #confirm(organizationId: string, { delta, grown, quota: seen }: Account): Promise<void> {
    if (this.#transaction.forUpdate === "") return;
    await this.#transaction.get(
      `SELECT organization FROM quota WHERE organization = $1${this.#transaction.forUpdate}`,
      organizationId,
    );
    const quota = await findQuota(this.#transaction, organizationId);
    for (const kind of grown) {
      const maximum = quota?.maxima[kind] ?? Infinity;
      if (quota === undefined || seen === undefined || quota.used[kind] <= maximum) continue;
      if (quota.used[kind] - delta[kind] <= seen.used[kind]) continue;
      throw new DatabaseError("conflict", `Another node took the last ${kind} of a quota.`);
    }
  }

  #account(organizationId: string): Account {
    let account = this.#accounts.get(organizationId);
    if (account === undefined) {
      account = { delta: { ...nothing }, quota: undefined, isRead: false, grown: new Set() };
      this.#accounts.set(organizationId, account);
    }
    return account;
  }

  /** Returns the quota, read once a transaction; undefined for an organization without one. */
  async #quota(organizationId: string, account: Account): Promise<Quota | undefined> {
    if (!account.isRead) {
      account.quota = await findQuota(this.#transaction, organizationId);
      account.isRead = true;
    }
    return account.quota;
  }
}

/** An organization, its increase of each kind, the day, and its new points. */
type AmountRow = readonly [string, ...number[]];

/** The counts of one organization in one transaction. */
interface Account {
  delta: Amounts;
  quota: Quota | undefined;
  isRead: boolean;
  /** Kinds that grew and whose maximum is compared at the end. */
  grown: Set<Kind>;
}
