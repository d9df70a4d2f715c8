import { ServiceError } from "../../ground/errors.ts";
import type { Outcome, Storage, Write } from "../../storage/storage.ts";
import { isRead, type ReadEvent, readOf, type WriteEvent, writeOf } from "./event-operations.ts";
import { errorReply, type EventReply, failureOf, resultReply } from "./event-replies.ts";
import type { ReceivedEvent } from "./received-event.ts";
import type { RequestReplies } from "../replies/read-replies.ts";

type OrganizationWrite = Extract<ReceivedEvent<"organization">, WriteEvent>;

/**
 * Runs the events of `/api/v2/events` in order (batching rule 3). Consecutive writes go to the
 * storage as one call, in one group commit; a read waits for the writes before it and sees them
 * (M65). An event that fails is answered in its place and the later ones still run (M75).
 *
 * A storage that does not answer a write fails the request as a whole (M76): the outcome is
 * unknown.
 */
export async function runOrganizationEvents(
  storage: Storage,
  organizationId: string,
  batch: readonly ReceivedEvent<"organization">[],
  reads: Pick<RequestReplies, "read">,
): Promise<EventReply[]> {
  const replies: EventReply[] = [];
  let waiting: OrganizationWrite[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const writes = waiting.map((event) => writeOf(event, { organizationId }));
    replies.push(...(await writeAll(storage, waiting, writes, replies.length > 0)));
    waiting = [];
  };
  for (const event of batch) {
    if (!isRead(event)) {
      waiting.push(event);
      continue;
    }
    await flush();
    const { name, input } = readOf(event, { organizationId });
    const data = reads.read(storage, name, input);
    replies.push(await readReply(event, data, batch.length > 1));
  }
  await flush();
  return replies;
}

async function writeAll(
  storage: Storage,
  batch: readonly ReceivedEvent[],
  writes: Write[],
  isLater: boolean,
): Promise<EventReply[]> {
  let outcomes: Outcome[];
  try {
    outcomes = await storage.write(writes);
  } catch (error) {
    // None of these was written, and the earlier replies are worth more than a refusal of the
    // whole.
    const isRefused =
      error instanceof ServiceError &&
      (error.code === "storage_full" || error.code === "overloaded");
    if (!isRefused || !isLater) throw error;
    return batch.map((event) => failureOf(event, error));
  }
  if (outcomes.length !== batch.length) {
    throw new Error(`BUG: ${batch.length} writes got ${outcomes.length} outcomes`);
  }
  return batch.map((event, index) => replyTo(event, outcomes[index]));
}

async function readReply(
  event: ReadEvent,
  data: Promise<unknown>,
  isOneOfSeveral: boolean,
): Promise<EventReply> {
  try {
    return resultReply(event, await data);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A lone read that may succeed later fails the request, which clients retry by its status.
    const isForLater = error.code === "storage_unavailable" || error.code === "overloaded";
    if (isForLater && !isOneOfSeveral) throw error;
    return failureOf(event, error);
  }
}

/** Returns the reply to an event that ran as a call. */
export function replyTo(event: ReceivedEvent, outcome: Outcome): EventReply {
  switch (outcome.kind) {
    case "value":
      return resultReply(event, outcome.value);
    case "error":
      return errorReply(event, outcome.code, outcome.message, outcome.details);
    case "metrics":
      throw new Error(`BUG: ${event.event} was answered with point results`);
  }
}
