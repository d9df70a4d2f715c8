import { ServiceError } from "../../ground/errors.ts";
import { openServed, organizationCaller } from "../callers/caller.ts";
import { isSameOrigin } from "../callers/csrf.ts";
import { readEndpointBody } from "../endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { readQuery } from "../query.ts";
import { bodyStream } from "../reply-body.ts";
import type { Route } from "../route.ts";
import { fitting } from "./fitting.ts";

const views = endpointRoutes(readEndpointBody);

export const table = views({
  async readTable({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.readReplies.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.table", input), "rows or columns");
  },
  async readFields({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.readReplies.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.fields", input), "names");
  },
  async readFolders({ caller: { organizationId }, served, context, request, reply }) {
    const replies = context.readReplies.of(organizationId, request, reply);
    return fitting(replies.read(served.storage, "views.folders", { organizationId }), "folders");
  },
});

/** A browser saves it: it is a GET, so another site's page must not be able to ask for it. */
export const readTableCsv: Route = async (context, request, reply) => {
  const { organizationId, credential } = organizationCaller(request);
  if (credential === "session" && !isSameOrigin(context, request))
    throw new ServiceError("forbidden", "Only a page of this service may ask for this.");
  const query = readQuery("readTableCsv", request.raw.url);
  const replies = context.readReplies.of(organizationId, request, reply);
  const input = { organizationId, query };
  const { storage } = openServed(request);
  const [first, ...rest] = await fitting(
    replies.read(storage, "views.tableCsv", input),
    "rows or columns",
  );
  const end = first.indexOf(0x0a);
  void reply
    .header("content-type", "text/csv; charset=utf-8")
    .header("content-disposition", 'attachment; filename="experiments.csv"')
    .header("x-svc-rows", Buffer.from(first.subarray(0, end)).toString())
    .send(bodyStream([first.subarray(end + 1), ...rest]));
};
