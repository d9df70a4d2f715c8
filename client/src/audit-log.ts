import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { AuditEvent, AuditReply } from "./wire.ts";

/** What happened in the organization. It needs a person with the role admin or owner. */
export class AuditLog {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Newest first, page by page as they are asked for. */
  async *events(): AsyncGenerator<AuditEvent, void, undefined> {
    let before: string | undefined;
    do {
      const page: AuditReply = await this.#calls.json(endpoints.readAudit, {
        query: { before },
        repeatable: true,
      });
      yield* page.events;
      before = page.next ?? undefined;
    } while (before !== undefined);
  }
}
