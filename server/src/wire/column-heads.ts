import {
  canonicalJson,
  checkColumnsHead,
  type ColumnsHead,
  type Problem,
} from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { parseStrictJson } from "../ground/strict-json.ts";
import { partitionKey } from "../points/point-batch.ts";
import { wrong } from "./column-layout.ts";

/** Partitions and prefixes that the head of a body of columns names. */
export interface ColumnNames {
  /** partitionKey() of each distinct partition. */
  partitions: string[];
  /** The place in `partitions` of each one that the head names. */
  numbers: Uint32Array;
  prefixes: readonly string[];
}

/** Nesting of a head: its object, a list, a partition, a meta. */
const depthMax = 4;

/**
 * Reads the heads of bodies. The one before is kept: a recording sends the same series in each
 * request.
 */
export class ColumnHeads {
  #bytes: Buffer = Buffer.alloc(0);
  #names: ColumnNames | undefined;

  read(bytes: Uint8Array): ColumnNames {
    if (this.#names !== undefined && this.#bytes.equals(bytes)) return this.#names;
    const names = columnNames(bytes);
    this.#bytes = Buffer.from(bytes);
    this.#names = names;
    return names;
  }
}

function columnNames(bytes: Uint8Array): ColumnNames {
  const value = headOf(bytes);
  const { ok, problems } = checkColumnsHead(value);
  if (!ok) throw wrong(problemsText(problems));
  const { partitions, prefixes } = value as ColumnsHead;
  const known = new Map<string, number>();
  const numbers = Uint32Array.from(partitions, ({ metricName, meta }) => {
    const key = partitionKey(metricName, canonicalJson(meta));
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  });
  return { partitions: [...known.keys()], numbers, prefixes };
}

function headOf(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { depth: depthMax });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `Of the head alone: ${error.message}`, error.details);
  }
}

function problemsText(problems: readonly Problem[]): string {
  const { path, message } = problems[0];
  return path === "" ? `the head ${message}` : `${path} of the head ${message}`;
}
