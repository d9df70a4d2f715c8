import { setImmediate } from "node:timers/promises";
import type { FilterPredicate, PointsCsvQuery, SeriesCombination } from "@lossless/protocol";
import { csvQuoted } from "@lossless/protocol/csv-cell";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { layLines, type LaidLine } from "./laid-line.ts";
import { firstNotBelow, sliceOf, type PlacedPoints } from "./line.ts";
import { endAboveStart } from "./range.ts";
import { selectPartitions, type ViewContext } from "./selected-partitions.ts";

export interface PointsCsvRead extends Pick<PointsCsvQuery, "xAxis" | "xSeriesName"> {
  organizationId: string;
  series: readonly { experimentId: string; seriesName: string }[];
  /** Whether rows name their experiment and series. */
  isOfSeveral: boolean;
  /** Combines each series with another one. */
  combined?: SeriesCombination | undefined;
  filter: readonly FilterPredicate[];
  /** Keys of partitions whose values the reader does not see. */
  hiddenKeys: readonly string[];
  start: number;
  /** Exclusive. */
  end: number;
}

/** Partitions in one file; each costs memory before its first row is written. */
const partitionsMax = 100_000;
/** Rows are joined into chunks of about this size. */
const chunkBytes = 256 * 1024;
/** Maximum length of four printed numbers and their separators. */
const numbersBytesMax = 4 * 26;

/**
 * `views/points.csv`: a chunk with the number of points, then the file, partition by partition,
 * each in the order of the axis; the points of one experiment are of one moment. An unknown or
 * foreign experiment has no points. The result opens the file, and needs the reader no more.
 */
export async function openPointsCsv(
  reader: Reader,
  { organizationId, series, isOfSeveral, ...read }: PointsCsvRead,
  context: ViewContext,
): Promise<() => Promise<AsyncGenerator<Uint8Array>>> {
  const { filter, combined, hiddenKeys, xAxis, xSeriesName, start, end } = read;
  if (start >= end) throw new ServiceError("bad_request", endAboveStart);
  const { partitions, opened } = await selectPartitions(
    reader,
    {
      organizationId,
      series: series.map((one) => ({ ...one, ...(combined && { combined }), filter: [...filter] })),
      xAxis,
      ...(xSeriesName !== undefined && { xSeriesName }),
      linesMax: partitionsMax,
    },
    context,
  );
  const slugs = isOfSeveral ? await slugsOf(reader, organizationId, partitions) : new Map();
  return async () => {
    const lines = await layLines(partitions, xAxis, context.damage);
    let points = 0;
    for (const laid of lines) points += await readable(laid).exactCount(start, end);
    opened.unlimit();
    const isPlain = xAxis === "step" || xAxis === "timestamp";
    const heads = partitions.map(({ experimentId, seriesName, meta }) => {
      const name =
        combined === undefined
          ? seriesName
          : `${seriesName} ${combined.operator} ${combined.seriesName}`;
      const names = [experimentId, slugs.get(experimentId) ?? "", name];
      const shown = hiddenKeys.length === 0 ? meta : withHidden(meta, hiddenKeys);
      return (isOfSeveral ? [...names, shown] : [shown]).map(csvQuoted).join(",");
    });
    const columns = isOfSeveral ? "experimentId,slug,seriesName,metadata" : "metadata";
    return chunksOf(points, rowsOf({ lines, columns, heads, start, end, isPlain }));
  };
}

/** Returns the JSON of a partition's meta, in which "hidden" stands for the values of some keys. */
function withHidden(meta: string, keys: readonly string[]): string {
  const shown = Object.entries(JSON.parse(meta) as Record<string, string>).map(([key, value]) => {
    return [key, keys.includes(key) ? "hidden" : value];
  });
  return JSON.stringify(Object.fromEntries(shown));
}

async function slugsOf(
  reader: Reader,
  organizationId: string,
  partitions: readonly { experimentId: string }[],
): Promise<Map<string, string>> {
  const ids = [...new Set(partitions.map(({ experimentId }) => experimentId))];
  const rows = await reader.all<{ id: string; slug: string }>(
    `SELECT id, slug FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(ids),
  );
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}

/**
 * Returns the line; throws if it cannot be read: a file with a part left out would look complete.
 */
function readable(laid: LaidLine) {
  if (laid.problem !== undefined) throw laid.problem;
  return laid.line!;
}

interface Rows {
  lines: readonly LaidLine[];
  columns: string;
  /** The first cells of the rows of each line. */
  heads: readonly string[];
  start: number;
  end: number;
  /** Whether x is a column that rows have anyway. */
  isPlain: boolean;
}

async function* rowsOf(file: Rows): AsyncGenerator<string> {
  const { lines, columns, heads, start, end, isPlain } = file;
  yield `${columns},${isPlain ? "" : "x,"}step,timestampMs,value\n`;
  for (const [at, laid] of lines.entries()) {
    // The head is repeated in each row of its partition, whatever its length.
    const head = heads[at];
    const rows = Math.ceil(chunkBytes / (Buffer.byteLength(head) + numbersBytesMax));
    for await (const block of readable(laid).blocks({ start, end, before: 0, after: 0 })) {
      const last = firstNotBelow(block.x, end);
      for (let at = firstNotBelow(block.x, start); at < last; at += rows)
        yield textOf(sliceOf(block, at, Math.min(last, at + rows)), head, isPlain);
    }
  }
}

function textOf({ x, step, timestamp, value }: PlacedPoints, head: string, isPlain: boolean) {
  let text = "";
  for (let row = 0; row < x.length; row++) {
    const place = isPlain ? "" : `${x[row]},`;
    text += `${head},${place}${step[row]},${timestamp[row]},${value[row]}\n`;
  }
  return text;
}

async function* chunksOf(points: number, rows: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(String(points));
  let text = "";
  for await (const more of rows) {
    text += more;
    if (text.length < chunkBytes) continue;
    yield encoder.encode(text);
    text = "";
    await setImmediate();
  }
  if (text !== "") yield encoder.encode(text);
}
