/**
 * Outcome of a batch: one PointResult per point, and the amounts that they take of the
 * organization's quota.
 */
export interface Appended {
  results: Uint8Array;
  /** Number of points stored; the others were known already, or were refused. */
  points: number;
  bytes: number;
  partitions: number;
}

export interface NewPartition {
  number: number;
  name: string;
  meta: string;
  /** Whether the partition had points before, all of which were purged. */
  isRevived: boolean;
}

/**
 * One experiment's part of a group: a log record on top of `seq - 1`, and the partitions that it is
 * the first to use.
 */
export interface AppendedRecord {
  experimentId: string;
  seq: number;
  points: number;
  record: Uint8Array;
  newPartitions: NewPartition[];
}
