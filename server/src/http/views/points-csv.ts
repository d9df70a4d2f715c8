import type { SeriesCombination, SeriesOperator } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { openServed } from "../callers/caller.ts";
import { keysHiddenFrom, serveGuest } from "../callers/guest-scope.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { csvFilter } from "./csv-filter.ts";
import { csvSeries } from "./csv-series.ts";
import { fileCaller } from "./file-caller.ts";
import { sendFile } from "./sent-file.ts";

export const readPointsCsv: Route = async (context, request, reply) => {
  const { served, caller } = request;
  const send = () => sendPoints(context, request, reply);
  if (caller?.kind !== "guest" || served === undefined) return send();
  const asked = { query: readQuery("readPointsCsv", request.raw.url), body: undefined as never };
  await serveGuest("readPointsCsv", request, asked, served.storage, send);
};

const sendPoints: Route = async (context, request, reply) => {
  const { organizationId, holder } = fileCaller(context, request);
  const { start, end, ...asked } = readQuery("readPointsCsv", request.raw.url);
  const { metadataKey, metadataValue, filter: filterText, ...named } = asked;
  const filter = csvFilter({ metadataKey, metadataValue, filter: filterText });
  const { experimentId, experimentIds, seriesName, seriesNames, ...rest } = named;
  const { operator, otherSeriesName, ...query } = rest;
  const chosen = csvSeries({ experimentId, experimentIds, seriesName, seriesNames });
  const { storage } = openServed(request);
  const range = { start: Number(start ?? -Infinity), end: Number(end ?? Infinity) };
  const hiddenKeys = keysHiddenFrom(request);
  const combined = csvCombined(operator, otherSeriesName);
  const asking = { ...chosen, ...combined, ...query, filter, hiddenKeys };
  const input = { organizationId, ...asking, ...range };
  await sendFile(context, request, reply, {
    holder,
    kind: "csv",
    open: (left) => storage.pointsCsv(input, left),
    countHeader: "x-svc-points",
    name: `${seriesName ?? "series"}.csv`,
  });
};

function csvCombined(
  operator: SeriesOperator | undefined,
  seriesName: string | undefined,
): { combined?: SeriesCombination } {
  if (operator === undefined && seriesName === undefined) return {};
  if (operator !== undefined && seriesName !== undefined)
    return { combined: { operator, seriesName } };
  throw new ServiceError("bad_request", "`operator` and `otherSeriesName` need each other.");
}
