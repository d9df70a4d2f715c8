import { openServed } from "../callers/caller.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { fileCaller } from "./file-caller.ts";
import { fitting } from "../replies/fitting.ts";
import { sendFile } from "./sent-file.ts";

export const table = endpointRoutes({
  readTable: ({ body, ...call }) => fitting(call, "views.table", { body }, "rows or columns"),
  readExperimentGroups: ({ body, ...call }) =>
    fitting(call, "views.experimentGroups", { body }, "groups or columns"),
  readFields: ({ body, ...call }) => fitting(call, "views.fields", { body }, "names"),
  readDifference: ({ body, ...call }) =>
    fitting(call, "views.difference", { body }, "keys or metrics"),
  readFolders: (call) => fitting(call, "views.folders", {}, "folders"),
});

export const readTableCsv: Route = async (context, request, reply) => {
  const { organizationId, holder } = fileCaller(context, request);
  const query = readQuery("readTableCsv", request.raw.url);
  const { storage } = openServed(request);
  await sendFile(context, request, reply, {
    holder,
    kind: "csv",
    open: (left) => storage.tableCsv({ organizationId, query }, left),
    countHeader: "x-svc-rows",
    name: "experiments.csv",
  });
};
