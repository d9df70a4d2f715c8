import { type EventNameOfKind, events } from "@lossless/protocol";
import { type EventRead, type EventScope, operationOf } from "../../storage/event-operations.ts";
import type { ReplyOperations, Write } from "../../storage/storage.ts";
import type { ReceivedEvent } from "./received-event.ts";

export type WriteEvent = Extract<ReceivedEvent, { event: EventNameOfKind<"write"> }>;
export type ReadEvent = Extract<ReceivedEvent, { event: EventNameOfKind<"read"> }>;

/** Whether an event is a read; reads run on a snapshot after the writes before them. */
export function isRead(event: ReceivedEvent): event is ReadEvent {
  return events[event.event].kind === "read";
}

/** Returns the write that an event requests. */
export function writeOf<Event extends WriteEvent>(
  { event, data }: Event,
  scope: EventScope<Event["event"]>,
): Write {
  return { kind: "call", name: operationOf(event), input: { ...scope, data } } as Write;
}

/** Returns the read that an event requests, as RequestReplies takes it. */
export function readOf(
  { event, data }: ReadEvent,
  scope: EventScope<ReadEvent["event"]>,
): { name: EventRead; input: Parameters<ReplyOperations[EventRead]>[1] } {
  const input = { ...scope, data } as Parameters<ReplyOperations[EventRead]>[1];
  return { name: operationOf(event), input };
}
