import { type Counting, Ledger } from "./quotas/ledger.ts";
import { KeptOrders } from "../ground/kept-orders.ts";
import { type ReplyBytes, ReplyText } from "../ground/reply-text.ts";
import type { WalkContext } from "../ground/walk.ts";
import { DatabaseError, type Database, type Reader, type Transaction } from "./database.ts";

type Operation<Context extends Reader, Input, Result> = (
  context: Context,
  input: Input,
  moment: Context extends Transaction ? Counting : { nowMs: number },
) => Promise<Result>;

/** Runs domain operations as storage threads do: writes in attempts, again after a conflict. */
export class TestNode {
  /** Opened when the tests begin, for the nodes of a suite. */
  database!: Database;
  /** The server's clock; tests move it. */
  nowMs = 1_800_000_000_000;
  orders = new KeptOrders(32 * 1_048_576);

  constructor(database?: Database) {
    if (database !== undefined) this.database = database;
  }

  async write<Input, Result>(
    operation: Operation<Transaction, Input, Result>,
    input: Input,
  ): Promise<Result> {
    for (;;) {
      try {
        return await this.counted((transaction, context) =>
          context.ledger.attempt(() => operation(transaction, input, context)),
        );
      } catch (error) {
        if (!(error instanceof DatabaseError && error.kind === "conflict")) throw error;
      }
    }
  }

  /** Runs one transaction that counts the amounts stored by its operations. */
  counted<Result>(
    work: (transaction: Transaction, context: Counting) => Promise<Result>,
  ): Promise<Result> {
    return this.database.write(async (transaction) => {
      const ledger = new Ledger(transaction);
      const result = await work(transaction, { nowMs: this.nowMs, ledger });
      await ledger.finish(this.nowMs);
      return result;
    });
  }

  read<Input, Result>(operation: Operation<Reader, Input, Result>, input: Input): Promise<Result> {
    return this.database.read((reader) => operation(reader, input, { nowMs: this.nowMs }));
  }

  /** Returns the text of a read that is passed on. */
  async reply<Input, Result>(
    operation: (
      reader: Reader,
      input: Input,
      text: ReplyText,
      context: WalkContext,
    ) => Promise<void>,
    input: Input,
    bytes: ReplyBytes = { max: 64 * 1_048_576, left: 64 * 1_048_576 },
  ): Promise<Result> {
    const text = new ReplyText(bytes);
    const { nowMs, orders } = this;
    await this.database.read((reader) => operation(reader, input, text, { nowMs, orders }));
    return JSON.parse(text.end().toString()) as Result;
  }

  async newOrganization(): Promise<string> {
    const id = `organization-${crypto.randomUUID()}`;
    await this.execute("INSERT INTO organization (id, name, created_at_ms) VALUES ($1, $1, 0)", id);
    return id;
  }

  /** The person too, when there is none with this id. */
  async addMember(
    organizationId: string,
    role: "owner" | "admin" | "member" | "viewer",
    personId = `person-${crypto.randomUUID()}`,
  ): Promise<string> {
    await this.execute(
      `INSERT INTO person (id, email, password, created_at_ms, password_changed_at_ms)
       VALUES ($1, $1, '', 0, 0) ON CONFLICT DO NOTHING`,
      personId,
    );
    await this.execute(
      "INSERT INTO membership (organization, person, role, created_at_ms) VALUES ($1, $2, $3, 0)",
      organizationId,
      personId,
      role,
    );
    return personId;
  }

  execute(sql: string, ...values: (string | number)[]): Promise<number> {
    return this.database.write((transaction) => transaction.run(sql, ...values));
  }

  all<Row>(sql: string, ...values: (string | number)[]): Promise<Row[]> {
    return this.database.read((reader) => reader.all<Row>(sql, ...values));
  }
}

/** For assert.rejects: a ServiceError with this code, and these details where given. */
export function failsWith(code: string, details?: Record<string, unknown>) {
  return (error: unknown): boolean => {
    const actual = error as { code?: string; details?: Record<string, unknown> };
    if (actual.code !== code) throw error;
    const wanted = Object.entries(details ?? {});
    return wanted.every(([key, value]) => actual.details?.[key] === value);
  };
}
