import type { LoggedNearestBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { isLoggedBehind } from "../../experiments/from-before.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { itemOf, readRows } from "./item.ts";
import { findSeries, type FoundSeries } from "./series.ts";

export interface ReadLoggedNearest {
  organizationId: string;
  body: LoggedNearestBody;
}

/** `views/logged-nearest`: what each experiment has nearest to a step. */
export async function readLoggedNearest(
  reader: Reader,
  { organizationId, body }: ReadLoggedNearest,
  text: ReplyText,
): Promise<void> {
  const { experimentIds, series, step } = body;
  if (series.length * experimentIds.length > limits.loggedNearestMax)
    throw new ServiceError(
      "bad_request",
      `Ask for at most ${limits.loggedNearestMax} series times experiments.`,
    );
  const found = await findSeries(reader, organizationId, experimentIds, series);
  const steps = await nearestSteps(reader, found, step);
  const places = new Map(series.map(({ kind, name }, at) => [keyOf(kind, name), at]));
  let truncated = false;
  let opening = '{"items":[';
  for (const one of found) {
    const rows = await readRows(reader, one, {
      where: "logged.step = $3",
      values: [steps.get(one)!],
      limit: limits.loggedTogetherMax + 1,
    });
    truncated ||= rows.length > limits.loggedTogetherMax;
    const place = places.get(keyOf(one.kind, one.name))!;
    for (const row of rows.slice(0, limits.loggedTogetherMax)) {
      await text.add(opening + JSON.stringify({ series: place, ...itemOf(one, row) }));
      opening = ",";
    }
  }
  if (opening !== ",") await text.add(opening);
  const isBehind = await isLoggedBehind(reader, { organizationId, experimentIds });
  await text.add(`],"truncated":${truncated},"isBehind":${isBehind}}`);
}

function keyOf(kind: string, name: string): string {
  return `${kind} ${name}`;
}

/** Each series has an item: one of the two steps is there. */
async function nearestSteps(
  reader: Reader,
  series: readonly FoundSeries[],
  step: number,
): Promise<Map<FoundSeries, number>> {
  const nearest = new Map<FoundSeries, number>();
  for (const [experiment, own] of Map.groupBy(series, (one) => one.experiment)) {
    const rows = await reader.all<{ number: number; below: number | null; above: number | null }>(
      `SELECT number,
         (SELECT max(step) FROM logged
          WHERE experiment = $1 AND series = logged_series.number AND step <= $3) AS below,
         (SELECT min(step) FROM logged
          WHERE experiment = $1 AND series = logged_series.number AND step >= $3) AS above
       FROM logged_series
       WHERE experiment = $1 AND ${reader.isOneOfIntegers("number", "$2")}`,
      experiment,
      JSON.stringify(own.map(({ number }) => number)),
      step,
    );
    const found = new Map(rows.map((row) => [row.number, row]));
    for (const one of own) {
      const { below, above } = found.get(one.number)!;
      const isBelow = above === null || (below !== null && step - below <= above - step);
      nearest.set(one, isBelow ? below! : above);
    }
  }
  return nearest;
}
