import type { Reader } from "../../database/database.ts";
import { searchPoints } from "../../points/search.ts";
import type { Snapshot, Snapshots } from "../../points/snapshots.ts";
import { slice } from "../../points/sorted-points.ts";
import type { Points } from "../../points/tail.ts";
import { matchingSeries, type MatchingSeries } from "./matching-series.ts";
import type { SeriesQuery } from "./query.ts";

/** Points in one data record; a record stays under 1 MiB whatever its numbers are (M70). */
const pointsPerRecord = 8_192;
/** Lines are joined into chunks of about this size, so that many short series cost few messages. */
const chunkBytes = 256 * 1024;

/**
 * Opens a stream of NDJSON chunks of whole lines: takes its snapshot (M71) and finds the matching
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
  return joined(lines(query, series, snapshot, messageId));
}

async function* lines(
  query: SeriesQuery,
  series: MatchingSeries[],
  snapshot: Snapshot | undefined,
  messageId: () => string,
): AsyncGenerator<string> {
  const whole = query.event === "svc.v2.query.experimentseries";
  const correlation = JSON.stringify(query.correlationId);
  const line = (event: string, data: string) =>
    `{"messageId":"${messageId()}","correlationId":${correlation},"event":"${event}","data":${data}}\n`;
  const total = { series: 0, batches: 0, points: 0 };
  for (const { name, partitions } of series) {
    const count = { batches: 0, points: 0 };
    for (const { number, meta } of partitions) {
      const identity = `"experimentId":${JSON.stringify(query.experimentId)},"seriesName":${JSON.stringify(name)},"metadata":${meta}`;
      for await (const block of searchPoints(snapshot!.sources(number), query.xAxis)) {
        for (let start = 0; start < block.step.length; start += pointsPerRecord) {
          const part = slice(block, start, Math.min(start + pointsPerRecord, block.step.length));
          count.batches++;
          count.points += part.step.length;
          yield line("svc.v2.query.series.data", `{${identity},"data":${columnsText(part)}}`);
        }
      }
    }
    total.series++;
    total.batches += count.batches;
    total.points += count.points;
    if (whole) {
      const summary = { experimentId: query.experimentId, seriesName: name, ...count };
      yield line("svc.v2.query.experimentseries.series", JSON.stringify(summary));
    }
  }
  const { batches, points } = total;
  yield whole
    ? line("svc.v2.query.experimentseries.done", JSON.stringify(total))
    : line("svc.v2.query.series.done", JSON.stringify({ batches, points }));
}

/** join prints integers fastest, JSON.stringify of a plain array is the fastest for doubles. */
function columnsText({ step, timestamp, value }: Points): string {
  return `{"step":[${step.join()}],"timestampMs":[${timestamp.join()}],"value":${JSON.stringify(Array.from(value))}}`;
}

async function* joined(source: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  let text = "";
  for await (const line of source) {
    text += line;
    if (text.length < chunkBytes) continue;
    yield bytes(text);
    text = "";
  }
  if (text !== "") yield bytes(text);
}

/** A buffer of its own, so that it can be transferred to the HTTP thread. */
function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
