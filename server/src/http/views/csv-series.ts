import { limits, type PointsCsvQuery } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

type SeriesParameters = {
  [Name in "experimentId" | "experimentIds" | "seriesName" | "seriesNames"]:
    | PointsCsvQuery[Name]
    | undefined;
};

/**
 * Returns the series that an address requests: one of one experiment, or each of several of each.
 */
export function csvSeries({
  experimentId,
  experimentIds,
  seriesName,
  seriesNames,
}: SeriesParameters) {
  if ((experimentId === undefined) === (experimentIds === undefined))
    throw wrong("Either `experimentId` or `experimentIds` is needed.");
  if ((seriesName === undefined) === (seriesNames === undefined))
    throw wrong("Either `seriesName` or `seriesNames` is needed.");
  if (seriesNames !== undefined && experimentIds === undefined)
    throw wrong("`seriesNames` needs `experimentIds`.");
  const ids = experimentIds?.split(",") ?? [experimentId!];
  const names = seriesNames === undefined ? [seriesName!] : seriesNamesIn(seriesNames);
  const most = limits.overviewSeriesMax;
  if (ids.length * names.length > most)
    throw wrong(`A file has ${most} series at most, experiments times names.`);
  const series = [...new Set(ids)].flatMap((id) =>
    [...new Set(names)].map((name) => ({ experimentId: id, seriesName: name })),
  );
  return { series, isOfSeveral: experimentIds !== undefined };
}

/** Returns the names in a JSON list. */
export function seriesNamesIn(text: string): string[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = undefined;
  }
  const isName = (name: unknown): boolean => typeof name === "string" && name.isWellFormed();
  if (Array.isArray(list) && list.length > 0 && list.every(isName)) return list as string[];
  throw wrong("`seriesNames` must be a list of names in JSON.");
}

function wrong(sentence: string): ServiceError {
  return new ServiceError("bad_request", sentence);
}
