import type { Reader } from "../../database/database.ts";
import { searchPoints } from "../../points/search.ts";
import type { Snapshot, Snapshots } from "../../points/snapshots.ts";
import { slice } from "../../points/sorted-points.ts";
import { matchingSeries, type MatchingSeries } from "./matching-series.ts";
import type { SeriesQuery } from "./query.ts";
import type { RecordWriter } from "./record-writer.ts";
import { recordWriter } from "./stream-form.ts";

/** Points in one data record; a record stays under 1 MiB whatever its numbers are (M70). */
const pointsPerRecord = 8_192;

/**
 * Opens a stream of chunks of whole records: takes its snapshot (M71) and finds the matching
 * partitions; nothing is decoded yet. An experiment that does not exist, or that belongs to another
 * organization, has no series (M67). Undefined when there are more than `pointsMax`.
 */
export async function openSeriesStream(
  reader: Reader,
  snapshots: Snapshots,
  { pointsMax, ...query }: SeriesQuery & { pointsMax: number },
  messageId: () => string,
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  // A whole experiment is as long as its head says, without a look at its partitions.
  if (query.seriesNames === undefined && pointsMax !== Infinity) {
    const head = await reader.get<{ points: number }>(
      "SELECT points FROM head WHERE experiment = $1",
      query.experimentId,
    );
    if (head !== undefined && head.points > pointsMax) return undefined;
  }
  const series = await matchingSeries(reader, query);
  const numbers = series.flatMap(({ partitions }) => partitions.map(({ number }) => number));
  const snapshot =
    numbers.length > 0 ? await snapshots.take(reader, query.experimentId, numbers) : undefined;
  const points = numbers.reduce((sum, number) => sum + snapshot!.count(number), 0);
  if (points > pointsMax) return undefined;
  const writer = recordWriter(query.form, { ...query, messageId }, series);
  return chunks(query, series, snapshot, writer);
}

async function* chunks(
  query: SeriesQuery,
  series: MatchingSeries[],
  snapshot: Snapshot | undefined,
  writer: RecordWriter,
): AsyncGenerator<Uint8Array> {
  const { experimentId, event, xAxis } = query;
  const whole = event === "svc.v2.query.experimentseries";
  const total = { series: 0, batches: 0, points: 0 };
  for (const { name, partitions } of series) {
    const count = { batches: 0, points: 0 };
    for (const { number, meta } of partitions) {
      const partition = { name, meta };
      for await (const block of searchPoints(snapshot!.sources(number), xAxis)) {
        for (let start = 0; start < block.step.length; start += pointsPerRecord) {
          const part = slice(block, start, Math.min(start + pointsPerRecord, block.step.length));
          count.batches++;
          count.points += part.step.length;
          writer.points(partition, part);
          if (writer.isFull) yield writer.take();
        }
      }
    }
    total.series++;
    total.batches += count.batches;
    total.points += count.points;
    if (whole) {
      const summary = { experimentId, seriesName: name, ...count };
      writer.record("svc.v2.query.experimentseries.series", summary);
      if (writer.isFull) yield writer.take();
    }
  }
  const { batches, points } = total;
  if (whole) writer.record("svc.v2.query.experimentseries.done", total);
  else writer.record("svc.v2.query.series.done", { batches, points });
  yield writer.take();
}
