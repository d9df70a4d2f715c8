import type { LoggedStepsBody, LoggedStepsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { isLoggedBehind } from "../../experiments/from-before.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { findSeries, type FoundSeries } from "./series.ts";

export interface ReadLoggedSteps {
  organizationId: string;
  body: LoggedStepsBody;
}

/** `views/logged-steps`: the steps of a slider over some series. */
export async function readLoggedSteps(
  reader: Reader,
  { organizationId, body }: ReadLoggedSteps,
  text: ReplyText,
): Promise<void> {
  const { experimentIds, series, start = 0, end = limits.stepMax + 1 } = body;
  const found = await findSeries(reader, organizationId, experimentIds, series);
  const steps = new Set<number>();
  let left = limits.loggedStepsReadMax;
  let isMinimum = false;
  for (const [experiment, own] of Map.groupBy(found, (one) => one.experiment)) {
    if (left <= 0) {
      isMinimum = true;
      break;
    }
    const rows = await readSteps(reader, experiment, own, { start, end, limit: left });
    for (const { step } of rows) steps.add(step);
    isMinimum ||= rows.length === left;
    left -= rows.length;
  }
  if (isMinimum)
    for (const { firstStep, lastStep } of found)
      for (const step of [firstStep, lastStep]) if (step >= start && step < end) steps.add(step);
  const all = Float64Array.from(steps).sort();
  const reply: LoggedStepsReply = {
    steps: thinned(all, body.stepsMax ?? limits.loggedStepsMax),
    found: all.length,
    isMinimum,
    isBehind: await isLoggedBehind(reader, { organizationId, experimentIds }),
  };
  await text.add(JSON.stringify(reply));
}

interface StepRange {
  start: number;
  end: number;
  limit: number;
}

function readSteps(
  reader: Reader,
  experiment: string,
  series: readonly FoundSeries[],
  { start, end, limit }: StepRange,
): Promise<{ step: number }[]> {
  return reader.all<{ step: number }>(
    `SELECT DISTINCT step FROM logged
     WHERE experiment = $1 AND ${reader.isOneOfIntegers("series", "$2")} AND step >= $3 AND step < $4
       AND ${reader.inTime()} ORDER BY step LIMIT $5`,
    experiment,
    JSON.stringify(series.map(({ number }) => number)),
    start,
    end,
    limit,
  );
}

/** Evenly chosen ones, with the first and the last. */
function thinned(steps: Float64Array, stepsMax: number): number[] {
  if (steps.length <= stepsMax) return [...steps];
  const each = (steps.length - 1) / (stepsMax - 1);
  return Array.from({ length: stepsMax }, (_, at) => steps[Math.round(at * each)]);
}
