import type { Figures } from "../../ground/figures/figures.ts";
import { type Outcome, PointResult } from "../../storage/storage.ts";
import type { MetricRequest } from "../../wire/metric-reader.ts";
import { pointFailure } from "../../wire/point-failures.ts";
import type { OpenService } from "../service-state.ts";

/** Runs a request that the fast path has read, and prints the body of its reply. */
export async function runMetricRequest(
  { storage, metricReplies }: Pick<OpenService, "storage" | "metricReplies">,
  { experimentId, seriesMax }: { experimentId: string; seriesMax: number },
  request: MetricRequest,
  figures: Figures,
): Promise<Buffer> {
  const [outcome] = await storage.write([
    { kind: "metrics", experimentId, points: request.points },
  ]);
  const replies = metricReplies.write(request, experimentId, outcome, seriesMax);
  if (outcome.kind === "metrics") countPoints(figures, outcome);
  else if (outcome.kind === "error") {
    figures.events.add(request.points.count, metricEvent, outcome.code);
  }
  return replies;
}

const metricEvent = "svc.v2.experiment.metric";

function countPoints(
  { events, pointsAcknowledged, pointsDeduplicated }: Figures,
  { results, room }: Extract<Outcome, { kind: "metrics" }>,
): void {
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
