import type { FastifyRequest } from "fastify";
import { errors } from "@lossless/protocol";
import { mediaTypeOf, type StreamForm } from "../../experiments/series/stream-form.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { SeriesQuery } from "../../storage/storage.ts";
import { commonHeaders } from "../replies/replies.ts";
import type { HttpContext } from "../http-context.ts";
import { acceptedForm } from "./accepted-form.ts";
import type { ReceivedEvent } from "./received-event.ts";
import { sendRecords } from "./sent-records.ts";
import { openServed, organizationCaller } from "../callers/caller.ts";
import { eventBody } from "../bodies/endpoint-body.ts";
import type { Route } from "../route.ts";

/**
 * `POST /api/v2/query/series`: one envelope, answered by a stream. Until the snapshot is taken a
 * failure is a plain JSON error (M66); after that the stream's last record tells how it ended.
 */
export const querySeries: Route = async (context, request, reply) => {
  const { organizationId } = organizationCaller(request);
  const event = await readQuery(context, request);
  using share = context.limits.streams.take(organizationId);
  if (share === undefined) {
    throw new ServiceError("overloaded", "Too many series streams run at once; try again.");
  }
  const form = acceptedForm(request.headers.accept);
  const query = seriesQuery(event, organizationId, form);
  const chunks = await openServed(request).storage.stream(query);
  reply.hijack();
  const headers = { ...commonHeaders(request.id), "content-type": mediaTypeOf(form) };
  reply.raw.writeHead(200, headers);
  const end = await sendRecords(reply.raw, chunks, {
    correlationId: event.messageId,
    form,
    unread: request.server.unreadReplies,
    stop: context.state.streamsEnd,
    onError: (error) =>
      context.log.error({ request_id: request.id, err: error }, errors.internal.sentence),
  });
  context.figures.events.add(1, event.event, end === "complete" ? "ok" : end);
  if (end !== "complete") context.figures.streamsCut.add(1, end);
};

async function readQuery(
  context: HttpContext,
  request: FastifyRequest,
): Promise<ReceivedEvent<"series">> {
  using body = await eventBody(context, request);
  const { events } = await context.bodies.reader.events("series", body);
  return events[0];
}

function seriesQuery(
  request: ReceivedEvent<"series">,
  organizationId: string,
  form: StreamForm,
): SeriesQuery {
  const { messageId: correlationId, event, data } = request;
  const { experimentId, filter, xAxis } = data;
  const seriesNames = "seriesName" in data ? [data.seriesName] : data.seriesNames;
  return { organizationId, correlationId, event, experimentId, seriesNames, filter, xAxis, form };
}
