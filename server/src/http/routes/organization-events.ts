import { replyEventName } from "@lossless/protocol";
import type { ReplyData } from "@lossless/protocol";
import { runOrganizationEvents } from "../batch.ts";
import { sendJson } from "../error-replies.ts";
import { countEvents, repliesText } from "../event-replies.ts";
import { withExactMetas } from "../exact-metas.ts";
import { readRequestEvents } from "../request-events.ts";
import { organizationCaller } from "./caller.ts";
import { requestBody, requestValue } from "./request-value.ts";
import type { Route } from "./routes.ts";

type ExperimentOpened = ReplyData<"svc.v2.experiment.open">;

const openedEvent = replyEventName("svc.v2.experiment.open");

/** `POST /api/v2/events`: folders, open, tokenRefresh and reads. */
export const organizationEvents: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  using body = await requestBody(context, request);
  const read = readRequestEvents("organization", requestValue(context, body));
  const { events, isArray } = withExactMetas(read, body.bytes);
  const { credentials } = context;
  try {
    const replies = await runOrganizationEvents(served.storage, organizationId, events);
    for (const { event, data } of replies) {
      // One more token, and at the soft cap the oldest ones ended (M29).
      if (event === openedEvent) credentials.forget((data as ExperimentOpened).experimentId);
    }
    countEvents(context.figures, events, replies);
    sendJson(reply, repliesText(replies, isArray));
  } finally {
    // Also when the outcome is not known: the token may have been shortened (M12).
    for (const { event, data } of events) {
      if (event === "svc.v2.experiment.tokenRefresh") credentials.forget(data.experimentId);
    }
  }
};
