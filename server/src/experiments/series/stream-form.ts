import { seriesTypes } from "@lossless/protocol";
import { ColumnRecords, columnRecord, columnRecordsVersion } from "./column-records.ts";
import { LineRecords } from "./line-records.ts";
import type { RecordsOf, RecordWriter } from "./record-writer.ts";

/** The forms in which series are streamed: lines of JSON as specified, and an extension. */
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

export function recordWriter(form: StreamForm, of: RecordsOf): RecordWriter {
  return form === "lines" ? new LineRecords(of) : new ColumnRecords(of);
}

/** Returns the record that ends a failed stream. */
export function failureRecord(form: StreamForm, record: object): Uint8Array {
  const text = JSON.stringify(record);
  return form === "lines" ? new TextEncoder().encode(`${text}\n`) : columnRecord(text);
}
