import type { Figures } from "../../ground/figures/figures.ts";
import { type Outcome, PointResult } from "../../storage/storage.ts";
import { pointFailure } from "../../wire/point-failures.ts";

/** Counts the points of one write by their results, as the events that they are. */
export function countPoints(
  { events, pointsAcknowledged, pointsDeduplicated }: Figures,
  outcome: Outcome,
  points: number,
): void {
  if (outcome.kind === "error") events.add(points, metricEvent, outcome.code);
  if (outcome.kind !== "metrics") return;
  const { results, room } = outcome;
  const counts = new Uint32Array(Object.keys(PointResult).length);
  for (const result of results) counts[result] += 1;
  for (const [result, count] of counts.entries()) {
    if (count > 0)
      events.add(count, metricEvent, pointFailure(result, { seriesMax: 0, room })?.code ?? "ok");
  }
  const duplicates = counts[PointResult.duplicate];
  pointsAcknowledged.add(counts[PointResult.stored] + duplicates);
  pointsDeduplicated.add(duplicates);
}

const metricEvent = "svc.v2.experiment.metric";
