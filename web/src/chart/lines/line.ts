import type { OverviewReply } from "@lossless/client";
import type { Kind } from "./colours.ts";
import type { RecordedPlace } from "./recorded-places.ts";

export type Partition = OverviewReply["series"][number] & {
  /** Earlier points of repeated steps, as lines of their own; `exact` has the last points. */
  earlier?: readonly NonNullable<OverviewReply["series"][number]["exact"]>[];
  /** Positions in `exact` that are not joined to the point ahead: the run went back there. */
  breaks?: readonly number[];
  smoothed?: { breaks?: readonly number[] };
  /**
   * Set for a group: the line is the mean of these, with a band in `reduced` from `min` to `max`.
   */
  group?: {
    members: readonly OverviewReply["series"][number][];
    /** Looks of these members. */
    looks: readonly { kind: Kind; name: string }[];
    /** Number of its lines; `members` may be some of them. */
    lines: number;
    /** Members with a value in each column. */
    count: readonly number[];
    /** Places at which any member has a point. */
    recorded: readonly RecordedPlace[];
    around: { before?: number; after?: number };
  };
};
/** A line: its points where they are few, else its columns; and its neighbouring points outside. */
export type Line = Pick<Partition, "exact" | "reduced" | "before" | "after" | "breaks">;
