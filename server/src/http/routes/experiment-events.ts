import { sendJson } from "../error-replies.ts";
import { countEvents, repliesText } from "../event-replies.ts";
import { runExperimentEvents } from "../experiment-batch.ts";
import { readRequestEvents } from "../request-events.ts";
import { requestBody, requestValue } from "./request-value.ts";
import type { Route } from "./routes.ts";

/** `POST /api/v2/experiments/{experimentId}/events`: lifecycle, points, annotations, tokenRevoke. */
export const experimentEvents: Route = async (context, request, reply) => {
  const { caller } = request;
  if (caller?.kind !== "experiment_token") throw new Error(`BUG: experiment events of ${caller?.kind}`);
  using body = await requestBody(context, request);
  const { events, isArray } = readRequestEvents("experiment", requestValue(context, body));
  const endsToken = events.at(-1)?.event === "svc.v2.experiment.tokenRevoke";
  try {
    const replies = await runExperimentEvents(
      context.state.served(),
      { ...caller, seriesMax: context.settings.seriesLimit },
      events,
    );
    countEvents(context.figures, events, replies);
    sendJson(reply, repliesText(replies, isArray));
  } finally {
    // Also when the outcome is not known: the token may have ended (M12).
    if (endsToken) context.credentials.forget(caller.experimentId);
  }
};
