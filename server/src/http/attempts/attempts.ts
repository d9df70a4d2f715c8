import type { ReportAttemptBody, ReportAttemptReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { writeOne } from "../../storage/storage.ts";
import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { notAuthenticated } from "../callers/caller.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";
import { sendJson } from "../replies/replies.ts";
import type { Route } from "../route.ts";

/** `POST /api/attempts/v1/experiments/{experimentId}/report`, with a token of the experiment. */
export const reportAttempt: Route = async (context, request, reply) => {
  const { caller, served } = request;
  if (caller?.kind !== "experiment_token" || served === undefined) throw notAuthenticated(request);
  const body = (await readEndpointBody(context, request, "reportAttempt")) as ReportAttemptBody;
  const { organizationId, experimentId } = caller;
  await writeOne(served.storage, "attempt.report", { organizationId, experimentId, body });
  const answer: ReportAttemptReply = { nextBeatMs: limits.attemptBeatMs };
  sendJson(reply, JSON.stringify(answer));
};

export const attemptReads = endpointRoutes({
  readAttempts(call) {
    return fitting(call, "attempt.read", { body: call.body }, "attempts");
  },
});
