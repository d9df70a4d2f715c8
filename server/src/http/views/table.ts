import { openServed } from "../callers/caller.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { fileCaller } from "./file-caller.ts";
import { fitting } from "./fitting.ts";
import { sendFile } from "./sent-file.ts";

export const table = endpointRoutes({
  async readTable({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.table", input), "rows or columns");
  },
  async readFields({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.fields", input), "names");
  },
  async readDifference({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.difference", input), "keys or metrics");
  },
  async readFolders({ caller: { organizationId }, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    return fitting(replies.read(served.storage, "views.folders", { organizationId }), "folders");
  },
});

export const readTableCsv: Route = async (context, request, reply) => {
  const { organizationId } = fileCaller(context, request);
  const query = readQuery("readTableCsv", request.raw.url);
  const { storage } = openServed(request);
  await sendFile(context, request, reply, {
    organizationId,
    kind: "csv",
    open: (left) => storage.tableCsv({ organizationId, query }, left),
    countHeader: "x-svc-rows",
    name: "experiments.csv",
  });
};
