import { limits } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";

/** Places of the parts of a body of columns; docs/columns.md draws it. */
export interface ColumnLayout {
  count: number;
  runs: number;
  texts: number;
  headBytes: number;
  textBytes: number;
  /** Offsets of the columns, which `headBytes` keeps aligned, and of the checksum. */
  stepAt: number;
  timestampAt: number;
  valueAt: number;
  runsAt: number;
  partitionAt: number;
  lengthsAt: number;
  textsAt: number;
  checksumAt: number;
}

/** Versions that are read, as a reply says them; there is one. */
export const columnVersions = "1";
export const headAt = 32;
export const runBytes = 16;

/**
 * Reads the first bytes of a body, and requires that the body has the length that its counts say.
 * So nothing that is made afterwards is larger than what has arrived.
 */
export function columnLayout(bytes: Uint8Array): ColumnLayout {
  if (bytes.length < headAt) throw wrong(`it has ${bytes.length} bytes, and at least ${headAt}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== magic) throw wrong("it does not begin with the letters LCol");
  const version = view.getUint32(4, true);
  if (String(version) !== columnVersions)
    throw wrong(`it has version ${version}; this service reads version ${columnVersions}`);
  const [count, headBytes, runs, texts, textBytes, rest] = [8, 12, 16, 20, 24, 28].map((at) =>
    view.getUint32(at, true),
  );
  between("points", count, 1, limits.columnsPointsMax);
  between("bytes of the head", headBytes, 0, limits.columnsHeadBytesMax);
  between("runs of ids", runs, 1, count);
  between("ids as texts", texts, 0, count);
  if (headBytes % 8 !== 0) throw wrong(`its head has ${headBytes} bytes, no multiple of 8`);
  if (rest !== 0) throw wrong("the four bytes before its head are not 0");
  const stepAt = headAt + headBytes;
  const timestampAt = stepAt + 8 * count;
  const valueAt = timestampAt + 8 * count;
  const runsAt = valueAt + 8 * count;
  const partitionAt = runsAt + runBytes * runs;
  const lengthsAt = partitionAt + 4 * count;
  const textsAt = lengthsAt + 2 * texts;
  const checksumAt = textsAt + textBytes;
  if (checksumAt + 4 !== bytes.length) {
    throw wrong(`its counts say ${checksumAt + 4} bytes, it has ${bytes.length}`);
  }
  const columns = { stepAt, timestampAt, valueAt, runsAt, partitionAt, lengthsAt, textsAt };
  return { count, runs, texts, headBytes, textBytes, ...columns, checksumAt };
}

/** Returns the error for a body of another form, `what` being said of it. */
export function wrong(what: string): ServiceError {
  return new ServiceError("validation_failed", `Nothing was executed: of the body, ${what}.`);
}

function between(what: string, found: number, least: number, most: number): void {
  if (found < least || found > most)
    throw wrong(`it says ${found} ${what}; ${least} to ${most} are allowed`);
}

/** "LCol" */
const magic = 0x6c6f_434c;
