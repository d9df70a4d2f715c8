import type { Points } from "../../points/tail.ts";
import {
  envelope,
  identity,
  type RecordPartition,
  type RecordsOf,
  type RecordWriter,
} from "./record-writer.ts";

/** Lines are joined into chunks of about this size, so that many short series cost few messages. */
const chunkCharacters = 256 * 1024;

/** Records as lines of JSON. */
export class LineRecords implements RecordWriter {
  readonly #of: RecordsOf;
  #text = "";

  constructor(of: RecordsOf) {
    this.#of = of;
  }

  get isFull(): boolean {
    return this.#text.length >= chunkCharacters;
  }

  points(of: RecordPartition, points: Points): void {
    const data = `{${identity(this.#of, of)},"data":${columnsText(points)}}`;
    this.#text += `${envelope(this.#of, "svc.v2.query.series.data", data)}\n`;
  }

  record(event: string, data: object): void {
    this.#text += `${envelope(this.#of, event, JSON.stringify(data))}\n`;
  }

  take(): Uint8Array<ArrayBuffer> {
    const bytes = new TextEncoder().encode(this.#text);
    this.#text = "";
    return bytes;
  }
}

/** join prints integers fastest, JSON.stringify of a plain array is the fastest for doubles. */
function columnsText({ step, timestamp, value }: Points): string {
  return `{"step":[${step.join()}],"timestampMs":[${timestamp.join()}],"value":${JSON.stringify(Array.from(value))}}`;
}
