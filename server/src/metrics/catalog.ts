import type { CatalogSeries, ReplyData, RequestData } from "@lossless/protocol";
import { compareBytes } from "../byte-order.ts";
import type { Reader } from "../database/database.ts";
import { experimentNotFound, findExperiment } from "../experiments/identity.ts";

export interface QueryCatalog {
  organizationId: string;
  data: RequestData<"svc.v2.query.catalog">;
}

/** Partitions read at a time: an experiment may have a million. */
const rowsPerPage = 10_000;

/** `query.catalog`. An unknown slug is an error, an unknown or foreign id has no series (M57, M60). */
export async function queryCatalog(
  reader: Reader,
  { organizationId, data }: QueryCatalog,
): Promise<ReplyData<"svc.v2.query.catalog">> {
  const found = await findExperiment(reader, organizationId, data);
  if (found === undefined) {
    if (data.experimentId === undefined) throw experimentNotFound(data);
    return { experimentId: data.experimentId, series: [] };
  }
  return { experimentId: found, series: await readSeries(reader, found) };
}

type Values = Map<string, Set<string>>;

async function readSeries(reader: Reader, experimentId: string): Promise<CatalogSeries[]> {
  const series = new Map<string, Values>();
  for (let above = -1; ;) {
    const rows = await reader.all<{ partition: number; name: string; meta: string }>(
      `SELECT partition, name, meta FROM series WHERE experiment = $1 AND partition > $2
       ORDER BY partition LIMIT $3`,
      experimentId,
      above,
      rowsPerPage,
    );
    for (const { partition, name, meta } of rows) {
      addPartition(series, name, meta);
      above = partition;
    }
    if (rows.length < rowsPerPage) break;
  }
  return [...series]
    .sort(([left], [right]) => compareBytes(left, right))
    .map(([seriesName, values]) => ({ seriesName, metadata: toMetadata(values) }));
}

function addPartition(series: Map<string, Values>, name: string, meta: string): void {
  let values = series.get(name);
  if (values === undefined) series.set(name, (values = new Map()));
  for (const [key, value] of Object.entries(JSON.parse(meta) as Record<string, string>)) {
    const known = values.get(key);
    if (known === undefined) values.set(key, new Set([value]));
    else known.add(value);
  }
}

/** Object.fromEntries makes own properties of every key, `__proto__` too. */
function toMetadata(values: Values): Record<string, string[]> {
  return Object.fromEntries(
    [...values]
      .sort(([left], [right]) => compareBytes(left, right))
      .map(([key, set]) => [key, [...set].sort(compareBytes)]),
  );
}
