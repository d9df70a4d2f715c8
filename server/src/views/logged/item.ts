import type { LoggedItem } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { isObject, placeOfImage } from "../../experiments/logged/place.ts";
import { loggedBins } from "./logged-bins.ts";
import { mediaTypeOf } from "./media-type.ts";
import type { FoundSeries } from "./series.ts";

/** A row of the index, with what it points to. */
export interface ItemRow {
  step: number;
  annotation: number;
  path: string;
  text: string | null;
  meta: string | null;
  created_at_ms: number | null;
  bytes: number | null;
}

/** Conditions on rows of `logged`, their order, and how many. `values` are `$3`, `$4` and so on. */
interface Rows {
  where: string;
  values: readonly (string | number)[];
  isDescending?: boolean;
  limit: number;
}

/** Reads rows of a series by step, then in the order of arrival. */
export function readRows(
  reader: Reader,
  { experiment, number }: Pick<FoundSeries, "experiment" | "number">,
  { where, values, isDescending = false, limit }: Rows,
): Promise<ItemRow[]> {
  const direction = isDescending ? "DESC" : "ASC";
  const own = ["step", "annotation", "path"].map((column) => `logged.${column} ${direction}`);
  // A deleted annotation or file is no row of the index.
  return reader.all<ItemRow>(
    `SELECT logged.step, logged.annotation, logged.path, annotation.text, annotation.meta,
       coalesce(annotation.created_at_ms, file.changed_at_ms) AS created_at_ms, file.bytes
     FROM logged
     LEFT JOIN annotation ON annotation.experiment = logged.experiment
       AND annotation.number = logged.annotation
     LEFT JOIN file ON file.owner = logged.experiment AND file.path = logged.path
     WHERE logged.experiment = $1 AND logged.series = $2 AND ${where}
     ORDER BY ${own.join(", ")} LIMIT ${limit}`,
    experiment,
    number,
    ...values,
  );
}

/** Returns the item that a row is about. */
export function itemOf({ experiment, kind, name }: FoundSeries, row: ItemRow): LoggedItem {
  const { step, path, created_at_ms: createdAtMs, bytes } = row;
  const own = { experimentId: experiment, step };
  if (row.annotation === 0) {
    const timestampMs = placeOfImage(path)?.timestampMs ?? createdAtMs ?? 0;
    const file = { path, bytes, mediaType: mediaTypeOf(path), owner: experiment };
    return { ...own, timestampMs, metadata: {}, file };
  }
  const meta = JSON.parse(row.meta!) as Record<string, unknown>;
  const common = { ...own, timestampMs: createdAtMs!, metadata: metadataOf(meta) };
  if (kind === "text") return { ...common, ...timeOf(meta), text: textOf(name, row.text!) };
  const media = meta._media as Record<string, unknown>;
  return {
    ...common,
    ...timeOf(media),
    ...numbersOf(media),
    ...(typeof media.caption === "string" && { caption: media.caption }),
    ...(typeof media.plot === "string" && { plot: media.plot }),
    ...binsOf(media),
    ...fileOf(media),
  };
}

/** The text of an annotation of a text: it begins with its name, as our clients write it. */
export function textOf(name: string, annotation: string): string {
  return annotation.startsWith(`${name}: `) ? annotation.slice(name.length + 2) : annotation;
}

export function metadataOf({ pointMeta }: Record<string, unknown>): Record<string, string> {
  if (!isObject(pointMeta)) return {};
  const texts = Object.entries(pointMeta).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

export function timeOf({ timestampMs }: Record<string, unknown>): { timestampMs?: number } {
  return isCount(timestampMs) ? { timestampMs } : {};
}

const numberMembers = ["index", "count", "width", "height", "rows", "columns"] as const;

function numbersOf(media: Record<string, unknown>) {
  const found = numberMembers.filter((member) => isCount(media[member]));
  return Object.fromEntries(found.map((member) => [member, media[member]])) as {
    [Member in (typeof numberMembers)[number]]?: number;
  };
}

function binsOf({ histogram }: Record<string, unknown>): Pick<LoggedItem, "histogram"> {
  const bins = loggedBins(histogram);
  return bins === undefined ? {} : { histogram: bins };
}

function fileOf(media: Record<string, unknown>): Pick<LoggedItem, "file"> {
  const { path, bytes, artifact, version } = media;
  const isFile =
    typeof path === "string" && typeof artifact === "string" && typeof version === "string";
  if (!isFile) return {};
  const size = isCount(bytes) ? bytes : null;
  return { file: { path, bytes: size, mediaType: mediaTypeOf(path), artifact, version } };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
