import { payloadFingerprint } from "./fingerprint.ts";
import type { RecentView } from "./identifiers/generations.ts";
import { counterFlag, type PointColumns } from "./point-batch.ts";

/** `numbers` are the experiment's numbers of the partitions, where the columns have others. */
export function fingerprintsOf(
  columns: PointColumns,
  count: number,
  numbers?: Int32Array,
): Uint32Array {
  const fingerprints = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const partition = (columns.partition[index] & ~counterFlag) >>> 0;
    fingerprints[index] = fingerprintOf(columns, index, numbers?.[partition] ?? partition);
  }
  return fingerprints;
}

export function fingerprintOf(
  { step, timestamp, value }: PointColumns,
  index: number,
  partition: number,
): number {
  return payloadFingerprint(partition, step[index], timestamp[index], value[index]);
}

/** The fingerprint that was added with the identifier, or -1. */
export function findIdentifier(
  recent: RecentView,
  { identifier, partition }: PointColumns,
  index: number,
): number {
  const at = 4 * index;
  if (partition[index] < counterFlag) return recent.findHash(identifier, at);
  return recent.findCounter(identifier[at], identifier[at + 2], identifier[at + 3]);
}

export function addIdentifier(
  recent: RecentView,
  { identifier, partition }: PointColumns,
  index: number,
  fingerprint: number,
): void {
  const at = 4 * index;
  if (partition[index] < counterFlag) recent.addHash(identifier, at, fingerprint);
  else recent.addCounter(identifier[at], identifier[at + 2], identifier[at + 3], fingerprint);
}
