import { type ReplyData, replyEventName } from "@lossless/protocol";
import { columnVersions } from "../../wire/column-layout.ts";
import { runOrganizationEvents } from "./batch.ts";
import { sendJson } from "../replies/replies.ts";
import { countEvents, repliesText } from "./event-replies.ts";
import { requireWriter } from "../callers/authorize.ts";
import { openServed, organizationCaller } from "../callers/caller.ts";
import { requireGuestEvents, shownEventReplies } from "../callers/guest-scope.ts";
import { isRead } from "./event-operations.ts";
import { eventBody } from "../bodies/endpoint-body.ts";
import type { Route } from "../route.ts";

type ExperimentOpened = ReplyData<"svc.v2.experiment.open">;

const openedEvent = replyEventName("svc.v2.experiment.open");

/** `POST /api/v2/events`: folders, open, tokenRefresh and reads. */
export const organizationEvents: Route = async (context, request, reply) => {
  using body = await eventBody(context, request);
  const { storage } = openServed(request);
  const { credentials } = context.callers;
  const { events, isArray } = await context.bodies.reader.events("organization", body);
  if (request.caller?.kind === "guest") requireGuestEvents(request, events);
  const { organizationId, holder } = organizationCaller(request);
  if (request.caller !== undefined && !events.every(isRead)) {
    requireWriter("organizationEvents", request.caller);
  }
  try {
    const reads = context.replies.reads.of(holder, request, reply);
    const replies = await runOrganizationEvents(storage, organizationId, events, reads);
    for (const { event, data } of replies) {
      // One more token; at the soft cap the oldest ones have ended (M29).
      if (event === openedEvent) credentials.forget((data as ExperimentOpened).experimentId);
    }
    countEvents(context.figures, events, replies);
    void reply.header("lossless-columns", columnVersions);
    sendJson(reply, shownEventReplies(request, repliesText(replies, isArray)));
  } finally {
    // Also when the outcome is not known: the token may have been shortened (M12).
    for (const { event, data } of events) {
      if (event === "svc.v2.experiment.tokenRefresh") credentials.forget(data.experimentId);
    }
  }
};
