import { isEventWrite, readsState } from "./event-operations.ts";
import type { Write } from "./storage.ts";

/**
 * Writes of events that are handed over and not answered, by organization. Whoever lost a reply
 * reads the state before the write is repeated, as the specification says ("Retry guidance"), while
 * the service may still be at it: a snapshot without it would have the client write a second time.
 * So reads of the state wait for those in work. This covers the writes of one process; another
 * node's are seen once they are committed.
 */
export class EventWrites {
  readonly #inWork = new Map<string, Set<Promise<unknown>>>();

  /** `answer` is settled when it is known, or never will be, what became of them. */
  add(writes: readonly Write[], answer: Promise<unknown>): void {
    const organizations = new Set(writes.map(organizationOf));
    for (const organization of organizations) {
      if (organization !== undefined) this.#hold(organization, answer);
    }
  }

  /** Undefined when there is nothing to wait for. Those that come later are not waited for. */
  before(name: string, input: unknown): Promise<unknown> | undefined {
    if (!readsState(name)) return undefined;
    const inWork = this.#inWork.get((input as { organizationId: string }).organizationId);
    return inWork === undefined ? undefined : Promise.allSettled(inWork);
  }

  #hold(organization: string, answer: Promise<unknown>): void {
    const inWork = this.#inWork.get(organization) ?? new Set();
    this.#inWork.set(organization, inWork.add(answer));
    const leave = (): void => {
      inWork.delete(answer);
      if (inWork.size === 0) this.#inWork.delete(organization);
    };
    answer.then(leave, leave);
  }
}

/** Undefined for what is no event's, and for metrics: sent again, they change nothing. */
function organizationOf(write: Write): string | undefined {
  if (write.kind === "metrics" || !isEventWrite(write.name)) return undefined;
  return (write.input as { organizationId?: string }).organizationId;
}
