import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { AuditEvent, AuditReply } from "./wire.ts";

/** The audit log of the organization. Reading it needs a person with the role admin or owner. */
export class AuditLog {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Yields events, newest first; pages are fetched as needed. */
  async *events(): AsyncGenerator<AuditEvent, void, undefined> {
    let before: string | undefined;
    do {
      const page: AuditReply = await this.#calls.json(endpoints.readAudit, { query: { before } });
      yield* page.events;
      before = page.next ?? undefined;
    } while (before !== undefined);
  }
}
