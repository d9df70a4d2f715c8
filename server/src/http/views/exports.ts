import { type ExportQuery, limits } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { ExportRead } from "../../storage/storage.ts";
import { openServed } from "../callers/caller.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { csvFilter } from "./csv-filter.ts";
import { seriesNamesIn } from "./csv-series.ts";
import { fileCaller } from "./file-caller.ts";
import { sendFile } from "./sent-file.ts";

/** Files of groups of experiments, for other programs. */
export const exports = {
  exportPoints: fileRoute((url) => {
    const { seriesNames: names, filter, ...choice } = readQuery("exportPoints", url);
    const seriesNames = names === undefined ? {} : { seriesNames: seriesNamesIn(names) };
    const predicates = csvFilter({ metadataKey: undefined, metadataValue: undefined, filter });
    return { of: "points", ...chosen(choice), ...seriesNames, filter: predicates };
  }),
  exportExperiments: fileRoute((url) => {
    return { of: "experiments", ...chosen(readQuery("exportExperiments", url)) };
  }),
  exportAnnotations: fileRoute((url) => {
    return { of: "annotations", ...chosen(readQuery("exportAnnotations", url)) };
  }),
  exportLineage: fileRoute((url) => {
    return { of: "lineage", ...chosen(readQuery("exportLineage", url)) };
  }),
  exportLines: fileRoute((url) => {
    return { of: "lines", ...chosen(readQuery("exportLines", url)) };
  }),
} as const satisfies Record<string, Route>;

type WithoutOrganization<Read> = Read extends unknown ? Omit<Read, "organizationId"> : never;

function fileRoute(readAsked: (url: string | undefined) => WithoutOrganization<ExportRead>): Route {
  return async (context, request, reply) => {
    const { organizationId, holder } = fileCaller(context, request);
    const asked = readAsked(request.raw.url);
    const read: ExportRead = { ...asked, organizationId };
    const { storage } = openServed(request);
    await sendFile(context, request, reply, {
      holder,
      kind: "parquet",
      open: (left) => storage.exportFile(read, left),
      countHeader: "x-svc-experiments",
      name: `${read.of}.parquet`,
    });
  };
}

type ExportParameters = { [Name in keyof ExportQuery]?: ExportQuery[Name] | undefined };

function chosen({ query, folderId, experimentIds }: ExportParameters) {
  if (experimentIds === undefined) return { query, folderId };
  if (query !== undefined || folderId !== undefined)
    throw new ServiceError("bad_request", "`experimentIds` excludes `query` and `folderId`.");
  const ids = experimentIds.split(",");
  const most = limits.exportExperimentsMax;
  if (ids.length <= most) return { experimentIds: ids };
  throw new ServiceError(
    "bad_request",
    `\`experimentIds\` has ${most} ids at most; a query finds more.`,
  );
}
