import type { Points } from "../../points/tail.ts";

/** The writer of a stream's records in one form. */
export interface RecordWriter {
  /** Whether enough is written to be sent. */
  readonly isFull: boolean;
  /** Adds a data record. */
  points(of: RecordPartition, points: Points): void;
  /** Adds a record without points. */
  record(event: string, data: object): void;
  /** Returns what was added since the last call, in a buffer of its own: it goes to a thread. */
  take(): Uint8Array<ArrayBuffer>;
}

/** The partition of the points of a record; `meta` is JSON. */
export interface RecordPartition {
  name: string;
  meta: string;
}

/** Parts that all records of one stream have in common. */
export interface RecordsOf {
  experimentId: string;
  correlationId: string;
  xAxis: "step" | "timestamp";
  messageId: () => string;
}

/** The envelope of a record as JSON; `data` is JSON, too. */
export function envelope({ correlationId, messageId }: RecordsOf, event: string, data: string) {
  return `{"messageId":"${messageId()}","correlationId":${JSON.stringify(correlationId)},"event":"${event}","data":${data}}`;
}

/** The beginning of a data record's data, without its brace. */
export function identity({ experimentId }: RecordsOf, { name, meta }: RecordPartition): string {
  return `"experimentId":${JSON.stringify(experimentId)},"seriesName":${JSON.stringify(name)},"metadata":${meta}`;
}
