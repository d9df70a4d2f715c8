/**
 * The metric points of one request for one experiment, in request order, as columns in one
 * ArrayBuffer: it crosses from the HTTP thread to the writer thread by transfer, without a copy.
 *
 *   step f64[n] | timestamp f64[n] | value f64[n] | identifier u32[4n] | partition u32[n] (44 B)
 *
 * `partition` is an index into `partitions` (in a log record: the experiment's partition number).
 * Its top bit says how the identifier (the event's messageId) is written: clear = its 128-bit hash;
 * set = a counter identifier `<prefix>-<decimal>`: [index into `prefixes`, 0, counter high 21 bits,
 * counter low 32 bits].
 */
export interface PointBatch {
  count: number;
  columns: ArrayBuffer;
  /** Distinct partition keys, see partitionKey(). */
  partitions: string[];
  /** Distinct prefixes of counter identifiers, without the hyphen. */
  prefixes: string[];
}

/**
 * Result of a point: stored, known already, refused because its messageId has another payload, over
 * the series limit of its experiment, over the organization's quota of partitions, over that of
 * bytes, or of a series that is in the trash.
 */
export const PointResult = {
  stored: 0,
  duplicate: 1,
  conflict: 2,
  limitExceeded: 3,
  partitionsExceeded: 4,
  bytesExceeded: 5,
  seriesDeleted: 6,
} as const;

export const bytesPerPoint = 44;
export const counterFlag = 0x8000_0000;

/** Views on the columns of a batch or a log record; `start` is a multiple of 8. */
export interface PointColumns {
  step: Float64Array;
  timestamp: Float64Array;
  value: Float64Array;
  identifier: Uint32Array;
  partition: Uint32Array;
}

export function pointColumns(buffer: ArrayBuffer, count: number, start = 0): PointColumns {
  return {
    step: new Float64Array(buffer, start, count),
    timestamp: new Float64Array(buffer, start + 8 * count, count),
    value: new Float64Array(buffer, start + 16 * count, count),
    identifier: new Uint32Array(buffer, start + 24 * count, 4 * count),
    partition: new Uint32Array(buffer, start + 40 * count, count),
  };
}

/**
 * Returns the key of a partition. Metric names are printable ASCII, so the newline between name and
 * canonical meta is unambiguous.
 */
export function partitionKey(metricName: string, canonicalMeta: string): string {
  return `${metricName}\n${canonicalMeta}`;
}

export function splitPartitionKey(key: string): { name: string; meta: string } {
  const end = key.indexOf("\n");
  return { name: key.slice(0, end), meta: key.slice(end + 1) };
}
