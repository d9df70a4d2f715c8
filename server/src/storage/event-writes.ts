import { isEventWrite, readsState } from "./event-operations.ts";
import type { Write } from "./storage.ts";

/**
 * Writes of events in work, by organization. A client that lost a reply reads the state before it
 * repeats the write, as the specification says ("Retry guidance"), while the service may still be
 * writing: a snapshot without the write would have the client write a second time. So reads of the
 * state wait for writes in work. This covers the writes of one process; another node's are seen
 * once they are committed.
 */
export class EventWrites {
  readonly #inWork = new Map<string, Set<Promise<unknown>>>();

  /** Adds writes in work. `answer` settles when their outcome is known, or never will be. */
  add(writes: readonly Write[], answer: Promise<unknown>): void {
    const organizations = new Set(writes.map(organizationOf));
    for (const organization of organizations) {
      if (organization !== undefined) this.#hold(organization, answer);
    }
  }

  /** Waits for the writes in work, not for later ones; undefined when there are none. */
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

/**
 * Returns the organization of an event's write; undefined for other writes, and for metrics:
 * repeated, they change nothing.
 */
function organizationOf(write: Write): string | undefined {
  if (write.kind === "metrics" || !isEventWrite(write.name)) return undefined;
  return (write.input as { organizationId?: string }).organizationId;
}
