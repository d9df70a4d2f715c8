import { partVersion } from "../buckets/built-in/part.ts";
import { consoleLinesVersion } from "../console/lines.ts";
import { consoleObjectVersion } from "../console/object.ts";
import { sharedFormat } from "../database/migrations.ts";
import { sealVersion } from "../ground/sealing.ts";
import { chunkVersion } from "../points/chunk.ts";
import { grainsVersion } from "../points/grains.ts";
import { runVersion } from "../points/identifiers/run-format.ts";
import { logRecordVersion } from "../points/log-record.ts";
import { segmentVersion } from "../points/segment.ts";

/** A form of stored bytes that nodes read of each other. */
export interface Form {
  name: string;
  /** The version that this program writes. */
  written: number;
  /**
   * Versions, with the format since which programs read them. One is written only where every
   * program at work knows its format: a contraction to that comes with the program that writes it.
   */
  readSince: Readonly<Record<number, number>>;
}

const first = { 1: sharedFormat };

export const forms: readonly Form[] = [
  { name: "log record", written: logRecordVersion, readSince: first },
  { name: "segment", written: segmentVersion, readSince: { ...first, 2: sharedFormat } },
  { name: "chunk", written: chunkVersion, readSince: first },
  { name: "grains", written: grainsVersion, readSince: first },
  { name: "run of identifiers", written: runVersion, readSince: first },
  { name: "lines of a console", written: consoleLinesVersion, readSince: first },
  { name: "object of a console", written: consoleObjectVersion, readSince: first },
  { name: "part of a file", written: partVersion, readSince: first },
  { name: "sealed secret", written: sealVersion, readSince: first },
];

/** The forms that some program may be unable to read which works on data of `leastFormat`. */
export function unreadableForms(leastFormat: number, all = forms): Form[] {
  return all.filter(({ written, readSince }) => (readSince[written] ?? Infinity) > leastFormat);
}
