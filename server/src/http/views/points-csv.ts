import { openServed } from "../callers/caller.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { csvFilter } from "./csv-filter.ts";
import { csvSeries } from "./csv-series.ts";
import { fileCaller } from "./file-caller.ts";
import { sendFile } from "./sent-file.ts";

export const readPointsCsv: Route = async (context, request, reply) => {
  const { organizationId } = fileCaller(context, request);
  const { start, end, ...asked } = readQuery("readPointsCsv", request.raw.url);
  const { metadataKey, metadataValue, filter: filterText, ...named } = asked;
  const filter = csvFilter({ metadataKey, metadataValue, filter: filterText });
  const { experimentId, experimentIds, seriesName, seriesNames, ...query } = named;
  const chosen = csvSeries({ experimentId, experimentIds, seriesName, seriesNames });
  const { storage } = openServed(request);
  const range = { start: Number(start ?? -Infinity), end: Number(end ?? Infinity) };
  const input = { organizationId, ...chosen, ...query, filter, ...range };
  await sendFile(context, request, reply, {
    organizationId,
    kind: "csv",
    open: (left) => storage.pointsCsv(input, left),
    countHeader: "x-svc-points",
    name: `${seriesName ?? "series"}.csv`,
  });
};
