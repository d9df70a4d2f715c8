import { seriesTypes } from "@lossless/protocol/series-types";
import { arrowFailure, ArrowRecords } from "./arrow-records.ts";
import { ColumnRecords, columnRecord, columnRecordsVersion } from "./column-records.ts";
import { LineRecords } from "./line-records.ts";
import type { MatchingSeries } from "./matching-series.ts";
import type { RecordsOf, RecordWriter } from "./record-writer.ts";

/** The forms in which series are streamed: lines of JSON as specified, and extensions. */
export type StreamForm = keyof typeof seriesTypes;

/** The versions of forms that have any, as a parameter of their type. */
const versions: Partial<Record<StreamForm, string>> = { columns: String(columnRecordsVersion) };

/** The type of a reply. */
export function mediaTypeOf(form: StreamForm): string {
  const version = versions[form];
  return seriesTypes[form] + (version === undefined ? "" : `; version=${version}`);
}

/** Returns the form of a type that a client accepts, unless it accepts another version only. */
export function formOfType(type: string, version: string | undefined): StreamForm | undefined {
  const form = forms.find((one) => seriesTypes[one] === type);
  const isOther = form !== undefined && version !== undefined && versions[form] !== undefined;
  return isOther && version !== versions[form] ? undefined : form;
}

const forms = Object.keys(seriesTypes) as StreamForm[];

/** `series` are those of all points to come. */
export function recordWriter(
  form: StreamForm,
  of: RecordsOf,
  series: readonly MatchingSeries[],
): RecordWriter {
  if (form === "lines") return new LineRecords(of);
  if (form === "columns") return new ColumnRecords(of);
  const names = series.map(({ name }) => name);
  const metas = series.flatMap(({ partitions }) => partitions.map(({ meta }) => meta));
  return new ArrowRecords(of, names, metas);
}

/** Returns the last bytes of a failed stream, of which something was sent or not. */
export function failureRecord(form: StreamForm, record: object, isBegun: boolean): Uint8Array {
  if (form === "arrow") return arrowFailure(record, isBegun);
  const text = JSON.stringify(record);
  return form === "lines" ? new TextEncoder().encode(`${text}\n`) : columnRecord(text);
}
