import { openServed } from "../callers/caller.ts";
import { readQuery } from "../query.ts";
import type { Route } from "../route.ts";
import { sendCsv } from "./csv-file.ts";
import { fileCaller } from "./file-caller.ts";

export const readPointsCsv: Route = async (context, request, reply) => {
  const { organizationId } = fileCaller(context, request);
  const { start, end, ...query } = readQuery("readPointsCsv", request.raw.url);
  const { storage } = openServed(request);
  const range = { start: Number(start ?? -Infinity), end: Number(end ?? Infinity) };
  const input = { organizationId, ...query, ...range };
  await sendCsv(context, request, reply, {
    organizationId,
    open: (left) => storage.pointsCsv(input, left),
    countHeader: "x-svc-points",
    name: `${query.seriesName}.csv`,
  });
};
