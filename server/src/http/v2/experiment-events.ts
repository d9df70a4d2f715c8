import type { Figures } from "../../ground/figures/figures.ts";
import type { MetricRequest } from "../../wire/metric-reader.ts";
import { sendJson } from "../replies/replies.ts";
import { countPoints } from "./counted-points.ts";
import { countEvents, repliesText } from "./event-replies.ts";
import { type ExperimentScope, runExperimentEvents } from "./experiment-batch.ts";
import type { HttpContext } from "../http-context.ts";
import type { RequestBody } from "../bodies/request-body.ts";
import { eventBody } from "../bodies/endpoint-body.ts";
import type { OpenService } from "../service-state.ts";
import { notAuthenticated } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/**
 * `POST /api/v2/experiments/{experimentId}/events`: lifecycle, points, annotations, tokenRevoke. A
 * body of plain metrics takes the fast path; any unusual or wrong body takes the general one, which
 * yields the same points and words the errors.
 */
export const experimentEvents: Route = async (context, request, reply) => {
  const { caller, served } = request;
  if (caller?.kind !== "experiment_token" || served === undefined) throw notAuthenticated(request);
  using body = await eventBody(context, request);
  const scope = { ...caller, seriesMax: context.settings.seriesLimit };
  const metrics = served.metricReader.read(body.bytes, caller.experimentId);
  const replies =
    metrics === undefined
      ? await runEvents(context, served, scope, body)
      : await runMetricRequest(served, scope, metrics, context.figures);
  sendJson(reply, replies);
};

async function runEvents(
  context: HttpContext,
  served: OpenService,
  scope: ExperimentScope,
  body: RequestBody,
): Promise<string | Uint8Array[]> {
  const { events, isArray } = await context.bodies.reader.events("experiment", body);
  const endsToken = events.at(-1)?.event === "svc.v2.experiment.tokenRevoke";
  try {
    const replies = await runExperimentEvents(served, scope, events);
    countEvents(context.figures, events, replies);
    return repliesText(replies, isArray);
  } finally {
    // Also when the outcome is not known: the token may have ended (M12).
    if (endsToken) context.callers.credentials.forget(scope.experimentId);
  }
}

/** Runs a request that the fast path has read, and prints the body of its reply. */
async function runMetricRequest(
  { storage, metricReplies }: Pick<OpenService, "storage" | "metricReplies">,
  { experimentId, seriesMax }: { experimentId: string; seriesMax: number },
  request: MetricRequest,
  figures: Figures,
): Promise<Buffer> {
  const [outcome] = await storage.write([
    { kind: "metrics", experimentId, points: request.points },
  ]);
  const replies = metricReplies.write(request, experimentId, outcome, seriesMax);
  countPoints(figures, outcome, request.points.count);
  return replies;
}
