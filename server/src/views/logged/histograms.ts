import { setImmediate } from "node:timers/promises";
import { canonicalJson } from "@lossless/protocol/canonical-json";
import type { LoggedHistogramsBody, LoggedHistogramsReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { isLoggedBehind } from "../../experiments/from-before.ts";
import { ServiceError } from "../../ground/errors.ts";
import { pages } from "../../ground/pages.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { addToGrid, around, type Grid, type GriddedSum, type Histogram, rangeOf } from "./grid.ts";
import { type ItemRow, metadataOf, readRows } from "./item.ts";
import { loggedBins } from "./logged-bins.ts";
import { findSeries, type FoundSeries } from "./series.ts";

export interface ReadLoggedHistograms {
  organizationId: string;
  body: LoggedHistogramsBody;
}

const usualColumns = 256;
const usualBins = 64;
const rowsPerPageMax = 500;
/** Columns made without a break: a millisecond or two. */
const columnsPerTurn = 16;

/** `views/logged-histograms`: histograms over steps on one grid. */
export async function readLoggedHistograms(
  reader: Reader,
  { organizationId, body }: ReadLoggedHistograms,
  text: ReplyText,
): Promise<void> {
  const { experimentIds, name, bins = usualBins } = body;
  const named = [{ kind: "histogram", name } as const];
  const series = await findSeries(reader, organizationId, experimentIds, named);
  const maps: LoggedMap[] = [];
  const left = { histograms: limits.loggedHistogramsReadMax, bins: limits.loggedBinsReadMax };
  for (const one of series) maps.push(...(await readMaps(reader, one, body, left)));
  const grid = { ...gridRange(body, maps), bins };
  const most = Math.floor(limits.loggedHistogramCellsMax / bins / Math.max(1, maps.length));
  const columns = Math.max(1, Math.min(body.columns ?? usualColumns, most));
  let opening = `{"low":${grid.low},"high":${grid.high},"bins":${bins},"maps":[`;
  for (const { logged, ...map } of maps) {
    const own = { ...map, columns: await columnsOf(logged, grid, columns) };
    await text.add(opening + JSON.stringify(own));
    opening = ",";
  }
  if (opening !== ",") await text.add(opening);
  const isBehind = await isLoggedBehind(reader, { organizationId, experimentIds });
  await text.add(`],"isBehind":${isBehind}}`);
}

/** A histogram of a step; `nonfinite` values are in none of its bins. */
interface Logged extends Histogram {
  step: number;
  nonfinite: number;
}

type LoggedMap = Omit<LoggedHistogramsReply["maps"][number], "columns"> & { logged: Logged[] };

/** Reads the histograms of an experiment, those of each metadata for themselves, while any may. */
async function readMaps(
  reader: Reader,
  series: FoundSeries,
  { start = 0, end = limits.stepMax + 1 }: LoggedHistogramsBody,
  left: { histograms: number; bins: number },
): Promise<LoggedMap[]> {
  const maps = new Map<string, LoggedMap>();
  let [step, annotation] = [start, -1];
  const read = async (limit: number) => {
    const rows = await readRows(reader, series, {
      where: "(logged.step, logged.annotation) > ($3, $4) AND logged.step < $5",
      values: [step, annotation, end],
      limit,
    });
    ({ step, annotation } = rows.at(-1) ?? { step, annotation });
    return rows;
  };
  for await (const rows of pages(rowsPerPageMax, read, ({ meta }) => meta!.length)) {
    left.histograms -= rows.length;
    if (left.histograms < 0) throw tooMany();
    for (const row of rows) left.bins -= addRow(maps, series, row);
    if (left.bins < 0) throw tooMany();
  }
  return [...maps.values()];
}

/** Returns how many bins it adds. */
function addRow(maps: Map<string, LoggedMap>, { experiment }: FoundSeries, row: ItemRow): number {
  const meta = JSON.parse(row.meta!) as Record<string, unknown>;
  const metadata = metadataOf(meta);
  const key = canonicalJson(metadata);
  let map = maps.get(key);
  if (map === undefined) {
    if (maps.size === limits.loggedLanesMax) return 0;
    map = { experimentId: experiment, metadata, items: 0, files: 0, logged: [] };
    maps.set(key, map);
  }
  map.items += 1;
  const { histogram, nonfinite } = meta._media as Record<string, unknown>;
  const own = loggedBins(histogram);
  if (own === undefined) {
    map.files += 1;
    return 0;
  }
  map.logged.push({
    step: row.step,
    edges: Float64Array.from(own.bins),
    counts: Float64Array.from(own.values),
    nonfinite: Number.isSafeInteger(nonfinite) ? Math.max(0, nonfinite as number) : 0,
  });
  return own.values.length;
}

/** Returns the range of the grid: what the request does not say is that of all histograms. */
function gridRange(body: LoggedHistogramsBody, maps: readonly LoggedMap[]): Omit<Grid, "bins"> {
  const all = rangeOf(maps.flatMap(({ logged }) => logged)) ?? { low: 0, high: 1 };
  const { low = all.low, high = all.high } = body;
  if (low < high) return { low, high };
  if (body.low !== undefined && body.high !== undefined)
    throw new ServiceError("bad_request", "`low` must be less than `high`.");
  // One edge alone beyond everything.
  return body.low === undefined ? { low: around(high).low, high } : { low, high: around(low).high };
}

/** Sums histograms in columns of so many neighbouring steps that there are not too many columns. */
async function columnsOf(logged: readonly Logged[], grid: Grid, columnsMax: number) {
  const byStep = [...Map.groupBy(logged, ({ step }) => step).values()];
  const steps = Math.max(1, Math.ceil(byStep.length / columnsMax));
  const columns: Column[] = [];
  for (let at = 0; at < byStep.length; at += steps) {
    columns.push(columnOf(byStep.slice(at, at + steps).flat(), grid));
    if (columns.length % columnsPerTurn === 0) await setImmediate();
  }
  return columns;
}

type Column = LoggedHistogramsReply["maps"][number]["columns"][number];

function columnOf(logged: readonly Logged[], grid: Grid): Column {
  const sum: GriddedSum = { counts: new Float64Array(grid.bins), below: 0, above: 0 };
  for (const one of logged) addToGrid(sum, grid, one);
  return {
    step: logged[0].step,
    lastStep: logged.at(-1)!.step,
    items: logged.length,
    counts: [...sum.counts],
    total: logged.reduce((total, one) => one.counts.reduce((own, count) => own + count, total), 0),
    below: sum.below,
    above: sum.above,
    nonfinite: logged.reduce((total, one) => total + one.nonfinite, 0),
  };
}

function tooMany(): ServiceError {
  return new ServiceError(
    "bad_request",
    `The range has more than ${limits.loggedHistogramsReadMax} histograms, or they have more than ${limits.loggedBinsReadMax} bins. Ask for a shorter one, or for fewer experiments.`,
  );
}
