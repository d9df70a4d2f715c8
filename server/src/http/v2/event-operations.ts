import type { Write } from "../../storage/storage.ts";
import type { ReceivedEvent } from "./received-event.ts";

/** Whom an event acts for; each operation of the domain takes what it needs of it. */
export interface EventScope {
  organizationId?: string;
  experimentId?: string;
  /** SHA-256 of the presented experiment token. */
  tokenHash?: Uint8Array;
}

export type Call = Exclude<Write, { kind: "metrics" }>;

const eventPrefix = "svc.v2.";

/** Reads run on a snapshot after the writes before them; every other event is a write. */
export function isRead({ event }: ReceivedEvent): boolean {
  return event.startsWith("svc.v2.query.") || event === "svc.v2.foldertree.read";
}

/**
 * The domain's operation for an event: its name without the prefix, its input the scope and the
 * data. The operation tables and the event table are held together by a test, not by the compiler,
 * because the functions live on another thread.
 */
export function callOf({ event, data }: ReceivedEvent, scope: EventScope): Call {
  const name = event.slice(eventPrefix.length);
  return { kind: "call", name, input: { ...scope, data } } as unknown as Call;
}
