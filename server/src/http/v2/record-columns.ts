import { limits } from "@lossless/protocol";
import { columnReply } from "../../wire/column-reply.ts";
import { bodyAllowance } from "../bodies/endpoint-body.ts";
import { readRequestBody } from "../bodies/request-body.ts";
import { notAuthenticated } from "../callers/caller.ts";
import { sendJson } from "../replies/replies.ts";
import type { Route } from "../route.ts";
import { countPoints } from "./counted-points.ts";

/**
 * `POST /api/v2/experiments/{experimentId}/columns`, with a token of the experiment: points whose
 * body is a batch as the writer takes it.
 */
export const recordColumns: Route = async (context, request, reply) => {
  const { caller, served } = request;
  if (caller?.kind !== "experiment_token" || served === undefined) throw notAuthenticated(request);
  const { maxBodyBytes, seriesLimit: seriesMax } = context.settings;
  const bytesMax = Math.min(limits.columnsBodyBytesMax, maxBodyBytes);
  const allowance = bodyAllowance(context, request);
  using body = await readRequestBody(request.raw, bytesMax, allowance, { mediaType: "bytes" });
  const points = served.columnReader.read(body.bytes);
  const { experimentId } = caller;
  const { count } = points;
  const [outcome] = await served.storage.write([{ kind: "metrics", experimentId, points }]);
  countPoints(context.figures, outcome, count);
  sendJson(reply, JSON.stringify(columnReply(outcome, count, seriesMax)));
};
