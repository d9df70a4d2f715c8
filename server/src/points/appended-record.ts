/** A batch's outcome is one PointResult a point and what they take of the organization's quota. */
export interface Appended {
  results: Uint8Array;
  /** How many were stored; the others were there already, or were refused. */
  points: number;
  bytes: number;
  partitions: number;
}

export interface NewPartition {
  number: number;
  name: string;
  meta: string;
  /** It had points before, all of which were purged. */
  isRevived: boolean;
}

/**
 * One experiment's part of a group: a log record on top of `seq - 1`, and the partitions it is
 * first to use.
 */
export interface AppendedRecord {
  experimentId: string;
  seq: number;
  points: number;
  record: Uint8Array;
  newPartitions: NewPartition[];
}
