import { openServed } from "../callers/caller.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { sendCsv } from "./csv-file.ts";
import { csvFilter } from "./csv-filter.ts";
import { csvSeries } from "./csv-series.ts";
import { fileCaller } from "./file-caller.ts";

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
  await sendCsv(context, request, reply, {
    organizationId,
    open: (left) => storage.pointsCsv(input, left),
    countHeader: "x-svc-points",
    name: `${seriesName ?? "series"}.csv`,
  });
};
